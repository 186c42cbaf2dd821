/// An error between a follower and its gateway.
package struct FollowerFault: Error, Sendable {
    package enum Code: Sendable {
        /// The gateway cannot be reached, or has failed. The follower tries again.
        case connection
        /// The gateway rejects the token, or requires one. The follower tries again.
        case unauthorized
        /// The gateway rejected a local write, which was undone.
        case writeRejected
        /// An object was created at the gateway, but no subscription includes it, so it was removed here.
        case outsideSubscriptions
        /// The gateway cannot follow a subscription.
        case subscriptionFailed
        /// Local commits were not followed, because the file's change log does not reach back to them.
        case historyLost
        /// The gateway has another history than the one that is here, and the program must begin the reset.
        case clientReset
        /// The local file cannot be written.
        case file
        /// The awaited data did not arrive in time.
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
    /// A sentence for people.
    package var message: String
    /// The status of the gateway's response, if it sent one.
    package var status: Int?
    /// The gateway's own code, such as `access.denied`.
    package var gatewayCode: String?
    /// The objects of a rejected write, or those that were removed.
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
