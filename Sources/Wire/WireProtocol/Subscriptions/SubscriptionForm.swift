package import JSONCoding

/// When the answer to a request for a subscription is sent.
package enum SubscriptionWait: String, CaseIterable, Sendable {
    /// Immediately.
    case never
    /// After the first result was sent, if the request created or changed the subscription; else immediately.
    case onCreation
    /// After everything that was committed before the request was sent.
    case always
}

/// The progress of a subscription at the gateway.
package enum SubscriptionStateWord: String, CaseIterable, Sendable {
    case pending
    case complete
    case error
    /// Another query has replaced the requested one.
    case superseded
}

/// A follower's request for a subscription: the body.
package struct SubscriptionForm: Hashable, Sendable {
    /// The names of the members of the request and of the response.
    package enum Field {
        package static let `class` = "class"
        package static let waitForSync = "waitForSync"
        package static let timeout = "timeout"
        package static let set = "set"
        package static let count = "count"
        package static let subscriptions = "subscriptions"
        package static let id = "id"
        package static let name = "name"
        package static let state = "state"
        package static let error = "error"
        package static let createdAt = "createdAt"
        package static let updatedAt = "updatedAt"
    }

    package var className: String
    package var filter: String
    package var sort: String
    package var fields: [String]
    package var keyPaths: [String]
    package var wait: SubscriptionWait

    package init(
        className: String, filter: String, sort: String, fields: [String], keyPaths: [String],
        wait: SubscriptionWait
    ) {
        self.className = className
        self.filter = filter
        self.sort = sort
        self.fields = fields
        self.keyPaths = keyPaths
        self.wait = wait
    }

    package var json: JSONValue {
        [
            Field.class: .string(className), ParameterName.filter: .string(filter),
            ParameterName.sort: .string(sort), ParameterName.fields: .array(fields.map { .string($0) }),
            ParameterName.keyPaths: .array(keyPaths.map { .string($0) }),
            Field.waitForSync: .string(wait.rawValue),
        ]
    }

    /// Returns the names of the subscriptions in the response to a request for a set; subscriptions without a name are
    /// omitted.
    package static func names(ofSet json: JSONValue) -> [String] {
        json.array(Field.subscriptions).compactMap { $0.text(Field.name) }
    }
}

/// The names of subscriptions within a set.
package enum SubscriptionName {
    /// The prefix of a subscription's id. Names cannot begin with it.
    package static let idPrefix = "$"

    /// Returns the label of a subscription without a name: `$2`.
    package static func id(_ number: Int) -> String { idPrefix + String(number) }

    private static let queryPrefix = "n"

    /// Returns a follower's name for its subscription to the query with that number: `n7`.
    package static func query(_ number: Int) -> String { queryPrefix + String(number) }

    /// Returns the number in a name that a follower chose; nil for other names.
    package static func queryNumber(in name: String) -> Int? {
        guard name.hasPrefix(queryPrefix), let number = Int(name.dropFirst(queryPrefix.count)),
            query(number) == name
        else { return nil }
        return number
    }
}
