import JSONCoding
import ObjectModel

/// Tells the subscriptions of one set apart; never used twice in a set.
typealias SubscriptionID = Int

/// One query that a client subscribes to within a set.
struct Subscription: Sendable {
    enum State: Sendable, Equatable {
        /// The first result is not known yet.
        case pending
        /// It was sent.
        case complete
        /// The query does not fit the store any more, and why.
        case failed(Problem)
    }

    let id: SubscriptionID
    /// Nil for one that is told apart by its query.
    let name: String?
    var query: SubscriptionQuery
    /// What it observes; nil while it does not fit the schema, or nobody has asked since the start.
    var key: TopicKey?
    let createdAt: Timestamp
    var updatedAt: Timestamp
    /// The set's revision that made it ask for what it does.
    var revision: UInt64
    var state = State.pending

    /// What clients call it.
    var label: String { name ?? "$\(id)" }

    /// Writes it as an object.
    ///
    /// - Parameter isSuperseded: whether what was asked for has been replaced meanwhile.
    func write(into json: JSONWriter, isSuperseded: Bool = false) {
        json.beginObject()
        json.name("id")
        json.string("$\(id)")
        json.name("name")
        if let name { json.string(name) } else { json.null() }
        query.write(into: json)
        for (name, date) in [("createdAt", createdAt), ("updatedAt", updatedAt)] {
            json.name(name)
            json.date(date)
        }
        json.name("state")
        json.plainString(isSuperseded ? "superseded" : state.word)
        if case .failed(let problem) = state {
            json.name("error")
            problem.encode(into: json)
        }
        json.endObject()
    }
}

extension Subscription.State {
    var word: String {
        switch self {
        case .pending: "pending"
        case .complete: "complete"
        case .failed: "error"
        }
    }
}
