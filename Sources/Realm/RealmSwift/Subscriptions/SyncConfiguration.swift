public import Foundation

/// That a realm follows a gateway: it holds what its subscriptions match, and sends up what is written to it.
///
/// ```swift
/// var configuration = Realm.Configuration.defaultConfiguration
/// configuration.syncConfiguration = SyncConfiguration(gateway: url, token: key) { error in print(error) }
/// let realm = try await Realm.open(configuration: configuration)
/// let late = try await realm.objects(Flight.self).where { $0.delay > 60 }.subscribe(name: "late")
/// ```
///
/// The gateway must have the classes and properties that are subscribed to, under the names that they are stored with,
/// and with the same types; classes need a primary key. One process at a time may open a file like that.
///
/// **What comes down.** The objects that some subscription matches, and no others: a link to an object that none matches
/// is null, and such elements are left out of lists and sets. They come back when the object comes. An object that no
/// subscription matches any more is removed here.
///
/// **What goes up.** Every commit of this realm becomes a transaction of the gateway, which does it once however often it
/// has to be sent; commits in quick succession may share one. Nothing is sent twice, and nothing is lost when the program ends
/// or the connection breaks: it goes up at the next opportunity. New objects become created or updated ones,
/// properties are assigned one by one, elements of sets and maps are put in and taken out one by one, elements at the end of
/// a list are appended; other edits of lists, and changes of embedded objects, send the property as a whole.
///
/// **When both sides change something,** what reaches the gateway later wins, property by property; a deletion wins over
/// changes. A property that was changed here keeps its value until the gateway has answered, and then has the gateway's.
///
/// **What the gateway refuses,** because of its rules or its schema, is undone here: the objects become what they are at
/// the gateway, and `errorHandler` is told.
public struct SyncConfiguration: Sendable {
    /// Where the gateway is, such as `https://example.com`; a path is put before those of its endpoints.
    public var gateway: URL
    /// An API key, or a JSON Web Token.
    public var token: String?
    /// Asked for the token before each connection, in place of `token`.
    public var tokenProvider: (@Sendable () async throws -> String?)?
    /// Sent with each request.
    public var headers: [String: String]
    /// Told what goes wrong, on any thread. What can be tried again is.
    public var errorHandler: (@Sendable (SyncError) -> Void)?
    /// Makes the first subscriptions, when a file that never had any is opened: within an update of the set.
    public var initialSubscriptions: (@Sendable (SyncSubscriptionSet) -> Void)?
    /// Whether `initialSubscriptions` runs each time that the file is opened, and not only the first time: for conditions
    /// that change, such as those with today's date. A name may be taken then: look with `first(named:)`. Realms that are
    /// opened while the file is open do not run it again.
    public var rerunOnOpen: Bool
    /// Seconds that opening a realm waits at most for what it is to download; see `Realm.OpenBehavior`.
    public var openTimeout: TimeInterval?
    /// Seconds after which a connection that says nothing counts as broken; the gateway says something every 15.
    public var idleTimeout: TimeInterval

    public init(
        gateway: URL, token: String? = nil, headers: [String: String] = [:], idleTimeout: TimeInterval = 45,
        errorHandler: (@Sendable (SyncError) -> Void)? = nil,
        tokenProvider: (@Sendable () async throws -> String?)? = nil,
        initialSubscriptions: (@Sendable (SyncSubscriptionSet) -> Void)? = nil, rerunOnOpen: Bool = false,
        openTimeout: TimeInterval? = nil
    ) {
        self.gateway = gateway
        self.token = token
        self.headers = headers
        self.idleTimeout = idleTimeout
        self.tokenProvider = tokenProvider
        self.errorHandler = errorHandler
        self.initialSubscriptions = initialSubscriptions
        self.rerunOnOpen = rerunOnOpen
        self.openTimeout = openTimeout
    }
}

/// What went wrong between a realm and its gateway.
public struct SyncError: Error, LocalizedError, CustomStringConvertible, Sendable {
    public enum Code: Sendable, Equatable {
        /// The gateway cannot be reached, or is not in order. It is tried again.
        case connection
        /// The gateway does not take the token, or wants one. It is tried again.
        case unauthorized
        /// The gateway does not do what was written here; it was undone.
        case writeRejected
        /// An object that was created here is at the gateway, but no subscription matches it there, or a rule hides it: it
        /// was removed here.
        case outsideSubscriptions
        /// The gateway cannot follow a subscription.
        case subscriptionFailed
        /// Local commits were not followed, because the file's change log does not reach back to them: they are not sent.
        case historyLost
        /// The local file cannot be written.
        case file
    }

    /// An object that became again what it is at the gateway, or was removed here.
    public struct Object: Sendable, Equatable {
        public var className: String
        /// Its primary key, as text.
        public var primaryKey: String
    }

    public var code: Code
    /// A sentence for a person.
    public var message: String
    /// The status of the gateway's answer, if there was one.
    public var status: Int?
    /// The gateway's own code, such as `access.denied`.
    public var gatewayCode: String?
    /// What a refused write was about, or what was removed.
    public var objects: [Object]

    init(
        _ code: Code, _ message: String, status: Int? = nil, gatewayCode: String? = nil, objects: [SyncObject] = []
    ) {
        self.code = code
        self.message = message
        self.status = status
        self.gatewayCode = gatewayCode
        self.objects = objects.map { Object(className: $0.className, primaryKey: $0.keyText) }
            .sorted { ($0.className, $0.primaryKey) < ($1.className, $1.primaryKey) }
    }

    public var errorDescription: String? { message }
    public var description: String { message }
}
