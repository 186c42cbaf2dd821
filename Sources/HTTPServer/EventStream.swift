import Synchronization

/// One subscriber's stream of events, fed from any thread.
///
/// The queue between the producer and the socket is bounded: when it is full `send` refuses and the producer
/// coalesces until `onDrain`. Events that were accepted arrive in order, whole, or the stream ends.
package final class EventStream: Sendable {
    package enum SendResult: Sendable, Equatable {
        /// Accepted; it will be sent or the stream will close.
        case queued
        /// Not accepted: more than the limit waits for the client. Coalesce and wait for `onDrain`.
        case full
        /// Not accepted: the stream has ended.
        case closed
    }

    package enum CloseReason: Sendable, Equatable {
        /// The owner called `close`.
        case finished
        /// The client went away.
        case clientLeft
        /// The client took nothing for longer than the configured time.
        case stuck
        /// The server stops.
        case serverStopping
    }

    private struct State {
        var queue: [SharedBytes] = []
        /// Bytes accepted and not yet taken by the kernel.
        var pendingBytes = 0
        var finishing = false
        var closed: CloseReason?
        var refused = false
        var wakePosted = false
        var onClose: [@Sendable (CloseReason) -> Void] = []
        var onDrain: (@Sendable () -> Void)?

        /// True for the caller that has to wake the loop.
        mutating func takeWake() -> Bool {
            defer { wakePosted = true }
            return !wakePosted
        }
    }

    private let state = Mutex(State())
    /// Queued bytes at which `send` starts to refuse. One event of any size is accepted below it.
    package let limit: Int
    private let wake: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: queued bytes at which `send` refuses.
    ///   - wake: called when the queue or the end of the stream needs the loop's attention; at most once until
    ///     `takeQueued` is called.
    package init(limit: Int, wake: @escaping @Sendable () -> Void = {}) {
        self.limit = limit
        self.wake = wake
    }

    /// Hands an event to the stream. Never blocks. Cost: a lock and, for the first event since the loop last
    /// looked, one post to the loop.
    @discardableResult
    package func send(_ event: SharedBytes) -> SendResult {
        let (result, mustWake): (SendResult, Bool) = state.withLock { state in
            guard state.closed == nil, !state.finishing else { return (.closed, false) }
            guard state.pendingBytes < limit else {
                state.refused = true
                return (.full, false)
            }
            state.queue.append(event)
            state.pendingBytes += event.count
            return (.queued, state.takeWake())
        }
        if mustWake { wake() }
        return result
    }

    /// Ends the stream after what is queued has been sent.
    package func close() {
        let mustWake = state.withLock { state in
            guard state.closed == nil, !state.finishing else { return false }
            state.finishing = true
            return state.takeWake()
        }
        if mustWake { wake() }
    }

    /// True while more than the limit waits for the client.
    package var isCongested: Bool { state.withLock { $0.pendingBytes >= limit } }

    package var isClosed: Bool { state.withLock { $0.closed != nil || $0.finishing } }

    /// Calls `action` once, on the loop's thread, when the stream has ended for whatever reason; at once, on
    /// this thread, if it has ended already.
    package func onClose(_ action: @escaping @Sendable (CloseReason) -> Void) {
        let reason = state.withLock { state in
            if state.closed == nil { state.onClose.append(action) }
            return state.closed
        }
        if let reason { action(reason) }
    }

    /// Calls `action` on the loop's thread each time the queue falls to half the limit after `send` refused an event.
    /// Replaces the action set before.
    package func onDrain(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.onDrain = action }
    }
}

// The loop's side; tests without a socket play the loop with it.
extension EventStream {
    /// Takes what has been queued since the last call, and whether the owner asked to end after it.
    package func takeQueued() -> (events: [SharedBytes], finishing: Bool) {
        state.withLock { state in
            state.wakePosted = false
            defer { state.queue = [] }
            return (state.queue, state.finishing)
        }
    }

    /// Reports bytes as taken by the kernel; may call the drain action.
    package func didSend(_ byteCount: Int) {
        let drained: (@Sendable () -> Void)? = state.withLock { state in
            state.pendingBytes -= byteCount
            guard state.refused, state.pendingBytes <= limit / 2, state.closed == nil else { return nil }
            state.refused = false
            return state.onDrain
        }
        drained?()
    }

    /// Marks the stream as ended and tells its owner, once.
    package func didClose(_ reason: CloseReason) {
        let actions: [@Sendable (CloseReason) -> Void] = state.withLock { state in
            guard state.closed == nil else { return [] }
            state.closed = reason
            state.queue = []
            state.onDrain = nil
            defer { state.onClose = [] }
            return state.onClose
        }
        for action in actions { action(reason) }
    }
}
