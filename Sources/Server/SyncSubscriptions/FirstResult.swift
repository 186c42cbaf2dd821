package import HTTPServer
package import LiveStreams
package import ObjectModel
import Synchronization

/// Waits for a topic's next event: by then, everything committed before has been sent to the topic's earlier members.
package final class FirstResult: TopicMember {
    package enum Outcome: Sendable {
        case known
        case failed(Ending)
    }

    private let topic: Topic
    private let topics: Topics
    private let shared: Topics
    package let caller: LimitKey
    private let action: Mutex<(@Sendable (Outcome) -> Void)?>

    private init(
        _ topic: Topic, _ topics: Topics, _ shared: Topics, _ caller: LimitKey,
        _ action: @escaping @Sendable (Outcome) -> Void
    ) {
        self.topic = topic
        self.topics = topics
        self.shared = shared
        self.caller = caller
        self.action = Mutex(action)
    }

    /// Calls `action` once, on the live queries' thread.
    ///
    /// - Parameters:
    ///   - topics: where the topic's earlier members are, if there are some; nil for where new ones go.
    ///   - version: a known version since which the result need not be sent again.
    package static func await(
        _ key: TopicKey, _ shared: Topics, at topics: Topics? = nil, for caller: LimitKey,
        since version: Version? = nil, _ action: @escaping @Sendable (Outcome) -> Void
    ) {
        let topics = topics ?? shared.topics(for: key, of: caller)
        let topic = topics.topic(for: key)
        topic.join(FirstResult(topic, topics, shared, caller, action), since: version)
    }

    package var plainStream: EventStream? { nil }
    package var waitsForOthers: Bool { true }

    package func receive(_ event: EncodedEvent) -> EventStream.SendResult {
        finish(.known)
        return .closed
    }

    package func isAt(_ version: Version) { finish(.known) }
    package func fallBehind(since version: Version?) {}
    /// The streams begin again on their own.
    package func restart() { finish(.known) }
    package func end(with ending: Ending) { finish(.failed(ending)) }

    package func move(since version: Version?) {
        guard let action = leave() else { return }
        do {
            let branch = try shared.branch(of: caller, for: topic.key)
            Self.await(topic.key, shared, at: branch, for: caller, since: version, action)
        } catch {
            action(.failed(.error(shared.problem(of: error))))
        }
    }

    private func finish(_ outcome: Outcome) { leave()?(outcome) }

    /// Leaves the topic. Returns the action, unless it was called or handed on.
    private func leave() -> (@Sendable (Outcome) -> Void)? {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        guard let action else { return nil }
        topic.leave(self)
        topics.release(topic)
        return action
    }
}
