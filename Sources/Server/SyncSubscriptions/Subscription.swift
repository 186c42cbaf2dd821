import HTTPProblems
package import JSONCoding
package import LiveStreams
package import ObjectCoding
package import ObjectModel
import StoreContract
package import WireProtocol

/// Identifies a subscription in its set; never reused in a set.
package typealias SubscriptionID = Int

/// One query, or another result, that a client subscribes to within a set.
package struct Subscription: Sendable {
    package enum State: Sendable, Equatable {
        /// The first result has not been sent yet.
        case pending
        /// The first result was sent.
        case complete
        /// The query no longer fits the store, with the reason.
        case failed(Problem)
    }

    package let id: SubscriptionID
    /// Nil for a subscription that is identified by its query.
    package let name: String?
    package var query: SubscriptionQuery
    /// The observed topic; nil while the query does not fit the schema, or has not been used since the start.
    package var key: TopicKey?
    let createdAt: Timestamp
    var updatedAt: Timestamp
    /// The set's revision that set the present query.
    package var revision: UInt64
    package var state = State.pending

    /// The name for clients.
    package var label: String { name ?? SubscriptionName.id(id) }

    /// Whether a path names this subscription, by its name or by its id.
    package func isCalled(_ text: String) -> Bool { name.isSame(as: text) || text == SubscriptionName.id(id) }

    /// Writes it as an object.
    ///
    /// - Parameter isSuperseded: whether the query has been replaced meanwhile.
    package func write(into json: JSONWriter, isSuperseded: Bool = false) {
        json.beginObject()
        json.name(SubscriptionForm.Field.id)
        json.string(SubscriptionName.id(id))
        json.name(SubscriptionForm.Field.name)
        if let name { json.string(name) } else { json.null() }
        query.write(into: json)
        for (name, date) in [
            (SubscriptionForm.Field.createdAt, createdAt), (SubscriptionForm.Field.updatedAt, updatedAt),
        ] {
            json.name(name)
            json.date(date)
        }
        json.name(SubscriptionForm.Field.state)
        json.plainString((isSuperseded ? .superseded : state.word).rawValue)
        if case .failed(let problem) = state {
            json.name(SubscriptionForm.Field.error)
            problem.encode(into: json)
        }
        json.endObject()
    }
}

extension Subscription.State {
    package var word: SubscriptionStateWord {
        switch self {
        case .pending: .pending
        case .complete: .complete
        case .failed: .error
        }
    }
}

extension StreamPosition {
    /// Returns the part of the position that belongs to this store's history. States of another history count as not
    /// received.
    package func received(isKnown: (Mark) -> Bool) -> StreamPosition {
        func known(_ mark: Mark?) -> Mark? { mark.flatMap { isKnown($0) ? $0 : nil } }
        return StreamPosition(known(mark), revision, exceptions: exceptions.mapValues(known))
    }

    /// The version from which a subscription continues; nil if it must begin again.
    func version(of subscription: Subscription) -> Version? {
        subscription.revision <= revision ? mark(of: subscription.id)?.version : nil
    }
}

extension Ending {
    /// Why there is nothing to observe any more.
    package var reason: Problem { problem ?? Problem(StoreError.Code.notFound, "What it observed was deleted.") }

    /// The end of what a client knows and what is not there any more, or the error in its request.
    ///
    /// - Parameter newest: the state without it.
    static func missing(_ problem: Problem, isKnown: Bool, _ newest: Mark?) -> Ending {
        guard isKnown, problem.code == StoreError.Code.notFound.rawValue, let newest else { return .error(problem) }
        return .deleted(newest.version, newest)
    }
}
