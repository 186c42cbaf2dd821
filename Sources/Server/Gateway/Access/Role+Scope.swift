import AccessRules
import Identity

extension Role {
    /// Returns the role restricted to a key's scope: only classes that both have are visible, and a read-only scope
    /// leaves no permission to write. An administrator's key with a scope is not an administrator.
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
