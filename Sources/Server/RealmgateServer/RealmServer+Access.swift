public import Foundation

extension RealmServer {
    /// Who may do what. As long as nothing is set here and there is no key, everybody may do everything, which loopback
    /// addresses alone allow.
    public struct Access: Sendable {
        /// What callers may do, by their key's or token's roles. `admin` may do everything, and need not be listed;
        /// `anonymous` is for callers without a credential.
        public var roles: [Role]
        /// A key of the role `admin`, of at least 32 random characters, that is written nowhere.
        public var administratorKey: String?
        /// Where the keys are, of which only hashes are kept. Beside the realm's file, with `.keys` at its end, unless
        /// another is given; those of a realm in memory are in memory.
        public var keyFile: URL?
        /// Which JSON Web Tokens are taken; nil for none.
        public var tokens: Tokens?
        /// Whether credentials are asked for even before the first key has been made.
        public var isRequired: Bool

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

    /// What callers of one role may do.
    public struct Role: Sendable {
        public var name: String
        /// Whether everything is allowed, whatever the rules say.
        public var isAdministrator: Bool
        /// By the name of the class, as stored.
        public var rules: [String: Rule]
        /// For classes that are not named.
        public var otherClasses: Rule

        public init(
            _ name: String, isAdministrator: Bool = false, rules: [String: Rule] = [:], otherClasses: Rule = .nothing
        ) {
            self.name = name
            self.isAdministrator = isAdministrator
            self.rules = rules
            self.otherClasses = otherClasses
        }
    }

    /// What may be done with the objects of one class.
    ///
    /// A predicate is over the object concerned, with stored names, and refers to the caller's claims as `$claims.NAME`:
    /// `owner == $claims.sub`. `TRUEPREDICATE` is every object. Nil forbids.
    public struct Rule: Sendable {
        /// Which objects exist for the caller; others are as if they were not there, also in counts and links.
        public var read: String?
        /// What an object must be like at the end of the write that creates it.
        public var create: String?
        /// What an object must be like before and after a write that changes it.
        public var update: String?
        /// What an object must be like to be deleted.
        public var delete: String?
        /// The properties that exist for the caller, as stored; nil for all. The primary key always does.
        public var readableProperties: Set<String>?
        /// The properties that the caller may give values; nil for all that exist for it.
        public var writableProperties: Set<String>?

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

        /// The class is as if it were not there.
        public static let nothing = Rule()
        public static let readOnly = Rule(read: "TRUEPREDICATE")
        public static let everything = Rule(
            read: "TRUEPREDICATE", create: "TRUEPREDICATE", update: "TRUEPREDICATE", delete: "TRUEPREDICATE")
    }

    /// Which JSON Web Tokens are taken. They need a `secret` or a `keySetFile` to be checked with.
    public struct Tokens: Sendable {
        /// For HS256, HS384 and HS512; as long as the hash at least.
        public var secret: String?
        /// A file with a JSON Web Key Set, which is read again when it changes.
        public var keySetFile: URL?
        /// Such as `RS256`; empty for all that the keys are good for.
        public var algorithms: Set<String> = []
        /// One of which `iss` must be; anybody when empty.
        public var issuers: Set<String> = []
        /// One of which `aud` must have; `aud` is not looked at when empty.
        public var audiences: Set<String> = []
        /// Seconds that clocks may be apart.
        public var leeway = 30
        /// Whether tokens without `exp` are refused.
        public var requiresExpiry = true
        /// Where the names of roles are, a text or a list of them: the first that is there counts. A point leads into an
        /// object, as in `realm_access.roles`.
        public var rolePaths = ["role", "roles"]

        public init(secret: String? = nil, keySetFile: URL? = nil) {
            self.secret = secret
            self.keySetFile = keySetFile
        }
    }
}
