package import JSONCoding
package import ObjectModel

/// What is known of an API key. The secret itself is not.
package struct APIKey: Hashable, Sendable {
    /// Eight letters and digits, part of the secret: they may be shown and logged.
    package let id: String
    package var details: Details
    package let created: Timestamp
    /// To within about ten minutes; nil for never.
    package var lastUsed: Timestamp?
    /// When it was taken back; nil while it is good.
    package var revoked: Timestamp?
    /// SHA-256 of the secret.
    let hash: [UInt8]

    /// What whoever makes a key decides.
    package struct Details: Hashable, Sendable {
        /// For people: what the key is for.
        package var name: String
        /// Names of roles; the configuration says what they may do.
        package var roles: [String]
        /// What rules may refer to as `$claims.…`: an object.
        package var claims: JSONValue
        package var subject: String?
        /// Nil for never.
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
    /// Writes the members of an object that describes the key to a person who may know it.
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

    /// For the file of keys, with the hash.
    func write(into json: JSONWriter) {
        json.beginObject()
        writeMembers(into: json)
        json.name("sha256")
        json.string(Base64.standard.encode(hash))
        json.endObject()
    }

    /// Reads what `write` wrote; nil for anything else.
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
