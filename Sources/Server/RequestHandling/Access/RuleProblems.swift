import AccessRules
import Logging
import ObjectModel
import Synchronization

/// Logs, once each, the rules that allow nothing because they do not fit the schema, or because a caller's claim does
/// not fit them. The caller receives no message: the message could reveal hidden data.
final class RuleProblems: Sendable {
    private let logger: Logger
    private let reported = Mutex<Set<String>>([])
    /// Callers choose neither rules nor claims, but there may be many callers.
    private static let reportLimit = 1000

    init(_ logger: Logger) { self.logger = logger }

    /// Logs the errors that a request meets. Cost: nothing if there are none.
    func report(_ access: BoundAccess) { report(access.problems) }

    /// Logs the errors that are known without a request.
    func report(of roles: [Role], _ schema: Schema) { for role in roles { report(role.problems(in: schema)) } }

    private func report(_ problems: [String]) {
        for problem in problems {
            let isNew = reported.withLock { $0.count < Self.reportLimit && $0.insert(problem).inserted }
            if isNew { logger.warning("\(problem)") }
        }
    }
}
