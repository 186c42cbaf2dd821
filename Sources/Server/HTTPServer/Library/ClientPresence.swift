import Glibc
import Synchronization

/// Whether the client of a request that is answered later is still there, as far as its connection tells.
///
/// A client that has ended its sending may still read, and one that closes its connection looks the same until something
/// is sent to it. Work that is worth an answer only goes on until `hasLeft`; work that should not be done for nobody,
/// such as reading a large file, ends at `hasEnded` already.
package final class ClientPresence: Sendable {
    private let state = Atomic<UInt8>(0)

    package init() {}

    /// Nothing more comes from it.
    package var hasEnded: Bool { state.load(ordering: .relaxed) > 0 }

    /// Nothing reaches it any more.
    package var hasLeft: Bool { state.load(ordering: .relaxed) > 1 }

    /// The peer has ended its sending: `POLLRDHUP`, which the C library shows to GNU programs alone.
    private static let ended: Int32 = 0x2000

    /// Looks at the client's socket.
    func look(at descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(Self.ended), revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return }
        let hasLeft = Int32(entry.revents) & (POLLERR | POLLHUP) != 0
        let hasEnded = Int32(entry.revents) & Self.ended != 0
        if hasLeft || hasEnded { state.store(hasLeft ? 2 : 1, ordering: .relaxed) }
    }

    /// Notes that its connection is over.
    package func leave() { state.store(2, ordering: .relaxed) }
}
