package import AccessRules
package import HTTPServer
package import Identity
import JSONCoding

/// Who made a request, and what exists for it. Every read and write of a request goes through its caller's view.
package struct Caller: Hashable, Sendable {
    package let principal: Principal
    package let view: AccessView

    package init(_ principal: Principal, _ view: AccessView) {
        self.principal = principal
        self.view = view
    }

    /// Of a gateway without access control.
    package static let unrestricted = Caller(.anonymous, .unrestricted)

    /// Whose subscription sets and kept answers it uses: a person's, whatever the credential, or a key's, or those of all who have the same
    /// view without being anybody. Nil without access control.
    var subscriber: String? {
        guard self != .unrestricted else { return nil }
        if let subject = principal.subject { return "subject:" + subject }
        if case .key(let id) = principal.credential { return "key:" + id }
        let claims = JSONWriter(capacity: 64)
        claims.value(view.claims)
        return "role:" + view.role.name + ":" + String(decoding: claims.bytes, as: UTF8.self)
    }
}

/// A caller, for the handlers inside.
package final class CallerContext: RequestContext {
    package let caller: Caller
    /// What the log calls it, and what limits go by; nil for nobody in particular.
    let name: String?
    /// Whether everything exists for it.
    let seesEverything: Bool

    package init(_ caller: Caller) {
        self.caller = caller
        seesEverything = caller.view.isUnrestricted
        name =
            switch caller.principal.credential {
            case .none: nil
            case .key(let id): "key:\(id)"
            case .token: "subject:\(caller.principal.subject ?? "")"
            }
    }

    /// Of somebody who may do everything.
    static let unrestricted = CallerContext(.unrestricted)
}
