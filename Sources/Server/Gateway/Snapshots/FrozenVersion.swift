import HTTPServer
import Identity
import ObjectModel
import StoreContract

/// A version of the store that a caller asked to keep.
struct FrozenVersion: Sendable {
    let id: String
    /// The whole store: what the caller sees of it is decided anew with each request.
    let snapshot: any Snapshot
    let owner: Owner
    /// Whose quota it takes from.
    let account: LimitKey
    let expires: Timestamp

    /// Who may use it.
    enum Owner: Hashable, Sendable {
        case key(String)
        /// The bearer of any token for somebody: tokens are renewed.
        case subject(String)
        /// Somebody about whom no more is known.
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
