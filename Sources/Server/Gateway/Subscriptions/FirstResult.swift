import Dispatch
import HTTPServer
import ObjectModel
import Synchronization

/// Waits for a topic's next event: by then, everything committed before has been sent to the topic's earlier members.
final class FirstResult: TopicMember {
    enum Outcome: Sendable {
        case known
        case failed(Ending)
    }

    private let topic: Topic
    private let topics: Topics
    let caller: LimitKey
    private let action: Mutex<(@Sendable (Outcome) -> Void)?>

    private init(
        _ topic: Topic, _ topics: Topics, _ caller: LimitKey, _ action: @escaping @Sendable (Outcome) -> Void
    ) {
        self.topic = topic
        self.topics = topics
        self.caller = caller
        self.action = Mutex(action)
    }

    /// Calls `action` once, on the live queries' thread.
    ///
    /// - Parameter version: a known version since which the result need not be sent again.
    static func await(
        _ key: TopicKey, _ topics: Topics, for caller: LimitKey, since version: Version? = nil,
        _ action: @escaping @Sendable (Outcome) -> Void
    ) {
        let topic = topics.topic(for: key)
        topic.join(FirstResult(topic, topics, caller, action), since: version)
    }

    var plainStream: EventStream? { nil }

    func take(_ event: EncodedEvent) -> EventStream.SendResult {
        finish(.known)
        return .closed
    }

    func isAt(_ version: Version) { finish(.known) }
    func fallBehind(since version: Version?) {}
    /// The streams begin again on their own.
    func restart() { finish(.known) }
    func end(with ending: Ending) { finish(.failed(ending)) }

    private func finish(_ outcome: Outcome) {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        guard let action else { return }
        topic.leave(self)
        topics.release(topic)
        action(outcome)
    }
}
