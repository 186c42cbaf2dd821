import AccessRules
import Identity

extension Role {
    /// What is left of the role for a key of the scope: a class is there only if both have it, and a scope for reading
    /// leaves no right to write. An administrator's key with a scope is no administrator any more.
    func narrowed(to scope: KeyScope) -> Role {
        guard scope != .all else { return self }
        var role = self
        if isAdministrator {
            role.isAdministrator = false
            role.classes = [:]
            role.others = .everything
        }
        if let listed = scope.classes {
            let others = role.others
            role.classes = Dictionary(
                listed.map { ($0, role.classes[$0] ?? others) }, uniquingKeysWith: { first, _ in first })
            role.others = ClassRule()
        }
        if scope.isReadOnly {
            role.classes = role.classes.mapValues(\.readingOnly)
            role.others = role.others.readingOnly
        }
        return role
    }
}

extension ClassRule {
    private static let always = "TRUEPREDICATE"

    fileprivate static let everything = ClassRule(read: always, create: always, update: always, delete: always)

    fileprivate var readingOnly: ClassRule { ClassRule(read: read, readableProperties: readableProperties) }
}
