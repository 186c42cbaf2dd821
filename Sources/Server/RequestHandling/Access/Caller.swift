package import AccessRules
import HTTPServer
package import Identity
import JSONCoding

/// The caller of a request, with its view of the database. Every read and write of a request uses this view.
package struct Caller: Hashable, Sendable {
    package let principal: Principal
    package let view: AccessView
    /// Whether it may read the metrics: an administrator, also with a read-only key.
    package let readsMetrics: Bool

    package init(_ principal: Principal, _ view: AccessView, readsMetrics: Bool = false) {
        self.principal = principal
        self.view = view
        self.readsMetrics = readsMetrics || view.isUnrestricted
    }

    /// The caller of a gateway without access control.
    package static let unrestricted = Caller(.anonymous, .unrestricted)

    /// Identifies the owner of subscription sets and stored responses: a subject, whatever its credential; or a key; or
    /// all callers without identity that have the same view. Nil without access control.
    package var subscriber: String? {
        guard self != .unrestricted else { return nil }
        if let subject = principal.subject { return "subject:" + subject }
        if case .key(let id) = principal.credential { return "key:" + id }
        let claims = JSONWriter(capacity: 64)
        claims.value(view.claims)
        return "role:" + view.role.name + ":" + String(decoding: claims.bytes, as: UTF8.self)
    }
}

extension Caller {
    /// Identifies the caller among those that send an `Idempotency-Key`: two callers may choose the same key.
    var names: [String] { ["\(principal.credential)", subscriber ?? ""] }
}

/// Passes the caller to the handlers inside.
package final class CallerContext: RequestContext {
    package let caller: Caller
    /// The name for the log and for limits; nil for a caller without identity.
    package let name: String?
    /// Whether it has full access to the data.
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

    /// The context of a caller with full access.
    static let unrestricted = CallerContext(.unrestricted)
}
