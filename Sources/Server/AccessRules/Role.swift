package import QuerySyntax
import QueryLanguage

/// The permissions of a role, from the configuration. It is not bound to a schema, so it may name classes that do not
/// exist.
package struct Role: Hashable, Sendable {
    package var name: String
    /// Whether everything is allowed, including the schema, keys, backups and metrics. The other members are ignored
    /// then.
    package var isAdministrator: Bool
    /// The rules by class name; `others` applies to all other classes.
    package var classes: [String: ClassRule]
    /// The rule for classes that are not named. By default it allows nothing.
    package var others: ClassRule

    package init(
        name: String, isAdministrator: Bool = false, classes: [String: ClassRule] = [:], others: ClassRule = ClassRule()
    ) {
        self.name = name
        self.isAdministrator = isAdministrator
        self.classes = classes
        self.others = others
    }

    /// The role with full access.
    package static let administrator = Role(name: "admin", isAdministrator: true)
}

/// The permissions of a role on the objects of one class.
///
/// Each predicate is in the query language, is evaluated on the object concerned, and refers to the caller's claims as
/// `$claims.name`; `TRUEPREDICATE` matches every object. Nil denies the operation.
package struct ClassRule: Hashable, Sendable {
    /// Matches the objects that the caller can see. All others appear not to exist, also in counts and links.
    package var read: String?
    /// Must match an object at the end of the write that creates it.
    package var create: String?
    /// Must match an object both before and after a write that changes it.
    package var update: String?
    /// Must match an object before it is deleted.
    package var delete: String?
    /// The names of the properties that the caller can see; nil for all. The primary key is always visible.
    package var readableProperties: Set<String>?
    /// The names of the properties that the caller can assign; nil for all that it can see.
    package var writableProperties: Set<String>?

    package init(
        read: String? = nil, create: String? = nil, update: String? = nil, delete: String? = nil,
        readableProperties: Set<String>? = nil, writableProperties: Set<String>? = nil
    ) {
        self.read = read
        self.create = create
        self.update = update
        self.delete = delete
        self.readableProperties = readableProperties
        self.writableProperties = writableProperties
    }
}

extension ClassRule {
    /// Parses a predicate without a schema. Throws errors that do not depend on the classes.
    package static func check(_ predicate: String) throws(QueryError) {
        let parsed = try QueryParser.parse(RuleText(predicate).text, dialect: .rql)
        guard parsed.steps.isEmpty else {
            throw QueryError(.invalid, "A rule is a predicate: leave SORT, DISTINCT and LIMIT out.", position: 0)
        }
    }
}
