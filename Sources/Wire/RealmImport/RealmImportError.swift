/// Why the objects of a Realm file cannot become objects of a store. Nothing was written.
package struct RealmImportError: Error, Equatable, CustomStringConvertible {
    package enum Reason: String, CaseIterable, Sendable {
        /// A rename or an exclusion names a class or property that the file does not have.
        case unknownName = "realm_file.unknown_name"
        /// A rename has the wrong form, or renames a name for the second time.
        case invalidSelection = "parameter.invalid"
        /// Classes and properties that a store cannot contain.
        case unsuitable = "realm_file.unsuitable"
        /// The file has no class.
        case noClasses = "realm_file.no_classes"
        /// Classes that the database defines differently.
        case differentClass = "realm_file.different_class"
        /// A value that a store cannot contain.
        case value = "realm_file.value"
        /// Objects of the file that have the same primary key.
        case repeatedKey = "realm_file.repeated_key"
        /// An object whose primary key the database has already.
        case duplicate = "realm_file.duplicate"
    }

    package var reason: Reason
    /// One or more sentences, each of which says what to do.
    package var message: String
    /// Each obstacle, for `unsuitable` and `differentClass`; the only one, for `value` and `repeatedKey`.
    package private(set) var obstacles: [RealmObstacle] = []

    package init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// A fault with a complete message, and an obstacle that a program can offer to remove.
    init(_ reason: Reason, _ message: String, offering obstacle: RealmObstacle) {
        self.init(reason, message)
        obstacles = [obstacle]
    }

    /// Several obstacles of the same kind, one per line.
    init(_ reason: Reason, _ heading: String, _ obstacles: [RealmObstacle], _ style: RealmOptionStyle) {
        var shown = [heading] + obstacles.prefix(Self.lineLimit).map { "  - " + $0.text(style) }
        if obstacles.count > Self.lineLimit { shown.append("  and \(obstacles.count - Self.lineLimit) more") }
        self.init(reason, shown.joined(separator: "\n"))
        self.obstacles = obstacles
    }

    /// The maximum number of obstacles in the message.
    package static let lineLimit = 200

    package var description: String { message }
}
