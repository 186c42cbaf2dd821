import HTTPServer
import JSONCoding
import ObjectModel
import Synchronization

/// Tells subscription sets apart: those of different callers may have the same name, and know nothing of each other.
struct SubscriptionSetID: Hashable, Comparable, Sendable {
    /// See `Caller.subscriber`.
    let owner: String?
    let name: String

    init(_ owner: String?, _ name: String) {
        self.owner = owner
        self.name = name
    }

    static func < (a: SubscriptionSetID, b: SubscriptionSetID) -> Bool {
        a.name != b.name ? a.name < b.name : a.owner ?? "" < b.owner ?? ""
    }
}

/// The subscriptions of one client session, and its streams.
final class SubscriptionSet: Sendable {
    /// What became of a request for a subscription.
    enum Outcome: Sendable {
        case created
        case updated
        case unchanged
    }

    struct State: Sendable {
        /// In the order of their creation.
        var subscriptions: [Subscription] = []
        var lastID: SubscriptionID = 0
        /// Grows with every change, also over the lives of sets with the same name.
        var revision: UInt64
        var streams: [SetStream] = []
        var lastUse: Timestamp
        /// Whether it was forgotten; a request that still holds it must ask for another.
        var isGone = false
    }

    let id: SubscriptionSetID
    var name: String { id.name }
    private let state: Mutex<State>
    private let largest: Int
    /// On whose account it was made; nil for one that was saved before a restart.
    let account: LimitKey?

    init(_ id: SubscriptionSetID, _ state: State, largest: Int, for account: LimitKey? = nil) {
        self.id = id
        self.account = account
        self.largest = largest
        self.state = Mutex(state)
    }

    /// A copy of what it holds.
    var current: State { state.withLock { $0 } }

    /// Notes that it was used. False when it was forgotten.
    func touch(_ now: Timestamp) -> Bool {
        state.withLock { state in
            state.lastUse = now
            return !state.isGone
        }
    }

    /// Forgets it if it has no stream and was not used since then; true if it is forgotten.
    func expire(unusedSince limit: Timestamp) -> Bool {
        state.withLock { state in
            if state.streams.isEmpty, state.lastUse < limit { state.isGone = true }
            return state.isGone
        }
    }

    /// Adds a subscription, or changes the one of that name; one that asks for the same stays as it is.
    ///
    /// - Parameter name: nil for a subscription that is told apart by its query.
    func put(
        _ name: String?, _ query: SubscriptionQuery, _ key: TopicKey, _ now: Timestamp
    ) throws(Problem) -> (Subscription, Outcome) {
        try state.withLock { state throws(Problem) in
            let index = state.subscriptions.firstIndex { known in
                name == nil ? known.name == nil && known.asksFor(query, key) : known.name.isSame(as: name)
            }
            guard let index else {
                guard state.subscriptions.count < largest else {
                    throw Problem(
                        400, "subscription.too_many",
                        "A set has at most \(largest) subscriptions. Remove some, or use another set.")
                }
                state.lastID += 1
                state.revision.advance(now)
                let made = Subscription(
                    id: state.lastID, name: name, query: query, key: key, createdAt: now, updatedAt: now,
                    revision: state.revision)
                state.subscriptions.append(made)
                for stream in state.streams { stream.add(made, key, since: nil, revision: state.revision) }
                return (made, .created)
            }
            var changed = state.subscriptions[index]
            guard changed.query.className == query.className else {
                throw Problem(
                    409, "subscription.other_class",
                    "The subscription '\(changed.label)' is to \(changed.query.className) and cannot become one to \(query.className). Remove it first, or use another name.",
                    property: "class")
            }
            if changed.asksFor(query, key) {
                // After a fault it is tried again.
                guard case .failed = changed.state else { return (changed, .unchanged) }
            }
            state.revision.advance(now)
            changed.query = query
            changed.key = key
            changed.updatedAt = now
            changed.revision = state.revision
            changed.state = .pending
            state.subscriptions[index] = changed
            for stream in state.streams { stream.add(changed, key, since: nil, revision: state.revision) }
            return (changed, .updated)
        }
    }

    /// Removes subscriptions and gives how many.
    func remove(_ now: Timestamp, where isChosen: @Sendable (Subscription) -> Bool) -> Int {
        state.withLock { state in
            let chosen = state.subscriptions.filter(isChosen)
            guard !chosen.isEmpty else { return 0 }
            state.revision.advance(now)
            state.subscriptions.removeAll(where: isChosen)
            for stream in state.streams {
                for subscription in chosen { stream.remove(subscription, revision: state.revision) }
            }
            return chosen.count
        }
    }

    /// Notes what became of a subscription's first result, unless it asks for something else by now. Gives it as it is
    /// then; nil when it is gone.
    @discardableResult
    func settle(_ id: SubscriptionID, _ revision: UInt64, _ outcome: FirstResult.Outcome) -> Subscription? {
        state.withLock { state in
            guard let index = state.subscriptions.firstIndex(where: { $0.id == id }) else { return nil }
            if state.subscriptions[index].revision == revision {
                switch outcome {
                // A stream may have heard meanwhile that it cannot be observed: then its first result changes nothing.
                case .known:
                    if state.subscriptions[index].state == .pending { state.subscriptions[index].state = .complete }
                case .failed(let ending):
                    state.subscriptions[index].state = .failed(ending.problem ?? .internalError)
                }
            }
            return state.subscriptions[index]
        }
    }

    /// Notes that a subscription cannot be observed any more, unless it asks for something else by now.
    func fail(_ id: SubscriptionID, _ revision: UInt64, _ problem: Problem) {
        state.withLock { state in
            guard let index = state.subscriptions.firstIndex(where: { $0.id == id && $0.revision == revision })
            else { return }
            state.subscriptions[index].state = .failed(problem)
        }
    }

    /// Opens a stream of all its subscriptions.
    ///
    /// - Parameters:
    ///   - position: what the client has heard of, if it comes back.
    ///   - bind: what a query observes under the present schema.
    /// - Returns: the subscriptions that were looked at anew.
    func open(
        _ stream: SetStream, _ position: StreamPosition?, _ now: Timestamp,
        bind: (SubscriptionQuery) -> Result<TopicKey, Problem>
    ) -> [Subscription] {
        state.withLock { state in
            state.streams.append(stream)
            state.lastUse = now
            stream.begin(state.subscriptions, at: position, revision: state.revision)
            var unsettled: [Subscription] = []
            for index in state.subscriptions.indices {
                let known = state.subscriptions[index]
                switch bind(known.query) {
                case .success(let key):
                    state.subscriptions[index].key = key
                    if known.state != .complete {
                        state.subscriptions[index].state = .pending
                        unsettled.append(state.subscriptions[index])
                    }
                    stream.add(known, key, since: position?.version(of: known), revision: state.revision)
                case .failure(let problem):
                    state.subscriptions[index].state = .failed(problem)
                    stream.refuse(known, problem)
                }
            }
            return unsettled
        }
    }

    /// Reads again what a subscription asks for, under the present schema; nil when it is gone.
    func rebind(
        _ id: SubscriptionID, by bind: (SubscriptionQuery) -> Result<TopicKey, Problem>
    ) -> (Subscription, Result<TopicKey, Problem>)? {
        guard let known = current.subscriptions.first(where: { $0.id == id }) else { return nil }
        let outcome = bind(known.query)
        return state.withLock { state in
            guard let index = state.subscriptions.firstIndex(where: { $0.id == id }),
                state.subscriptions[index].revision == known.revision
            else { return nil }
            if case .success(let key) = outcome { state.subscriptions[index].key = key }
            return (state.subscriptions[index], outcome)
        }
    }

    func close(_ stream: SetStream, _ now: Timestamp) {
        state.withLock { state in
            state.streams.removeAll { $0 === stream }
            state.lastUse = now
        }
    }
}

extension Subscription {
    fileprivate func asksFor(_ query: SubscriptionQuery, _ key: TopicKey) -> Bool {
        self.query == query || self.key == key
    }
}

extension String? {
    /// Whether both are the same text, byte by byte.
    func isSame(as other: String?) -> Bool {
        switch (self, other) {
        case (let a?, let b?): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }
}

extension UInt64 {
    /// The next revision: later than this one, and than those that sets of the same name had before.
    fileprivate mutating func advance(_ now: Timestamp) { self = Swift.max(self + 1, .revision(at: now)) }

    /// The first revision of a set that is made then.
    static func revision(at now: Timestamp) -> UInt64 {
        UInt64(Swift.max(now.seconds, 0)) * 1000 + UInt64(Swift.max(now.nanoseconds, 0)) / 1_000_000
    }
}
