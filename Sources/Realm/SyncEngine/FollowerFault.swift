/// What went wrong between a follower and its gateway.
package struct FollowerFault: Error, Sendable {
    package enum Code: Sendable {
        /// The gateway cannot be reached, or is not in order. It is tried again.
        case connection
        /// The gateway does not take the token, or wants one. It is tried again.
        case unauthorized
        /// The gateway does not do what was written here; it was undone.
        case writeRejected
        /// What was created here is at the gateway, but no subscription shows it: it was removed here.
        case outsideSubscriptions
        /// The gateway cannot follow a subscription.
        case subscriptionFailed
        /// Local commits were not followed, because the file's change log does not reach back to them.
        case historyLost
        /// The local file cannot be written.
        case file
        /// What was waited for did not come in time.
        case timeout
    }

    /// An object by its class's stored name and its primary key as text.
    package struct Object: Comparable, Sendable {
        package var className: String
        package var primaryKey: String

        package static func < (a: Object, b: Object) -> Bool {
            (a.className, a.primaryKey) < (b.className, b.primaryKey)
        }
    }

    package var code: Code
    /// A sentence for a person.
    package var message: String
    /// The status of the gateway's answer, if there was one.
    package var status: Int?
    /// The gateway's own code, such as `access.denied`.
    package var gatewayCode: String?
    /// What a refused write was about, or what was removed.
    package var objects: [Object]

    init(
        _ code: Code, _ message: String, status: Int? = nil, gatewayCode: String? = nil, objects: [SyncObject] = []
    ) {
        self.code = code
        self.message = message
        self.status = status
        self.gatewayCode = gatewayCode
        self.objects = objects.map { Object(className: $0.className, primaryKey: $0.keyText) }.sorted()
    }
}
