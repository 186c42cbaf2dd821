package import HTTPMessages
import Synchronization

/// One subscriber's stream of events. Any thread can send to it.
///
/// The queue between the producer and the socket is bounded: when it is full, `send` rejects events and the producer
/// coalesces until `onDrain`. Accepted events arrive in order and complete, or the stream ends.
///
/// An idle stream costs this process about 320 bytes, without its owner's closures: this object (144), its entry among
/// the sockets of its loop (96, and as much again while that table has spare capacity), and malloc's overhead. Waiting
/// events are shared; each costs a stream one reference, the first of them no allocation.
package final class EventStream: Sendable {
    package enum SendResult: Sendable, Equatable {
        /// Accepted; it will be sent, or the stream will close.
        case queued
        /// Not accepted: more bytes than the limit wait for the client. Coalesce and wait for `onDrain`.
        case full
        /// Not accepted: the stream has ended.
        case closed
    }

    package enum CloseReason: Sendable, Equatable {
        /// The owner called `close`.
        case finished
        /// The client disconnected.
        case clientLeft
        /// The client read nothing for longer than the configured time.
        case stuck
        /// The server is stopping.
        case serverStopping
    }

    /// What a stream has carried so far.
    package struct Traffic: Sendable, Equatable {
        /// The accepted events; an event in parts counts as one for each part, and heartbeats do not count.
        package var events: Int
        /// The accepted bytes that the kernel has, without the response head and the framing.
        package var sentBytes: Int
        /// The accepted bytes that wait for the client.
        package var waitingBytes: Int
        /// When the last event was accepted, in monotonic nanoseconds; nil for none.
        package var lastEvent: Int64?

        package init(events: Int = 0, sentBytes: Int = 0, waitingBytes: Int = 0, lastEvent: Int64? = nil) {
            self.events = events
            self.sentBytes = sentBytes
            self.waitingBytes = waitingBytes
            self.lastEvent = lastEvent
        }
    }

    /// Notifies the sending side.
    enum Waker: Sendable {
        case loop(LoopInbox, stream: UInt64)
        case action(@Sendable () -> Void)
    }

    private struct State {
        var queue = EventQueue()
        /// Bytes accepted but not yet accepted by the kernel.
        var pendingBytes = 0
        var finishing = false
        var closed: CloseReason?
        var refused = false
        /// Whether the sending side was notified and has not looked yet.
        var isAwaited = false
        /// The accepted events; behind the flags, so that it needs no memory of its own.
        var events: UInt32 = 0
        var acceptedBytes = 0
        /// When the last event was accepted, in monotonic nanoseconds.
        var lastEvent: Int64 = 0
        var onClose: (@Sendable (CloseReason) -> Void)?
        var onDrain: (@Sendable () -> Void)?

        /// Returns true if the caller must wake the sending side.
        mutating func takeWake() -> Bool {
            defer { isAwaited = true }
            return !isAwaited
        }
    }

    private let state: Mutex<State>
    /// The number of queued bytes at which `send` starts to reject. Below it, one event of any size is accepted.
    package let limit: Int
    let waker: Waker

    /// Creates a stream without a socket; its owner acts as the sending side.
    ///
    /// - Parameters:
    ///   - limit: the number of queued bytes at which `send` rejects.
    ///   - wake: called when there are events or the stream ends; at most once until `takeQueued` is called.
    package init(limit: Int, wake: @escaping @Sendable () -> Void = {}) {
        self.limit = limit
        waker = .action(wake)
        state = Mutex(State())
    }

    /// Creates a stream of a loop, which checks it first without being notified.
    init(limit: Int, inbox: LoopInbox, id: UInt64) {
        self.limit = limit
        waker = .loop(inbox, stream: id)
        var state = State()
        state.isAwaited = true
        self.state = Mutex(state)
    }

    /// Sends an event. Never blocks. Cost: a lock and, for the first event since the loop last looked, one post to the
    /// loop. For many streams at once use ``EventStreamGroup``.
    ///
    /// - Parameter isEvent: false for bytes that are none, or only its beginning.
    @discardableResult
    package func send(_ event: SharedBytes, isEvent: Bool = true) -> SendResult {
        let (result, mustWake) = enqueue(event, at: isEvent ? monotonicNanoseconds() : nil)
        if mustWake { wake() }
        return result
    }

    /// Sends an event in two parts, for events whose beginning differs between streams.
    package func send(_ start: SharedBytes, _ rest: SharedBytes) -> SendResult {
        let (result, mustWake) = enqueue(start, rest, at: monotonicNanoseconds())
        if mustWake { wake() }
        return result
    }

    /// Returns whether an event would be accepted, or rejected because the stream has ended. Otherwise `onDrain`
    /// follows.
    package func findsRoom() -> Bool {
        state.withLock { state in
            guard state.closed == nil, !state.finishing, state.pendingBytes >= limit else { return true }
            state.refused = true
            return false
        }
    }

    /// Queues an event as `send` does, but tells the caller whether to wake the sending side.
    ///
    /// - Parameter now: the time in monotonic nanoseconds; nil for what does not count as an event.
    func enqueue(
        _ event: SharedBytes, _ rest: SharedBytes? = nil, at now: Int64?
    ) -> (result: SendResult, mustWake: Bool) {
        state.withLock { state in
            guard state.closed == nil, !state.finishing else { return (.closed, false) }
            guard state.pendingBytes < limit else {
                state.refused = true
                return (.full, false)
            }
            let bytes = event.count + (rest?.count ?? 0)
            if event.count > 0 { state.queue.append(event) }
            if let rest, rest.count > 0 { state.queue.append(rest) }
            state.pendingBytes += bytes
            state.acceptedBytes += bytes
            if let now {
                state.events &+= 1
                state.lastEvent = now
            }
            return (.queued, state.takeWake())
        }
    }

    /// Ends the stream after the queued events have been sent.
    package func close() {
        let mustWake = state.withLock { state in
            guard state.closed == nil, !state.finishing else { return false }
            state.finishing = true
            return state.takeWake()
        }
        if mustWake { wake() }
    }

    /// The accepted bytes that wait for the client.
    var waitingBytes: Int { state.withLock { $0.pendingBytes } }

    /// What the stream has carried so far.
    package var traffic: Traffic {
        state.withLock { state in
            Traffic(
                events: Int(state.events), sentBytes: state.acceptedBytes - state.pendingBytes,
                waitingBytes: state.pendingBytes, lastEvent: state.events > 0 ? state.lastEvent : nil)
        }
    }

    /// Whether more bytes than the limit wait for the client.
    package var isCongested: Bool { state.withLock { $0.pendingBytes >= limit } }

    package var isClosed: Bool { state.withLock { $0.closed != nil || $0.finishing } }

    /// Calls `action` once, on the loop's thread, when the stream has ended for any reason; at once, on this thread, if
    /// it has ended already. Actions are called in the order of registration.
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

    /// Calls `action` on the loop's thread each time the queue shrinks to half the limit after `send` rejected an
    /// event. Replaces the previous action.
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

// The sending side; tests without a socket use it directly.
extension EventStream {
    /// Takes the events queued since the last call, and whether the stream ends after them.
    package func takeQueued() -> (events: EventQueue, finishing: Bool) {
        state.withLock { state in
            state.isAwaited = false
            guard !state.queue.isEmpty else { return (EventQueue(), state.finishing) }
            defer { state.queue = EventQueue() }
            return (state.queue, state.finishing)
        }
    }

    /// Reports bytes as accepted by the kernel; may call the drain action.
    package func didSend(_ byteCount: Int) {
        let drained: (@Sendable () -> Void)? = state.withLock { state in
            state.pendingBytes -= byteCount
            guard state.refused, state.pendingBytes <= limit / 2, state.closed == nil else { return nil }
            state.refused = false
            return state.onDrain
        }
        drained?()
    }

    /// Rejects all further events: the sending side is about to end the stream after the queued ones.
    func beginEnding() {
        state.withLock { $0.finishing = true }
    }

    /// Marks the stream as ended and notifies its owner, once.
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
