import Glibc
import Synchronization

/// Tells whether the client of a request that is answered later is still connected, as far as its connection shows.
///
/// A client that has shut down its sending side may still read, and one that closes its connection looks the same until
/// something is sent to it. Work whose result the response needs runs until `hasLeft`; expensive work such as reading a
/// large file stops at `hasEnded`.
package final class ClientPresence: Sendable {
    private let state = Atomic<UInt8>(0)

    package init() {}

    /// Whether the client sends nothing more.
    package var hasEnded: Bool { state.load(ordering: .relaxed) > 0 }

    /// Whether the client can no longer be reached.
    package var hasLeft: Bool { state.load(ordering: .relaxed) > 1 }

    /// The peer has shut down its sending side: `POLLRDHUP`, which glibc declares only with _GNU_SOURCE.
    private static let ended: Int32 = 0x2000

    /// Checks the client's socket.
    func look(at descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(Self.ended), revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return }
        let hasLeft = Int32(entry.revents) & (POLLERR | POLLHUP) != 0
        let hasEnded = Int32(entry.revents) & Self.ended != 0
        if hasLeft || hasEnded { state.store(hasLeft ? 2 : 1, ordering: .relaxed) }
    }

    /// Records that the connection is closed.
    package func leave() { state.store(2, ordering: .relaxed) }
}
