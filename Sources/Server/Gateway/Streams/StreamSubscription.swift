import HTTPServer
import ObjectModel
import Synchronization

/// One client's stream of one topic's events.
///
/// A client that reads too slowly is not queued for without end: when its stream is full, events are left out until it
/// has drained, and then it joins the topic again from the version that it was left at: it is told the difference
/// since then in one, or everything anew.
final class StreamSubscription: TopicMember {
    /// Reads again what the client asked for, under the present schema: what is to be observed, or why there is nothing.
    typealias Binding = @Sendable () -> Result<TopicKey, Ending>

    private struct State {
        var topic: Topic
        /// Where it was left.
        var since: Version?
        var isBehind = false
        /// What is left of a large event.
        var rest: Delivery?
        var isOver = false
    }

    private let stream: EventStream
    private let topics: Topics
    let caller: LimitKey
    private let bind: Binding
    private let state: Mutex<State>

    private init(
        _ stream: EventStream, _ topic: Topic, _ topics: Topics, _ caller: LimitKey, _ bind: @escaping Binding
    ) {
        self.stream = stream
        self.topics = topics
        self.caller = caller
        self.bind = bind
        state = Mutex(State(topic: topic))
    }

    /// Sends events from now on until the stream ends.
    ///
    /// - Parameters:
    ///   - caller: for whom large beginnings are written.
    ///   - version: what the client has heard of, if it comes back.
    ///   - bind: asked when the schema was replaced.
    static func begin(
        _ key: TopicKey, _ topics: Topics, _ stream: EventStream, for caller: LimitKey, since version: Version?,
        bind: @escaping Binding
    ) {
        let topic = topics.topic(for: key)
        let subscription = StreamSubscription(stream, topic, topics, caller, bind)
        stream.send(.retry)
        // The stream drops this when it ends.
        stream.onDrain { subscription.catchUp() }
        topic.join(subscription, since: version)
        // The stream holds the subscription until then.
        stream.onClose { _ in subscription.leave() }
    }

    var plainStream: EventStream? { stream }

    func take(_ event: EncodedEvent) -> EventStream.SendResult { stream.send(event.bytes) }

    func isAt(_ version: Version) {}

    func findsRoom() -> Bool { stream.findsRoom() }

    func fallBehind(since version: Version?) { fallBehind(since: version, nil) }
    func fallBehind(in delivery: Delivery) { fallBehind(since: nil, delivery) }

    private func fallBehind(since version: Version?, _ rest: Delivery?) {
        state.withLock { state in
            state.since = version
            state.rest = rest
            state.isBehind = true
        }
        // It may have drained before it was marked.
        if !stream.isCongested { catchUp() }
    }

    func beginAnew() {
        switch bind() {
        case .failure(let ending): end(with: ending)
        case .success(let key):
            let next = topics.topic(for: key)
            let last: Topic? = state.withLock { state in
                guard !state.isOver else { return nil }
                defer { state.topic = next }
                return state.topic
            }
            guard let last else { return topics.release(next) }
            last.leave(self)
            topics.release(last)
            next.join(self, since: nil)
        }
    }

    func end(with ending: Ending) {
        stream.send(ending.event.bytes)
        stream.close()
    }

    private func leave() {
        let topic = state.withLock { state in
            state.isOver = true
            return state.topic
        }
        topic.leave(self)
        topics.release(topic)
    }

    private func catchUp() {
        let late: (topic: Topic, since: Version?, rest: Delivery?)? = state.withLock { state in
            guard state.isBehind else { return nil }
            state.isBehind = false
            defer { state.rest = nil }
            return (state.topic, state.since, state.rest)
        }
        guard let late, !stream.isClosed else { return }
        if let rest = late.rest { return late.topic.goOn(rest, with: self) }
        late.topic.join(self, since: late.since)
    }
}
