import HTTPServer
import Identity
import ObjectModel
import StoreContract

/// A version of the store that is retained for a caller.
struct FrozenVersion: Sendable {
    let id: String
    /// The unrestricted store: each request determines again what the caller can see.
    let snapshot: any Snapshot
    let owner: Owner
    /// The owner of the quota.
    let account: LimitKey
    let expires: Timestamp

    /// The owner of the snapshot, who alone may use it.
    enum Owner: Hashable, Sendable {
        case key(String)
        /// The subject of tokens, because tokens are renewed.
        case subject(String)
        /// Any other caller.
        case other(Principal)

        init(_ principal: Principal) {
            switch (principal.credential, principal.subject) {
            case (.key(let id), _): self = .key(id)
            case (.token, let subject?): self = .subject(subject)
            default: self = .other(principal)
            }
        }
    }
}
