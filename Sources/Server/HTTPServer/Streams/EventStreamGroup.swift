package import HTTPMessages
import Synchronization

/// Streams that receive the same events, such as all clients of one query.
///
/// Sending to a group has the same effect as sending to each of its streams, in order with events sent to them
/// individually, but wakes each loop once instead of once per stream. Cost of `send`: about 100 ns per stream on the
/// caller's thread; the loops do the rest, a bounded part at a time. Ended streams are removed at the next event. In a
/// group without events they stay until `leave`, so call that when a stream has ended. Memory: eight bytes per stream.
package final class EventStreamGroup: Sendable {
    private struct State {
        var streams: [EventStream] = []
        /// The number of these that are known to have ended.
        var ended = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of streams in the group, including some that may have ended.
    package var count: Int { state.withLock { $0.streams.count } }

    /// Adds a stream, which receives all events from the next `send` on. A stream may be in any number of groups, but
    /// must not be added twice to one.
    package func join(_ stream: EventStream) {
        state.withLock { $0.streams.append(stream) }
    }

    /// Removes a stream; events sent before still arrive. Cost: constant on average for an ended stream, otherwise
    /// proportional to the group.
    package func leave(_ stream: EventStream) {
        state.withLock { state in
            guard stream.isClosed else {
                if let index = state.streams.firstIndex(where: { $0 === stream }) {
                    state.streams.swapAt(index, state.streams.count - 1)
                    state.streams.removeLast()
                }
                return
            }
            state.ended += 1
            guard state.ended * 2 >= state.streams.count else { return }
            state.streams.removeAll { $0.isClosed }
            state.ended = 0
        }
    }

    /// Sends an event to all streams. Never blocks.
    ///
    /// - Returns: the streams that rejected it because more bytes than their limit wait for the client. They have been
    ///   removed from the group, so that none gets an event after a missed one: bring them up to date after `onDrain`,
    ///   which follows for each of them, and add them again.
    @discardableResult
    package func send(_ event: SharedBytes) -> [EventStream] {
        let now = monotonicNanoseconds()
        let (behind, wakes) = state.withLock { state in
            var behind: [EventStream] = []
            var wakes = Wakes(streamCount: state.streams.count)
            var hasLeavers = false
            for stream in state.streams {
                let (result, mustWake) = stream.enqueue(event, at: now)
                switch result {
                case .queued: if mustWake { wakes.add(stream) }
                case .full: behind.append(stream)
                case .closed: hasLeavers = true
                }
            }
            if hasLeavers || !behind.isEmpty {
                let left = Set(behind.map(ObjectIdentifier.init))
                state.streams.removeAll { left.contains(ObjectIdentifier($0)) || (hasLeavers && $0.isClosed) }
                if hasLeavers { state.ended = 0 }
            }
            return (behind, wakes)
        }
        wakes.post()
        return behind
    }
}

/// Streams with events, by the loop that must be notified.
private struct Wakes {
    private var loops: [(inbox: LoopInbox, streams: [UInt64])] = []
    private var actions: [@Sendable () -> Void] = []
    private let streamCount: Int

    init(streamCount: Int) { self.streamCount = streamCount }

    mutating func add(_ stream: EventStream) {
        switch stream.waker {
        case .action(let action): actions.append(action)
        case .loop(let inbox, let id):
            for index in loops.indices where loops[index].inbox === inbox {
                loops[index].streams.append(id)
                return
            }
            var streams: [UInt64] = []
            streams.reserveCapacity(loops.isEmpty ? streamCount : loops[0].streams.capacity)
            streams.append(id)
            loops.append((inbox, streams))
        }
    }

    func post() {
        for (inbox, streams) in loops { inbox.post(streams: streams) }
        for action in actions { action() }
    }
}
