public import Foundation

/// Connects a realm to a gateway: the realm downloads the objects that its subscriptions match, and uploads its
/// changes.
///
/// ```swift
/// var configuration = Realm.Configuration.defaultConfiguration
/// configuration.syncConfiguration = SyncConfiguration(gateway: url, token: key) { error in print(error) }
/// let realm = try await Realm.open(configuration: configuration)
/// let late = try await realm.objects(Flight.self).where { $0.delay > 60 }.subscribe(name: "late")
/// ```
///
/// The gateway must have the classes and properties of the subscriptions, with the same stored names and types; each
/// class needs a primary key. Only one process at a time can open a file with a `SyncConfiguration`.
///
/// **Downloads.** The realm contains the objects that at least one subscription matches, and no others. A link to
/// another object is null, and lists and sets omit such elements, until that object arrives. An object that no longer
/// matches any subscription is removed from the realm, not from the gateway.
///
/// **Uploads.** Every commit of this realm becomes a transaction of the gateway; commits in quick succession may share
/// one. The gateway runs each transaction once, however often it is sent. Pending uploads are stored in the file, and
/// are sent when the program runs again or the connection is restored. New objects are created or updated, and
/// properties are assigned one by one. Elements of lists, sets and maps, and properties of embedded objects, are edited
/// one by one; a large edit sends the whole property.
///
/// **Conflicts.** The later change to reach the gateway wins, property by property; a deletion wins over changes. A
/// property that was changed here keeps its value until the gateway has answered, and then gets the gateway's value.
///
/// **Rejected changes.** If the gateway's rules or schema reject a change, it is reverted here: the objects return to
/// their state at the gateway, and `errorHandler` is called.
public struct SyncConfiguration: Sendable {
    /// The base URL of the gateway, such as `https://example.com`; it may include a path.
    public var gateway: URL
    /// An API key, or a JSON Web Token.
    public var token: String?
    /// Returns the token before each connection; replaces `token`.
    public var tokenProvider: (@Sendable () async throws -> String?)?
    /// Headers that are sent with each request.
    public var headers: [String: String]
    /// Called with each error, on any thread. Transient errors are retried.
    public var errorHandler: (@Sendable (SyncError) -> Void)?
    /// Creates the first subscriptions, within an update of the set, when a file is opened that never had any.
    public var initialSubscriptions: (@Sendable (SyncSubscriptionSet) -> Void)?
    /// Whether `initialSubscriptions` runs each time the file is opened and not only the first time, for conditions
    /// that change, such as one with today's date. A name may then already exist: check with `first(named:)`. It does
    /// not run again for realms opened while the file is open.
    public var rerunOnOpen: Bool
    /// The maximum time in seconds that opening a realm waits for its download; see `Realm.OpenBehavior`.
    public var openTimeout: TimeInterval?
    /// The time in seconds after which a silent connection counts as broken; the gateway sends something every 15
    /// seconds.
    public var idleTimeout: TimeInterval
    /// What becomes of local changes when the gateway has lost its history, because its backup was restored.
    public var clientResetMode: ClientResetMode

    /// Creates a configuration with a `token` or a `tokenProvider`. Nothing is sent until a realm is opened with it.
    public init(
        gateway: URL, token: String? = nil, headers: [String: String] = [:], idleTimeout: TimeInterval = 45,
        errorHandler: (@Sendable (SyncError) -> Void)? = nil,
        tokenProvider: (@Sendable () async throws -> String?)? = nil,
        initialSubscriptions: (@Sendable (SyncSubscriptionSet) -> Void)? = nil, rerunOnOpen: Bool = false,
        openTimeout: TimeInterval? = nil, clientResetMode: ClientResetMode = .recoverUnsyncedChanges()
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
        self.clientResetMode = clientResetMode
    }
}

/// An error in the communication between a realm and its gateway.
public struct SyncError: Error, LocalizedError, CustomStringConvertible, Sendable {
    /// The kinds of errors.
    public enum Code: Sendable, Equatable {
        /// The gateway cannot be reached or does not work. The client retries.
        case connection
        /// The gateway rejects the token, or requires one. The client retries.
        case unauthorized
        /// The gateway rejected a change, which was reverted here.
        case writeRejected
        /// An object was created here and at the gateway, but no subscription matches it there, or a rule hides it. It
        /// was removed here.
        case outsideSubscriptions
        /// The gateway rejected a subscription.
        case subscriptionFailed
        /// Local commits are not uploaded, because the file's change log no longer contains them.
        case historyLost
        /// The gateway has lost its history, and the program must begin the client reset: see `clientResetInfo`.
        case clientResetError
        /// The local file cannot be written.
        case file
    }

    /// An object that returned to its state at the gateway, or was removed here.
    public struct Object: Sendable, Equatable {
        /// The stored name of the class.
        public var className: String
        /// The primary key as a string.
        public var primaryKey: String
    }

    /// The kind of the error.
    public var code: Code
    /// A sentence for people.
    public var message: String
    /// The status code of the gateway's response, if there was one.
    public var status: Int?
    /// The gateway's error code, such as `access.denied`.
    public var gatewayCode: String?
    /// The objects of a rejected write, or those that were removed.
    public var objects: [Object]
    /// See `clientResetInfo`.
    var resetToken: ActionToken?
    var resetPath: String?

    public var errorDescription: String? { message }
    public var description: String { message }
}
