import AccessRules
import Logging
import ObjectModel
import Synchronization

/// Tells the log, once each, which rules allow nothing because they do not fit the schema, or because a caller's claim
/// does not fit them. The caller cannot be told: it would learn of what it may not see.
final class RuleProblems: Sendable {
    private let logger: Logger
    private let told = Mutex<Set<String>>([])
    /// Callers choose neither rules nor claims, but there may be many of them.
    private static let mostTold = 1000

    init(_ logger: Logger) { self.logger = logger }

    /// What a request meets. Cost: nothing when there are no problems.
    func tell(_ access: BoundAccess) { tell(access.problems) }

    /// What is known without any request.
    func tell(of roles: [Role], _ schema: Schema) { for role in roles { tell(role.problems(in: schema)) } }

    private func tell(_ problems: [String]) {
        for problem in problems {
            let isNew = told.withLock { told in told.count < Self.mostTold && told.insert(problem).inserted }
            if isNew { logger.warning("\(problem)") }
        }
    }
}
