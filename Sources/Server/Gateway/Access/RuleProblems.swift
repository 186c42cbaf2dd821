import AccessRules
import Logging
import ObjectModel
import Synchronization

/// Logs, once each, the rules that allow nothing because they do not fit the schema, or because a caller's claim does
/// not fit them. The caller receives no message: the message could reveal hidden data.
final class RuleProblems: Sendable {
    private let logger: Logger
    private let told = Mutex<Set<String>>([])
    /// Callers choose neither rules nor claims, but there may be many callers.
    private static let mostTold = 1000

    init(_ logger: Logger) { self.logger = logger }

    /// Logs the errors that a request meets. Cost: nothing if there are none.
    func tell(_ access: BoundAccess) { tell(access.problems) }

    /// Logs the errors that are known without a request.
    func tell(of roles: [Role], _ schema: Schema) { for role in roles { tell(role.problems(in: schema)) } }

    private func tell(_ problems: [String]) {
        for problem in problems {
            let isNew = told.withLock { told in told.count < Self.mostTold && told.insert(problem).inserted }
            if isNew { logger.warning("\(problem)") }
        }
    }
}
