import Basics
import Cryptography
import HTTPServer
package import Identity
import JSONCoding
import ObjectCoding
package import ObjectModel
package import StoreContract

/// A version of the store that is retained for a caller.
package struct FrozenVersion: Sendable {
    package let id: String
    /// The unrestricted store: each request determines again what the caller can see.
    package let snapshot: any Snapshot
    package let owner: Owner
    /// The owner of the quota.
    let account: LimitKey
    package let expires: Timestamp
    /// When it expires by the clock of this gateway, which is not that of the gateway that made it.
    let ends: Timestamp

    /// The owner of the snapshot, who alone may use it.
    package enum Owner: Hashable, Sendable {
        case key(String)
        /// The subject of tokens, because tokens are renewed.
        case subject(String)
        /// Any other caller, by a digest of its principal that is the same at every gateway.
        case other(String)

        package init(_ principal: Principal) {
            switch (principal.credential, principal.subject) {
            case (.key(let id), _): self = .key(id)
            case (.token, let subject?): self = .subject(subject)
            default: self = .other(Self.digest(of: principal))
            }
        }

        private static func digest(of principal: Principal) -> String {
            let json = JSONWriter(capacity: 256)
            json.beginArray()
            if case .token(let signer) = principal.credential { json.string(signer) } else { json.null() }
            json.beginArray()
            for role in principal.roles { json.string(role) }
            json.endArray()
            json.value(principal.claims)
            if let expires = principal.expires { json.date(expires) } else { json.null() }
            json.bool(principal.scope.isReadOnly)
            if let classes = principal.scope.classes {
                json.beginArray()
                for name in classes.sorted() { json.string(name) }
                json.endArray()
            }
            json.endArray()
            var hash = SHA256()
            hash.update(json.bytes)
            return Base64.url.encode(hash.finalize())
        }
    }
}
