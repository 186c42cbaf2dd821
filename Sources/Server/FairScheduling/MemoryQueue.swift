package import HTTPServer
import Promises
import Synchronization

/// Memory for work whose need is known before it begins, with a limit: work that finds none waits for its share.
///
/// Of those that wait, the caller with least memory comes first, and of one caller's the first that came. Nobody
/// overtakes the next one. Work that needs more than all of it begins when nothing else has any.
package final class MemoryQueue: Sendable {
    /// The memory of one piece of work, which others get once this is released.
    package final class Share: Sendable {
        private let queue: MemoryQueue
        private let caller: LimitKey
        private let bytes: Int

        fileprivate init(_ queue: MemoryQueue, _ caller: LimitKey, _ bytes: Int) {
            self.queue = queue
            self.caller = caller
            self.bytes = bytes
        }

        deinit { queue.release(bytes, of: caller) }
    }

    private struct Waiter: Sendable {
        let caller: LimitKey
        let bytes: Int
        let begin: @Sendable (Share) -> Void
    }

    private struct State: Sendable {
        var reserved = 0
        var shares: [LimitKey: Int] = [:]
        var waiting: [Waiter] = []

        func hasRoom(for bytes: Int, _ limit: Int) -> Bool { reserved <= 0 || reserved + bytes <= limit }

        mutating func move(_ bytes: Int, of caller: LimitKey) {
            reserved += bytes
            let share = shares[caller, default: 0] + bytes
            shares[caller] = share > 0 ? share : nil
        }

        /// Removes and returns those that begin now.
        mutating func next(_ limit: Int) -> [Waiter] {
            var begun: [Waiter] = []
            while !waiting.isEmpty {
                var first = 0
                for index in waiting.indices.dropFirst()
                where shares[waiting[index].caller, default: 0] < shares[waiting[first].caller, default: 0] {
                    first = index
                }
                guard hasRoom(for: waiting[first].bytes, limit) else { break }
                let waiter = waiting.remove(at: first)
                move(waiter.bytes, of: waiter.caller)
                begun.append(waiter)
            }
            return begun
        }
    }

    private let limit: Int
    private let state = Mutex(State())
    /// Called when a share of at least `large` bytes was given back.
    private let whenFreed: (@Sendable () -> Void)?

    private static let large = 4 << 20

    /// - Parameters:
    ///   - limit: in bytes.
    ///   - whenFreed: called after work with much memory; must not block.
    package init(limit: Int, whenFreed: (@Sendable () -> Void)? = nil) {
        self.limit = limit
        self.whenFreed = whenFreed
    }

    /// The bytes in use.
    package var bytes: Int { state.withLock { $0.reserved } }

    /// Takes a share now; nil if there is no room, or others wait.
    package func reserve(_ bytes: Int, for caller: LimitKey) -> Share? {
        let isTaken = state.withLock { state in
            guard state.waiting.isEmpty, state.hasRoom(for: bytes, limit) else { return false }
            state.move(bytes, of: caller)
            return true
        }
        return isTaken ? Share(self, caller, bytes) : nil
    }

    /// Calls `begin` with a share as soon as there is one, possibly at once. It must not block.
    package func await(_ bytes: Int, for caller: LimitKey, begin: @escaping @Sendable (Share) -> Void) {
        if let share = reserve(bytes, for: caller) { return begin(share) }
        let begun = state.withLock { state in
            state.waiting.append(Waiter(caller: caller, bytes: bytes, begin: begin))
            return state.next(limit)
        }
        start(begun)
    }

    /// Blocks the thread until there is a share. It must not be needed by work that has one.
    ///
    /// - Parameter check: called now and then meanwhile; if it throws, nobody waits any more.
    package func wait(_ bytes: Int, for caller: LimitKey, check: () throws -> Void) throws -> Share {
        if let share = reserve(bytes, for: caller) { return share }
        let granted = Promise<Share>()
        // A share that comes too late is released with the promise.
        self.await(bytes, for: caller) { granted.set($0) }
        while true {
            if let share = granted.wait(seconds: 0.5) { return share }
            try check()
        }
    }

    /// Takes a share whether or not there is room, for work that must not wait: others wait until there is again.
    package func seize(_ bytes: Int, for caller: LimitKey) -> Share {
        state.withLock { $0.move(bytes, of: caller) }
        return Share(self, caller, bytes)
    }

    private func release(_ bytes: Int, of caller: LimitKey) {
        let begun = state.withLock { state in
            state.move(-bytes, of: caller)
            return state.next(limit)
        }
        if bytes >= Self.large { whenFreed?() }
        start(begun)
    }

    private func start(_ begun: [Waiter]) {
        for waiter in begun { waiter.begin(Share(self, waiter.caller, waiter.bytes)) }
    }
}
