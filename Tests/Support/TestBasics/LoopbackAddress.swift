import Glibc
import Synchronization

/// Addresses of this machine's loopback network.
package enum LoopbackAddress {
    package static let usual = "127.0.0.1"

    private static let given = Atomic(0)

    /// Returns an address that only the caller listens on, for a server that comes back on its port after a pause.
    ///
    /// At the usual address an outgoing connection of any process may get the port during that pause: the kernel gives
    /// it a free port of 127.0.0.1. No connection starts at these addresses.
    package static func own() -> String {
        let process = Int(getpid())
        let number = given.add(1, ordering: .relaxed).oldValue
        // The last number separates the servers of a process, the others the processes of a machine.
        return "127.\(1 + process / 256 % 254).\(process % 256).\(2 + number % 253)"
    }
}
