package import AccessRules
package import HTTPServer
package import Identity

/// Who made a request, and what exists for it. Every read and write of a request goes through its caller's view.
package struct Caller: RequestContext, Hashable {
    package let principal: Principal
    package let view: AccessView

    package init(_ principal: Principal, _ view: AccessView) {
        self.principal = principal
        self.view = view
    }

    /// Of a gateway without access control.
    package static let unrestricted = Caller(.anonymous, .unrestricted)
}
