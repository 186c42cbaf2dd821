package import HTTPServer
package import ObjectModel
import Synchronization

/// One client's stream of a topic's events.
///
/// The queue of a client that reads too slowly is limited: when its stream is full, events are skipped until the queue
/// has drained. Then it joins the topic again from its last version, and receives the difference since then in one
/// event, or everything again.
package final class StreamSubscription: TopicMember, CostedStream {
    /// Parses the client's request again, under the present schema: returns the topic key, or why there is nothing to
    /// observe.
    package typealias Binding = @Sendable () -> Result<TopicKey, Ending>

    private struct State {
        var topics: Topics
        var topic: Topic
        /// The version at which events were skipped.
        var since: Version?
        var isBehind = false
        /// The rest of a large event.
        var rest: Delivery?
        var isOver = false
    }

    private let stream: EventStream
    private let shared: Topics
    package let caller: LimitKey
    private let bind: Binding
    private let state: Mutex<State>

    private init(
        _ stream: EventStream, _ shared: Topics, _ key: TopicKey, _ caller: LimitKey, _ bind: @escaping Binding
    ) {
        self.stream = stream
        self.shared = shared
        self.caller = caller
        self.bind = bind
        let topics = shared.topics(for: key, of: caller)
        state = Mutex(State(topics: topics, topic: topics.topic(for: key)))
    }

    /// Sends events from now on until the stream ends.
    ///
    /// - Parameters:
    ///   - caller: the caller for whose account large beginnings are encoded.
    ///   - version: the version that a reconnecting client knows.
    ///   - bind: called when the schema was replaced.
    /// - Returns: what sends them, which exists as long as the stream.
    package static func begin(
        _ key: TopicKey, _ topics: Topics, _ stream: EventStream, for caller: LimitKey, since version: Version?,
        bind: @escaping Binding
    ) -> StreamSubscription {
        let subscription = StreamSubscription(stream, topics, key, caller, bind)
        stream.send(.retry, isEvent: false)
        // The stream releases this when it ends.
        stream.onDrain { subscription.catchUp() }
        subscription.state.withLock { $0.topic }.join(subscription, since: version)
        // The stream retains the subscription until then.
        stream.onClose { _ in subscription.leave() }
        return subscription
    }

    package var cost: StreamCost { state.withLock { $0.topic }.cost }

    package var plainStream: EventStream? { stream }

    package func receive(_ event: EncodedEvent) -> EventStream.SendResult { stream.send(event.bytes) }

    package func isAt(_ version: Version) {}

    package func findsRoom() -> Bool { stream.findsRoom() }

    package func fallBehind(since version: Version?) { fallBehind(since: version, nil) }
    package func fallBehind(in delivery: Delivery) { fallBehind(since: nil, delivery) }

    private func fallBehind(since version: Version?, _ rest: Delivery?) {
        state.withLock { state in
            state.since = version
            state.rest = rest
            state.isBehind = true
        }
        // The queue may have drained before this was recorded.
        if !stream.isCongested { catchUp() }
    }

    package func restart() {
        switch bind() {
        case .failure(let ending): end(with: ending)
        case .success(let key): proceed(with: key, at: shared.topics(for: key, of: caller), since: nil)
        }
    }

    package func move(since version: Version?) {
        let key = state.withLock { $0.topic.key }
        do {
            proceed(with: key, at: try shared.branch(of: caller, for: key), since: version)
        } catch {
            end(with: .error(shared.problem(of: error)))
        }
    }

    private func proceed(with key: TopicKey, at topics: Topics, since version: Version?) {
        let next = topics.topic(for: key)
        let last: (topics: Topics, topic: Topic)? = state.withLock { state in
            guard !state.isOver else { return nil }
            defer { (state.topics, state.topic) = (topics, next) }
            return (state.topics, state.topic)
        }
        guard let last else { return topics.release(next) }
        last.topic.leave(self)
        last.topics.release(last.topic)
        next.join(self, since: version)
    }

    package func end(with ending: Ending) {
        stream.send(ending.event.bytes)
        stream.close()
    }

    private func leave() {
        let (topics, topic) = state.withLock { state in
            state.isOver = true
            return (state.topics, state.topic)
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
        if let rest = late.rest { return late.topic.proceed(rest, with: self) }
        late.topic.join(self, since: late.since)
    }
}
