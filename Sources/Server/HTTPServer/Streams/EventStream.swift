import Synchronization

/// One subscriber's stream of events, fed from any thread.
///
/// The queue between the producer and the socket is bounded: when it is full `send` refuses and the producer
/// coalesces until `onDrain`. Events that were accepted arrive in order, whole, or the stream ends.
///
/// An idle stream costs this process about 300 bytes, its owner's closures not counted: this object (128), its
/// place among the sockets of its loop (80, and as much again while that table has room to grow), and malloc's
/// own. Waiting events are shared; each costs a stream one reference, the first of them no allocation.
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

    /// How the side that sends hears of news.
    enum Waker: Sendable {
        case loop(LoopInbox, stream: UInt64)
        case action(@Sendable () -> Void)
    }

    private struct State {
        var queue = EventQueue()
        /// Bytes accepted and not yet taken by the kernel.
        var pendingBytes = 0
        var finishing = false
        var closed: CloseReason?
        var refused = false
        /// The sending side knows that there is news and has not looked yet.
        var isAwaited = false
        var onClose: (@Sendable (CloseReason) -> Void)?
        var onDrain: (@Sendable () -> Void)?

        /// True for the caller that has to wake the sending side.
        mutating func takeWake() -> Bool {
            defer { isAwaited = true }
            return !isAwaited
        }
    }

    private let state: Mutex<State>
    /// Queued bytes at which `send` starts to refuse. One event of any size is accepted below it.
    package let limit: Int
    let waker: Waker

    /// A stream without a socket; whoever holds it plays the sending side.
    ///
    /// - Parameters:
    ///   - limit: queued bytes at which `send` refuses.
    ///   - wake: called when there is news, events or the end; at most once until `takeQueued` is called.
    package init(limit: Int, wake: @escaping @Sendable () -> Void = {}) {
        self.limit = limit
        waker = .action(wake)
        state = Mutex(State())
    }

    /// A stream of a loop, which is going to look at it without being told.
    init(limit: Int, inbox: LoopInbox, id: UInt64) {
        self.limit = limit
        waker = .loop(inbox, stream: id)
        var state = State()
        state.isAwaited = true
        self.state = Mutex(state)
    }

    /// Hands an event to the stream. Never blocks. Cost: a lock and, for the first event since the loop last
    /// looked, one post to the loop. For many streams at once use ``EventStreamGroup``.
    @discardableResult
    package func send(_ event: SharedBytes) -> SendResult {
        let (result, mustWake) = enqueue(event)
        if mustWake { wake() }
        return result
    }

    /// The same of one event in two pieces, such as one that begins otherwise on each stream.
    package func send(_ start: SharedBytes, _ rest: SharedBytes) -> SendResult {
        let (result, mustWake) = enqueue(start, rest)
        if mustWake { wake() }
        return result
    }

    /// Whether an event would be accepted, or refused because the stream has ended. When it would not be, `onDrain` follows.
    package func findsRoom() -> Bool {
        state.withLock { state in
            guard state.closed == nil, !state.finishing, state.pendingBytes >= limit else { return true }
            state.refused = true
            return false
        }
    }

    /// As `send`, but leaves it to the caller to wake the sending side when told to.
    func enqueue(_ event: SharedBytes, _ rest: SharedBytes? = nil) -> (result: SendResult, mustWake: Bool) {
        state.withLock { state in
            guard state.closed == nil, !state.finishing else { return (.closed, false) }
            guard state.pendingBytes < limit else {
                state.refused = true
                return (.full, false)
            }
            state.queue.append(event)
            state.pendingBytes += event.count
            if let rest {
                state.queue.append(rest)
                state.pendingBytes += rest.count
            }
            return (.queued, state.takeWake())
        }
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

    /// Bytes accepted that wait for the client.
    var waitingBytes: Int { state.withLock { $0.pendingBytes } }

    /// True while more than the limit waits for the client.
    package var isCongested: Bool { state.withLock { $0.pendingBytes >= limit } }

    package var isClosed: Bool { state.withLock { $0.closed != nil || $0.finishing } }

    /// Calls `action` once, on the loop's thread, when the stream has ended for whatever reason; at once, on
    /// this thread, if it has ended already. Actions are called in the order given.
    package func onClose(_ action: @escaping @Sendable (CloseReason) -> Void) {
        let reason = state.withLock { state in
            guard state.closed == nil else { return state.closed }
            if let earlier = state.onClose {
                state.onClose = { reason in
                    earlier(reason)
                    action(reason)
                }
            } else {
                state.onClose = action
            }
            return nil
        }
        if let reason { action(reason) }
    }

    /// Calls `action` on the loop's thread each time the queue falls to half the limit after `send` refused an event.
    /// Replaces the action set before.
    package func onDrain(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.onDrain = action }
    }

    private func wake() {
        switch waker {
        case .loop(let inbox, let id): inbox.post(stream: id)
        case .action(let action): action()
        }
    }
}

// The sending side; tests without a socket play it.
extension EventStream {
    /// Takes what has been queued since the last call, and whether the stream is to end after it.
    package func takeQueued() -> (events: EventQueue, finishing: Bool) {
        state.withLock { state in
            state.isAwaited = false
            guard !state.queue.isEmpty else { return (EventQueue(), state.finishing) }
            defer { state.queue = EventQueue() }
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

    /// Accepts nothing from now on: the sending side is about to end the stream after what is queued.
    func beginEnding() {
        state.withLock { $0.finishing = true }
    }

    /// Marks the stream as ended and tells its owner, once.
    package func didClose(_ reason: CloseReason) {
        let action: (@Sendable (CloseReason) -> Void)? = state.withLock { state in
            guard state.closed == nil else { return nil }
            state.closed = reason
            state.queue = EventQueue()
            state.onDrain = nil
            defer { state.onClose = nil }
            return state.onClose
        }
        action?(reason)
    }
}
