import LiveStreams
import ObjectCoding
import ObjectModel
import WireProtocol

/// What a subscription set is: the part that is saved.
struct SetContent: Sendable {
    /// In the order of their creation. Their states and keys are those of this gateway, and are not saved.
    var subscriptions: [Subscription] = []
    var lastID: SubscriptionID = 0
    /// Increases with every change, also across deleted sets with the same name.
    var revision: UInt64

    /// The gateways that have streams of a shared set, in the order in which they opened one. One that was killed stays.
    private(set) var holders: [String] = []
    /// The last barriers that gateways have requested of others.
    var barriers: [SharedBarrier] = []
    /// Increases now and then while the set is in use, so that other gateways see that it is.
    var uses = 0

    /// The number of barriers that a set keeps for the gateways with streams.
    private static let barrierLimit = 16
    /// The number of gateways with streams that a set keeps: those that were killed do not add up for ever.
    private static let holderLimit = 32

    init(revision: UInt64) { self.revision = revision }

    /// Whether it must be saved in place of the other.
    func differs(from other: SetContent) -> Bool {
        revision != other.revision || holders != other.holders || uses != other.uses || barriers != other.barriers
    }

    /// See `SubscriptionSet.put`.
    mutating func put(
        _ name: String?, _ query: SubscriptionQuery, _ key: TopicKey, _ now: Timestamp, largest: Int
    ) throws(Problem) -> (Subscription, SubscriptionSet.Outcome) {
        let index = subscriptions.firstIndex { known in
            name == nil ? known.name == nil && known.asksFor(query, key) : known.name.isSame(as: name)
        }
        guard let index else {
            guard subscriptions.count < largest else {
                throw Problem(
                    .subscriptionTooMany,
                    "A set has at most \(largest) subscriptions. Remove some, or use another set.")
            }
            lastID += 1
            revision.advance(now)
            let made = Subscription(
                id: lastID, name: name, query: query, key: key, createdAt: now, updatedAt: now, revision: revision)
            subscriptions.append(made)
            return (made, .created)
        }
        var changed = subscriptions[index]
        guard changed.query.className == query.className else {
            throw Problem(
                .subscriptionOtherClass,
                "The subscription '\(changed.label)' is to \(changed.query.className) and cannot become one to \(query.className). Remove it first, or use another name.",
                property: "class")
        }
        if changed.asksFor(query, key) {
            // A failed subscription is tried again.
            guard case .failed = changed.state else { return (changed, .unchanged) }
        }
        revision.advance(now)
        changed.query = query
        changed.key = key
        changed.updatedAt = now
        changed.revision = revision
        changed.state = .pending
        subscriptions[index] = changed
        return (changed, .updated)
    }

    /// Removes subscriptions and returns their number.
    mutating func remove(_ now: Timestamp, where isChosen: (Subscription) -> Bool) -> Int {
        let count = subscriptions.count
        let kept = subscriptions.filter { !isChosen($0) }
        guard kept.count < count else { return 0 }
        revision.advance(now)
        subscriptions = kept
        return count - kept.count
    }

    /// Adds a gateway that has streams. Beyond the limit the first one goes, and ends its streams if it still runs.
    mutating func add(holder: String) {
        guard !holders.contains(holder) else { return }
        holders.append(holder)
        holders.removeFirst(max(holders.count - Self.holderLimit, 0))
    }

    mutating func remove(holder: String) { holders.removeAll { $0 == holder } }

    /// Has the gateways with streams send a barrier. A repeated request moves it to the later state.
    mutating func request(_ token: BarrierToken, at mark: Mark) {
        let number = (barriers.map(\.number).max() ?? 0) + 1
        barriers.removeAll { $0.token == token }
        barriers.append(SharedBarrier(number: number, token: token, mark: mark))
        barriers.removeFirst(max(barriers.count - Self.barrierLimit, 0))
    }
}

/// A barrier that one gateway has requested of others.
struct SharedBarrier: Hashable, Sendable {
    /// Rises in a set.
    let number: Int
    let token: BarrierToken
    let mark: Mark
}

extension Subscription {
    fileprivate func asksFor(_ query: SubscriptionQuery, _ key: TopicKey) -> Bool {
        self.query == query || self.key == key
    }
}
