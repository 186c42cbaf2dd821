public import Foundation

extension RealmServer {
    /// The authentication and authorisation settings. While they are at their defaults and no key exists, every caller
    /// has full access; the server then listens on loopback addresses only, unless `allowsOpenAddress` is set.
    public struct Access: Sendable {
        /// The permissions of each role that keys and tokens can have. `admin` has full access and need not be listed;
        /// `anonymous` is the role of callers without a credential.
        public var roles: [Role]
        /// A key of the role `admin`, of at least 32 random characters, that is never written to disk.
        public var administratorKey: String?
        /// The file that stores the hashes of the keys. The default is the realm's file name plus `.keys`; an in-memory
        /// realm keeps its keys in memory.
        public var keyFile: URL?
        /// The JSON Web Tokens that are accepted; nil for none.
        public var tokens: Tokens?
        /// Whether a credential is required even before the first key has been created.
        public var isRequired: Bool

        /// Creates the settings. The server checks them when it starts.
        public init(
            roles: [Role] = [], administratorKey: String? = nil, keyFile: URL? = nil, tokens: Tokens? = nil,
            isRequired: Bool = false
        ) {
            self.roles = roles
            self.administratorKey = administratorKey
            self.keyFile = keyFile
            self.tokens = tokens
            self.isRequired = isRequired
        }
    }

    /// The permissions of one role.
    public struct Role: Sendable {
        /// The name, as keys and tokens have it.
        public var name: String
        /// Whether the role has full access, regardless of its rules.
        public var isAdministrator: Bool
        /// The rules by stored class name.
        public var rules: [String: Rule]
        /// The rule for classes that `rules` does not name.
        public var otherClasses: Rule

        /// Creates a role, which by default has no permissions.
        public init(
            _ name: String, isAdministrator: Bool = false, rules: [String: Rule] = [:], otherClasses: Rule = .nothing
        ) {
            self.name = name
            self.isAdministrator = isAdministrator
            self.rules = rules
            self.otherClasses = otherClasses
        }
    }

    /// The permissions of a role on the objects of one class.
    ///
    /// Each predicate is evaluated on the object concerned, uses stored names, and refers to the caller's claims as
    /// `$claims.NAME`: `owner == $claims.sub`. `TRUEPREDICATE` matches every object. Nil denies the operation.
    public struct Rule: Sendable {
        /// Matches the objects that the caller can see. All others appear not to exist, also in counts and links.
        public var read: String?
        /// Must match an object at the end of the write that creates it.
        public var create: String?
        /// Must match an object both before and after a write that changes it.
        public var update: String?
        /// Must match an object before it is deleted.
        public var delete: String?
        /// The stored names of the properties that the caller can see; nil for all. The primary key is always visible.
        public var readableProperties: Set<String>?
        /// The stored names of the properties that the caller can assign; nil for all that it can see.
        public var writableProperties: Set<String>?

        /// Creates a rule, which by default permits nothing. The server checks the predicates when it starts.
        public init(
            read: String? = nil, create: String? = nil, update: String? = nil, delete: String? = nil,
            readableProperties: Set<String>? = nil, writableProperties: Set<String>? = nil
        ) {
            self.read = read
            self.create = create
            self.update = update
            self.delete = delete
            self.readableProperties = readableProperties
            self.writableProperties = writableProperties
        }

        /// Hides the class: it appears not to exist.
        public static let nothing = Rule()
        /// Permits reading every object and property, and no changes.
        public static let readOnly = Rule(read: "TRUEPREDICATE")
        /// Permits reading and changing every object and property.
        public static let everything = Rule(
            read: "TRUEPREDICATE", create: "TRUEPREDICATE", update: "TRUEPREDICATE", delete: "TRUEPREDICATE")
    }

    /// The JSON Web Tokens that are accepted. A `secret` or a `keySetFile` is required to verify them.
    public struct Tokens: Sendable {
        /// The secret for HS256, HS384 and HS512, at least as long as the hash.
        public var secret: String?
        /// A file with a JSON Web Key Set. The server reads it again when it changes.
        public var keySetFile: URL?
        /// The accepted signature algorithms, such as `RS256`; empty for all that the keys support.
        public var algorithms: Set<String> = []
        /// The accepted values of `iss`; empty for any.
        public var issuers: Set<String> = []
        /// The accepted audiences, of which `aud` must contain one; empty to ignore `aud`.
        public var audiences: Set<String> = []
        /// The accepted difference between clocks, in seconds.
        public var leeway = 30
        /// Whether tokens without `exp` are rejected.
        public var requiresExpiry = true
        /// The paths to the claim that names the roles, as a string or an array of strings. The first path that exists
        /// is used. A dot leads into an object, as in `realm_access.roles`.
        public var rolePaths = ["role", "roles"]

        /// Creates the settings. The server checks them, and reads the file, when it starts.
        public init(secret: String? = nil, keySetFile: URL? = nil) {
            self.secret = secret
            self.keySetFile = keySetFile
        }
    }
}
