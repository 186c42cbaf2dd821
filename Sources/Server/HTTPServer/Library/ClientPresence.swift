import Glibc
import Synchronization

/// Tells whether the client of a request that is answered later is still connected, as far as its connection shows.
///
/// A client that has shut down its sending side may still read, and one that closes its connection looks the same until
/// something is sent to it. Work whose result the response needs runs until `hasLeft`; expensive work such as reading a
/// large file stops at `hasEnded`.
package final class ClientPresence: Sendable {
    private let state = Atomic<UInt8>(0)
    /// Called once; nil when there is none, or it was called.
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// Whether the client sends nothing more.
    package var hasEnded: Bool { state.load(ordering: .relaxed) > 0 }

    /// Whether the client can no longer be reached.
    package var hasLeft: Bool { state.load(ordering: .relaxed) > 1 }

    /// The peer has shut down its sending side: `POLLRDHUP`, which glibc declares only with _GNU_SOURCE.
    private static let ended: Int32 = 0x2000

    /// Checks the client's socket.
    func checkSocket(_ descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(Self.ended), revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return }
        let hasLeft = Int32(entry.revents) & (POLLERR | POLLHUP) != 0
        let hasEnded = Int32(entry.revents) & Self.ended != 0
        if hasLeft || hasEnded { end(hasLeft ? 2 : 1) }
    }

    /// Records that the connection is closed.
    package func leave() { end(2) }

    /// Calls an action once, when the client has shut down its sending side: immediately if it already has, else on the
    /// loop's thread, which the action must not block. Replaces an earlier action. After the response it is not called.
    package func onEnd(_ action: @escaping @Sendable () -> Void) {
        self.action.withLock { $0 = action }
        if hasEnded { callAction() }
    }

    /// Forgets the action.
    package func forgetAction() { action.withLock { $0 = nil } }

    private func end(_ value: UInt8) {
        state.store(value, ordering: .sequentiallyConsistent)
        callAction()
    }

    private func callAction() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
