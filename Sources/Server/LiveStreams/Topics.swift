package import HTTPServer
package import LiveQueries
package import ObjectCoding
package import ObjectModel
import Synchronization

/// The topics that have members, or are about to have some.
///
/// One thread keeps most results, and all callers share them. A result that costs much to keep would delay the events
/// of everyone: its members move to a branch, where a thread of their caller's keeps it, in turns with other long work.
package final class Topics: Sendable {
    private struct Entry {
        let topic: Topic
        var users: Int
    }

    private struct Branch {
        weak var topics: Topics?
    }

    private struct Branches {
        var ofCallers: [LimitKey: Branch] = [:]
        /// The hashes of keys that were too costly, so that their next members go to a branch at once.
        var costly: Set<Int> = []
    }

    private static let costlyLimit = 4096

    private let context: TopicContext
    private let entries = Mutex<[TopicKey: Entry]>([:])
    private let branches = Mutex(Branches())
    /// Makes the live queries of a caller's branch; nil for a branch.
    private let makeBranch: (@Sendable (LimitKey) throws -> LiveQueries)?

    /// - Parameter branch: makes the live queries of a caller's branch.
    package init(_ context: TopicContext, branch: (@Sendable (LimitKey) throws -> LiveQueries)? = nil) {
        self.context = context
        makeBranch = branch
    }

    /// The number of different topics, in branches as well.
    package var count: Int { all.reduce(0) { sum, topics in sum + topics.entries.withLock { $0.count } } }

    /// The number of results that are kept current, in branches as well.
    package var resultCount: Int { all.reduce(0) { $0 + $1.context.live.resultCount } }

    /// The number of callers with a branch.
    package var branchCount: Int { all.count - 1 }

    /// These topics and those of all branches.
    private var all: [Topics] {
        [self]
            + branches.withLock { branches in
                branches.ofCallers = branches.ofCallers.filter { $0.value.topics != nil }
                return branches.ofCallers.values.compactMap(\.topics)
            }
    }

    /// Waits until everything that was committed or begun before has been delivered. Not from a member.
    package func settle() {
        for topics in all { topics.context.live.settle() }
        // Members that moved meanwhile.
        for topics in all.dropFirst() { topics.context.live.settle() }
    }

    /// Returns these topics, or the caller's branch if the key was too costly before.
    package func topics(for key: TopicKey, of caller: LimitKey) -> Topics {
        guard branches.withLock({ $0.costly.contains(key.hashValue) }) else { return self }
        return (try? branch(of: caller)) ?? self
    }

    /// Returns the branch for a key that turned out to be too costly. Throws when the store is closed.
    package func branch(of caller: LimitKey, for key: TopicKey) throws -> Topics {
        branches.withLock { branches in
            if branches.costly.count >= Self.costlyLimit { branches.costly = [] }
            branches.costly.insert(key.hashValue)
        }
        return try branch(of: caller)
    }

    /// A branch exists for as long as someone has a reference to it.
    private func branch(of caller: LimitKey) throws -> Topics {
        guard let makeBranch else { return self }
        return try branches.withLock { branches in
            if let known = branches.ofCallers[caller]?.topics { return known }
            var context = context
            context.live = try makeBranch(caller)
            let made = Topics(context)
            branches.ofCallers[caller] = Branch(topics: made)
            return made
        }
    }

    /// Observes the data of a key, without a topic. See `TopicObservation`.
    func observe(
        _ key: TopicKey, since version: Version?, deliver: @escaping @Sendable (TopicEvent) -> Void
    ) -> TopicObservation {
        TopicObservation(key, context.live, since: version, deliver: deliver)
    }

    /// See `LiveQueries.whenDelivered`.
    package func whenDelivered(_ version: Version, _ action: @escaping @Sendable () -> Void) {
        context.live.whenDelivered(version, action)
    }

    /// See `TopicContext.mark`.
    package func mark(of version: Version) -> Mark? { context.mark(version) }

    /// The latest state of the store; nil if it is closed.
    package var newest: Mark? { try? context.newest() }

    /// Converts an error to a problem.
    package func problem(of error: any Error) -> Problem { context.problem(error) }

    /// Returns the topic for one more user, who must call `release`.
    package func topic(for key: TopicKey) -> Topic {
        entries.withLock { entries in
            var entry = entries[key] ?? Entry(topic: Topic(key, context), users: 0)
            entry.users += 1
            entries[key] = entry
            return entry.topic
        }
    }

    /// Releases a topic. With its last user it ends, and its observation with it.
    package func release(_ topic: Topic) {
        let removed = entries.withLock { entries -> Entry? in
            entries[topic.key]?.users -= 1
            return entries[topic.key]?.users == 0 ? entries.removeValue(forKey: topic.key) : nil
        }
        _ = removed
    }
}
