import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import Synchronization
import WireProtocol

/// Identifies a subscription set: those of different callers may have the same name, and are independent.
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
    /// The result of a request for a subscription.
    enum Outcome: Sendable {
        case created
        case updated
        case unchanged
    }

    struct State: Sendable {
        /// In the order of their creation.
        var subscriptions: [Subscription] = []
        var lastID: SubscriptionID = 0
        /// Increases with every change, also across deleted sets with the same name.
        var revision: UInt64
        var streams: [SetStream] = []
        var lastUse: Timestamp
        /// Whether it was deleted; a request that still refers to it must get another one.
        var isGone = false
    }

    let id: SubscriptionSetID
    var name: String { id.name }
    private let state: Mutex<State>
    private let largest: Int
    /// The account of the caller that created it; nil for one loaded after a restart.
    let account: LimitKey?

    init(_ id: SubscriptionSetID, _ state: State, largest: Int, for account: LimitKey? = nil) {
        self.id = id
        self.account = account
        self.largest = largest
        self.state = Mutex(state)
    }

    /// A copy of the state.
    var current: State { state.withLock { $0 } }

    /// Records a use. Returns false if the set was deleted.
    func touch(_ now: Timestamp) -> Bool {
        state.withLock { state in
            state.lastUse = now
            return !state.isGone
        }
    }

    /// Deletes the set if it has no stream and was not used since `limit`; returns true if it is deleted.
    func expire(unusedSince limit: Timestamp) -> Bool {
        state.withLock { state in
            if state.streams.isEmpty, state.lastUse < limit { state.isGone = true }
            return state.isGone
        }
    }

    /// Adds a subscription, or changes the one with that name; one with the same query is not changed.
    ///
    /// - Parameter name: nil for a subscription that is identified by its query.
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
                        .subscriptionTooMany,
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
                    .subscriptionOtherClass,
                    "The subscription '\(changed.label)' is to \(changed.query.className) and cannot become one to \(query.className). Remove it first, or use another name.",
                    property: "class")
            }
            if changed.asksFor(query, key) {
                // A failed subscription is tried again.
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

    /// Removes subscriptions and returns their number.
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

    /// Records the outcome of a subscription's first result, unless it has another query by now. Returns its present
    /// state; nil if it was deleted.
    @discardableResult
    func settle(_ id: SubscriptionID, _ revision: UInt64, _ outcome: FirstResult.Outcome) -> Subscription? {
        state.withLock { state in
            guard let index = state.subscriptions.firstIndex(where: { $0.id == id }) else { return nil }
            if state.subscriptions[index].revision == revision {
                switch outcome {
                // A stream may have reported meanwhile that it cannot be observed: then its first result changes
                // nothing.
                case .known:
                    if state.subscriptions[index].state == .pending { state.subscriptions[index].state = .complete }
                case .failed(let ending):
                    state.subscriptions[index].state = .failed(ending.problem ?? .internalError)
                }
            }
            return state.subscriptions[index]
        }
    }

    /// Records that a subscription can no longer be observed, unless it has another query by now.
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
    ///   - position: what a reconnecting client has received.
    ///   - bind: returns what a query observes under the present schema.
    /// - Returns: the subscriptions that were parsed again.
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

    /// Parses a subscription's query again, under the present schema; nil if it was deleted.
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

    /// Makes each open stream send a barrier once it has sent everything up to this state. Returns the number of open
    /// streams. Throws 429 if too many barriers already wait on a stream.
    func requestBarrier(_ token: BarrierToken, at mark: Mark) throws(Problem) -> Int {
        try state.withLock { state throws(Problem) in
            for stream in state.streams where !stream.requestBarrier(token, at: mark) {
                throw Problem(
                    .subscriptionTooManyBarriers,
                    "A stream of the set already waits for the maximum number of barriers. Wait until some of them have arrived."
                )
            }
            return state.streams.count
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
    /// Compares two strings byte by byte.
    func isSame(as other: String?) -> Bool {
        switch (self, other) {
        case (let a?, let b?): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }
}

extension UInt64 {
    /// The next revision: higher than this one, and than those of earlier sets with the same name.
    fileprivate mutating func advance(_ now: Timestamp) { self = Swift.max(self + 1, .revision(at: now)) }

    /// Returns the first revision of a set that is created at that time.
    static func revision(at now: Timestamp) -> UInt64 {
        UInt64(Swift.max(now.seconds, 0)) * 1000 + UInt64(Swift.max(now.nanoseconds, 0)) / 1_000_000
    }
}
