import Basics
package import ObjectModel

/// Applies renames of properties one after the other and keeps track of each property's final name; see
/// `MigrationStep.rename`.
package struct MigrationRenames: Sendable {
    /// A property that has reached its name in the new schema.
    package struct Finished: Hashable, Sendable {
        package var className: String
        /// The name in the old schema.
        package var from: String
        package var to: String
    }

    private let old: Schema
    private let new: Schema
    package private(set) var finished: [Finished] = []
    /// Names in the old schema by the present intermediate names of their properties, by class.
    private var pending: [String: [String: String]] = [:]

    package init(from old: Schema, to new: Schema) {
        self.old = old
        self.new = new
    }

    /// The finished renames, in the form that comparing and numbering of schemas uses.
    package var propertyRenames: PropertyRenames {
        var renames = PropertyRenames()
        for rename in finished { renames.add(class: rename.className, from: rename.from, to: rename.to) }
        return renames
    }

    /// Returns the rename if it ends at a name of the new schema, nil if the property now has an intermediate name.
    /// Throws `migrationFailed`.
    package mutating func rename(
        class className: String, from: String, to: String
    ) throws(StoreError) -> Finished? {
        guard let before = old[className] else {
            throw StoreError(
                .migrationFailed, "Cannot rename properties for type '\(className)' because it does not exist.",
                hint: old.classes.map(\.name).nearest(to: className))
        }
        guard let after = new[className] else {
            throw StoreError(
                .migrationFailed,
                "Cannot rename properties for type '\(className)' because it has been removed from the Realm.",
                hint: new.classes.map(\.name).nearest(to: className))
        }
        let path = "\(className).\(from)"
        let names = before.storedProperties.map(\.name).filter { after[$0] == nil && !isTaken($0, in: className) }
        guard let origin = pending[className]?[from] ?? (isTaken(from, in: className) ? nil : before[from]?.name),
            let source = before[origin], !source.type.isComputed
        else {
            throw StoreError(
                .migrationFailed, "Cannot rename property '\(path)' because it does not exist.", property: from,
                hint: names.nearest(to: from))
        }
        guard after[from] == nil else {
            throw StoreError(
                .migrationFailed,
                "Cannot rename property '\(path)' to '\(to)' because the source property still exists.",
                property: from)
        }
        guard !finished.contains(where: { $0.className == className && $0.to == to }), pending[className]?[to] == nil
        else {
            throw StoreError(
                .migrationFailed,
                "Cannot rename property '\(path)' to '\(to)' because another property has been renamed to it already.",
                property: from)
        }
        guard let target = after[to] else {
            pending[className]?[from] = nil
            pending[className, default: [:]][to] = origin
            return nil
        }
        guard before[to] == nil else {
            throw StoreError(
                .migrationFailed,
                "Cannot rename property '\(path)' to '\(to)' because there was a property of that name before, whose values would be lost.",
                property: from)
        }
        guard source.type.base == target.type.base, source.type.collection == target.type.collection else {
            throw StoreError(
                .migrationFailed,
                "Cannot rename property '\(path)' to '\(to)' because it would change from type '\(source.type)' to '\(target.type)'.",
                property: from)
        }
        guard target.type.isOptional || !source.type.isOptional else {
            throw StoreError(
                .migrationFailed,
                "Cannot rename property '\(path)' to '\(to)' because it would change from optional to required.",
                property: from)
        }
        pending[className]?[from] = nil
        let rename = Finished(className: className, from: origin, to: to)
        finished.append(rename)
        return rename
    }

    /// Throws `migrationFailed` when a property still has an intermediate name.
    package func checkFinished() throws(StoreError) {
        for (className, names) in pending.sorted(by: { $0.key < $1.key }) {
            guard let (to, from) = names.min(by: { $0.key < $1.key }) else { continue }
            throw StoreError(
                .migrationFailed,
                "Cannot rename property '\(className).\(from)' to '\(to)' because the new schema has no property of that name.",
                property: from, hint: new[className]?.storedProperties.map(\.name).nearest(to: to))
        }
    }

    /// Whether a property of the old schema has been renamed.
    private func isTaken(_ name: String, in className: String) -> Bool {
        finished.contains { $0.className == className && $0.from == name }
            || pending[className]?.values.contains(name) == true
    }
}
