import LiveQueries
import ObjectModel
import Synchronization

/// The topics that have members, or are about to have some.
final class Topics: Sendable {
    private struct Entry {
        let topic: Topic
        var users: Int
    }

    private let context: TopicContext
    private let entries = Mutex<[TopicKey: Entry]>([:])

    init(_ context: TopicContext) { self.context = context }

    /// The number of different topics.
    var count: Int { entries.withLock { $0.count } }

    /// See `LiveQueries.whenDelivered`.
    func whenDelivered(_ version: Version, _ action: @escaping @Sendable () -> Void) {
        context.live.whenDelivered(version, action)
    }

    /// See `TopicContext.mark`.
    func mark(of version: Version) -> Mark? { context.mark(version) }

    /// Returns the topic for one more user, who must call `release`.
    func topic(for key: TopicKey) -> Topic {
        entries.withLock { entries in
            var entry = entries[key] ?? Entry(topic: Topic(key, context), users: 0)
            entry.users += 1
            entries[key] = entry
            return entry.topic
        }
    }

    /// Releases a topic. With its last user it ends, and its observation with it.
    func release(_ topic: Topic) {
        let gone = entries.withLock { entries -> Entry? in
            entries[topic.key]?.users -= 1
            return entries[topic.key]?.users == 0 ? entries.removeValue(forKey: topic.key) : nil
        }
        _ = gone
    }
}
