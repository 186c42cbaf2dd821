/// What the callers of one role may do. Made from the configuration; knows no schema yet, so that it may name classes
/// that do not exist.
package struct Role: Hashable, Sendable {
    package var name: String
    /// Whether everything is allowed: also the schema, keys, backups and metrics. The other members do not count then.
    package var isAdministrator: Bool
    /// By the name of the class; a class that is not named follows `others`.
    package var classes: [String: ClassRule]
    /// For classes that are not named. Nothing is allowed by default.
    package var others: ClassRule

    package init(
        name: String, isAdministrator: Bool = false, classes: [String: ClassRule] = [:], others: ClassRule = ClassRule()
    ) {
        self.name = name
        self.isAdministrator = isAdministrator
        self.classes = classes
        self.others = others
    }

    /// May do everything.
    package static let administrator = Role(name: "admin", isAdministrator: true)
}

/// What may be done with the objects of one class.
///
/// A predicate is in the query language, over the object concerned, and refers to the caller's claims as
/// `$claims.name`; `TRUEPREDICATE` is everything. Nil forbids.
package struct ClassRule: Hashable, Sendable {
    /// Which objects exist for the caller. Others are as if they were not there: not in lists, counts or links.
    package var read: String?
    /// What an object must be like at the end of the write that creates it.
    package var create: String?
    /// What an object must be like before and after a write that changes it.
    package var update: String?
    /// What an object must be like to be deleted.
    package var delete: String?
    /// Names of the properties that exist for the caller; nil for all. The primary key always does.
    package var readableProperties: Set<String>?
    /// Names of the properties that the caller may give values; nil for all that exist for it.
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
