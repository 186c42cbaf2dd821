import Basics
import Cryptography
package import JSONCoding
package import ObjectModel

/// The properties of an API key, without its secret.
package struct APIKey: Hashable, Sendable {
    /// Eight letters and digits of the secret, which may be displayed and logged.
    package let id: String
    package var details: Details
    package let created: Timestamp
    /// The time of the last use, accurate to about ten minutes; nil for never.
    package var lastUsed: Timestamp?
    /// The time of revocation; nil for a valid key.
    package var revoked: Timestamp?
    /// The SHA-256 of the secret.
    let hash: [UInt8]

    /// The properties that the creator of a key chooses.
    package struct Details: Hashable, Sendable {
        /// A description of the key's purpose, for people.
        package var name: String
        /// The names of its roles; the configuration defines their permissions.
        package var roles: [String]
        /// An object with the values that rules refer to as `$claims.…`.
        package var claims: JSONValue
        package var subject: String?
        /// The expiry time; nil for none.
        package var expires: Timestamp?
        package var scope: KeyScope

        package init(
            name: String, roles: [String], claims: JSONValue = [:], subject: String? = nil, expires: Timestamp? = nil,
            scope: KeyScope = .all
        ) {
            self.name = name
            self.roles = roles
            self.claims = claims
            self.subject = subject
            self.expires = expires
            self.scope = scope
        }
    }

    package var principal: Principal {
        Principal(
            credential: .key(id), subject: details.subject, roles: details.roles, claims: details.claims,
            expires: details.expires, scope: details.scope)
    }

    package func isExpired(at now: Timestamp) -> Bool { details.expires.map { $0 <= now } ?? false }
}

extension APIKey {
    /// Writes the members of an object that describes the key to people who may see it.
    package func writeMembers(into json: JSONWriter) {
        json.name("id")
        json.string(id)
        json.name("name")
        json.string(details.name)
        json.name("roles")
        json.beginArray()
        for role in details.roles { json.string(role) }
        json.endArray()
        json.name("claims")
        json.value(details.claims)
        if let subject = details.subject {
            json.name("subject")
            json.string(subject)
        }
        json.name("readOnly")
        json.bool(details.scope.isReadOnly)
        if let classes = details.scope.classes {
            json.name("classes")
            json.beginArray()
            for name in classes.sorted() { json.string(name) }
            json.endArray()
        }
        let dates = [
            ("created", Optional(created)), ("expires", details.expires), ("lastUsed", lastUsed), ("revoked", revoked),
        ]
        for case (let name, let date?) in dates {
            json.name(name)
            json.date(date)
        }
    }

    /// Writes the key with its hash, for the key file.
    func write(into json: JSONWriter) {
        json.beginObject()
        writeMembers(into: json)
        json.name("sha256")
        json.string(Base64.standard.encode(hash))
        json.endObject()
    }

    /// Reads the form that `write` writes; nil for any other.
    init?(_ json: JSONValue) {
        func date(_ name: String) -> Timestamp?? {
            switch json[name] {
            case nil: .some(nil)
            case .string(let text): Timestamp(rfc3339: text).map { .some($0) }
            default: nil
            }
        }
        func names(_ value: JSONValue?) -> [String]? {
            guard case .array(let elements)? = value else { return nil }
            let names = elements.compactMap { element -> String? in
                if case .string(let name) = element { name } else { nil }
            }
            return names.count == elements.count ? names : nil
        }
        guard case .string(let id)? = json["id"], case .string(let name)? = json["name"],
            let roles = names(json["roles"]), let claims = json["claims"], case .object = claims,
            case .bool(let isReadOnly)? = json["readOnly"], case .string(let encoded)? = json["sha256"],
            let hash = Base64.standard.decode(encoded), hash.count == 32, let created = date("created") ?? nil,
            let expires = date("expires"), let lastUsed = date("lastUsed"), let revoked = date("revoked")
        else { return nil }
        var scope = KeyScope(isReadOnly: isReadOnly)
        if let listed = json["classes"] {
            guard let classes = names(listed) else { return nil }
            scope.classes = Set(classes)
        }
        var details = Details(name: name, roles: roles, claims: claims, expires: expires, scope: scope)
        if case .string(let subject)? = json["subject"] { details.subject = subject }
        self.init(id: id, details: details, created: created, lastUsed: lastUsed, revoked: revoked, hash: hash)
    }
}

/// Random secrets, and their stored hashes.
enum Secret {
    private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// Returns random letters and digits from the system's source, with 5.95 bits each: 43 of them have 256 bits.
    static func random(_ count: Int) -> String {
        var source = SystemRandomNumberGenerator()
        return String((0..<count).map { _ in letters[Int.random(in: letters.indices, using: &source)] })
    }

    /// Returns the hash that is stored instead of the secret. A secret with 256 random bits needs no slow hash, because
    /// it cannot be guessed.
    static func hash(_ text: String) -> [UInt8] { SHA256.hash(Array(text.utf8)) }
}
