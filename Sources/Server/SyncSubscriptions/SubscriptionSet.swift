import HTTPProblems
import HTTPServer
package import LiveStreams
package import ObjectCoding
package import ObjectModel
import Synchronization
package import WireProtocol

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
package final class SubscriptionSet: Sendable {
    /// The result of a request for a subscription.
    package enum Outcome: Sendable {
        case created
        case updated
        case unchanged
    }

    struct State: Sendable {
        var content: SetContent
        var streams: [SetStream] = []
        var lastUse: Timestamp
        /// Whether it was deleted; a request that still refers to it must get another one.
        var isGone = false
        /// The revision of the record that has the content; nil while there is none.
        var recordRevision: Int64?
        /// The number of the last barrier of another gateway that was requested of the streams.
        var heardBarrier = 0
        /// Whether the set was used since the other gateways were told that it is in use.
        var owesUse = false

        var subscriptions: [Subscription] { content.subscriptions }
        var lastID: SubscriptionID { content.lastID }
        var revision: UInt64 { content.revision }
    }

    let id: SubscriptionSetID
    package var name: String { id.name }

    package var subscriptions: [Subscription] { current.subscriptions }

    /// Whether other gateways have the set, too.
    package var isShared: Bool { record != nil }
    private let state: Mutex<State>
    private let largest: Int
    /// The account of the caller that created it; nil for one loaded after a restart.
    let account: LimitKey?
    /// The record that all gateways have of the set; nil for a set of this gateway.
    let record: SetRecord?

    init(
        _ id: SubscriptionSetID, _ content: SetContent, lastUse: Timestamp, largest: Int, for account: LimitKey? = nil,
        in record: SetRecord? = nil
    ) {
        self.id = id
        self.account = account
        self.largest = largest
        self.record = record
        state = Mutex(State(content: content, lastUse: lastUse))
    }

    /// A copy of the state.
    var current: State { state.withLock { $0 } }

    func withState<R: Sendable>(_ body: (inout State) -> R) -> R { state.withLock { body(&$0) } }

    /// Records a use. Returns false if the set was deleted.
    func touch(_ now: Timestamp) -> Bool {
        state.withLock { state in
            state.lastUse = now
            state.owesUse = true
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
    package func put(
        _ name: String?, _ query: SubscriptionQuery, _ key: TopicKey, _ now: Timestamp
    ) throws -> (Subscription, Outcome) {
        try change { content in try content.put(name, query, key, now, largest: largest) }
    }

    /// Removes subscriptions and returns their number.
    package func remove(_ now: Timestamp, where isChosen: (Subscription) -> Bool) throws -> Int {
        try change { $0.remove(now, where: isChosen) }
    }

    /// Changes the content, of a shared set for all gateways. Throws the errors of `edit`, and of the log.
    func change<R: Sendable>(_ edit: (inout SetContent) throws -> R) throws -> R {
        guard let record else {
            return try state.withLock { state in
                var next = state.content
                let result = try edit(&next)
                _ = state.adopt(next)
                return result
            }
        }
        while true {
            let known = current
            var next = known.content
            let result = try edit(&next)
            guard next.differs(from: known.content) else { return result }
            guard try record.store(next, over: known.recordRevision) else {
                try refresh(from: record)
                continue
            }
            state.withLock { state in
                // The watch may have read the record meanwhile.
                guard state.recordRevision == known.recordRevision else { return }
                _ = state.adopt(next)
                state.recordRevision = (known.recordRevision ?? 0) + 1
            }
            return result
        }
    }

    /// Records the outcome of a subscription's first result, unless it has another query by now. Returns its present
    /// state; nil if it was deleted.
    @discardableResult
    package func settle(_ id: SubscriptionID, _ revision: UInt64, _ outcome: FirstResult.Outcome) -> Subscription? {
        state.withLock { state in
            guard let index = state.subscriptions.firstIndex(where: { $0.id == id }) else { return nil }
            if state.subscriptions[index].revision == revision {
                switch outcome {
                // A stream may have reported meanwhile that it cannot be observed: then its first result changes
                // nothing.
                case .known:
                    if state.subscriptions[index].state == .pending {
                        state.content.subscriptions[index].state = .complete
                    }
                case .failed(let ending):
                    state.content.subscriptions[index].state = .failed(ending.reason)
                }
            }
            return state.subscriptions[index]
        }
    }

    /// Records that a subscription can no longer be observed, unless it has another query by now.
    package func fail(_ id: SubscriptionID, _ revision: UInt64, _ problem: Problem) {
        state.withLock { state in
            guard let index = state.subscriptions.firstIndex(where: { $0.id == id && $0.revision == revision })
            else { return }
            state.content.subscriptions[index].state = .failed(problem)
        }
    }

    /// Opens a stream of all its subscriptions.
    ///
    /// - Parameters:
    ///   - position: what a reconnecting client has received.
    ///   - bind: returns what a query observes under the present schema.
    ///   - isKnown: whether a version that a client knows is one of what is observed now.
    /// - Returns: the subscriptions that were parsed again.
    package func open(
        _ stream: SetStream, _ position: StreamPosition?, _ now: Timestamp,
        bind: (SubscriptionQuery) -> Result<TopicKey, Problem>, known isKnown: (Version, TopicKey) -> Bool
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
                    state.content.subscriptions[index].key = key
                    if known.state != .complete {
                        state.content.subscriptions[index].state = .pending
                        unsettled.append(state.subscriptions[index])
                    }
                    let version = position?.version(of: known).flatMap { isKnown($0, key) ? $0 : nil }
                    stream.add(known, key, since: version, revision: state.revision)
                case .failure(let problem):
                    state.content.subscriptions[index].state = .failed(problem)
                    stream.refuse(known, problem, isKnown: position?.version(of: known) != nil)
                }
            }
            return unsettled
        }
    }

    /// Parses a subscription's query again, under the present schema; nil if it was deleted.
    package func rebind(
        _ id: SubscriptionID, by bind: (SubscriptionQuery) -> Result<TopicKey, Problem>
    ) -> (Subscription, Result<TopicKey, Problem>)? {
        guard let known = current.subscriptions.first(where: { $0.id == id }) else { return nil }
        let outcome = bind(known.query)
        return state.withLock { state in
            guard let index = state.subscriptions.firstIndex(where: { $0.id == id }),
                state.subscriptions[index].revision == known.revision
            else { return nil }
            if case .success(let key) = outcome { state.content.subscriptions[index].key = key }
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

    /// Where its streams observe the subscriptions; nil without a stream.
    package var topics: Topics? { state.withLock { $0.streams.last }?.topics }

    /// Returns whether it was the last one.
    package func close(_ stream: SetStream, _ now: Timestamp) -> Bool {
        state.withLock { state in
            state.streams.removeAll { $0 === stream }
            state.lastUse = now
            return state.streams.isEmpty
        }
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
    mutating func advance(_ now: Timestamp) { self = Swift.max(self + 1, .revision(at: now)) }

    /// Returns the first revision of a set that is created at that time.
    static func revision(at now: Timestamp) -> UInt64 {
        UInt64(Swift.max(now.seconds, 0)) * 1000 + UInt64(Swift.max(now.nanoseconds, 0)) / 1_000_000
    }
}
