package import JSONCoding

/// When the answer to a request for a subscription is sent.
package enum SubscriptionWait: String, CaseIterable, Sendable {
    /// At once.
    case never
    /// When the first result was sent, if the request made or changed the subscription; else at once.
    case onCreation
    /// When everything that was committed before the request was sent.
    case always
}

/// How far the gateway is with a subscription.
package enum SubscriptionStateWord: String, CaseIterable, Sendable {
    case pending
    case complete
    case error
    /// What was asked for has been replaced meanwhile.
    case superseded
}

/// What a follower asks of a subscription: the body of a request.
package struct SubscriptionForm: Hashable, Sendable {
    /// The names of the members, also of the answer.
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

    /// The names of the subscriptions in the answer to a request for a set; those without one are left out.
    package static func names(ofSet json: JSONValue) -> [String] {
        json.array(Field.subscriptions).compactMap { $0.text(Field.name) }
    }
}
