import Basics
package import ObjectModel

/// The effect of a schema change with the given steps, computed from the two schemas alone, before any data is touched.
package struct MigrationPlan: Sendable {
    /// A step that is impossible, whatever the data.
    package struct Fault: Hashable, Sendable {
        /// The position in the list of steps.
        package var step: Int
        package var error: StoreError
    }

    package let old: Schema
    /// The new schema with the numbers that it will have.
    package let new: Schema
    package let difference: SchemaDifference
    package let steps: [MigrationStep]
    package private(set) var renames: MigrationRenames
    /// In the order of the steps.
    package private(set) var faults: [Fault] = []

    /// `requested` must be valid in itself, and its version must not be below that of `old`.
    package init(from old: Schema, to requested: Schema, steps: [MigrationStep]) {
        self.old = old
        self.steps = steps
        renames = MigrationRenames(from: old, to: requested)
        var lastRename = 0
        for (index, step) in steps.enumerated() {
            guard case .rename(let className, let from, let to) = step else { continue }
            lastRename = index
            do throws(StoreError) {
                _ = try renames.rename(class: className, from: from, to: to)
            } catch {
                faults.append(Fault(step: index, error: error))
            }
        }
        do throws(StoreError) {
            try renames.checkFinished()
        } catch {
            faults.append(Fault(step: lastRename, error: error))
        }
        new = requested.adoptingIdentities(of: old, renames: renames.propertyRenames)
        difference = SchemaDifference(from: old, to: new, renames: renames.propertyRenames)
        for (index, step) in steps.enumerated() {
            if let error = fault(of: step) { faults.append(Fault(step: index, error: error)) }
        }
        faults.sort { $0.step < $1.step }
    }

    /// Whether the schema version rises, which every change that is not automatic needs.
    package var isMigration: Bool { new.version > old.version }

    /// The positions of the steps that supply the values that a change would lose.
    package func steps(for change: SchemaDifference.Change) -> [Int] {
        steps.indices.filter { index in
            switch (steps[index], change.kind) {
            case (.deleteClass(let name), .classRemoved): name == change.className
            case (.copy(let name, let from, _), .propertyRemoved),
                (.convert(let name, let from, _, _), .propertyRemoved):
                name == change.className && from == change.property
            case (.rename(let name, _, let to), .propertyRenamed):
                name == change.className && to == change.property
            case (.setDefault(let name, let to, _), .typeChanged), (.setDefault(let name, let to, _), .becameRequired),
                (.setDefault(let name, let to, _), .propertyAdded), (.copy(let name, _, let to), .propertyAdded),
                (.convert(let name, _, let to, _), .typeChanged), (.convert(let name, _, let to, _), .becameRequired),
                (.convert(let name, _, let to, _), .propertyAdded):
                name == change.className && to == change.property
            default: false
            }
        }
    }

    // MARK: Steps

    private func fault(of step: MigrationStep) -> StoreError? {
        do throws(StoreError) {
            switch step {
            case .rename: break
            case .setDefault(let className, let name, let value):
                let property = try new(name, of: className)
                if let value { try check(value, property, className) }
            case .copy(let className, let from, let to):
                let source = try old(from, of: className)
                let target = try new(to, of: className)
                guard target.type.keepsValues(of: source.type) else {
                    throw StoreError(
                        .migrationFailed,
                        "Cannot copy property '\(className).\(from)' of type '\(source.type)' to '\(to)' of type '\(target.type)'. Use a convert step.",
                        property: to)
                }
            case .convert(let className, let from, let to, let fallback):
                let source = try old(from, of: className)
                let target = try new(to, of: className)
                guard source.type.isConvertible(to: target.type) else {
                    throw StoreError(
                        .migrationFailed,
                        "Values of property '\(className).\(from)' of type '\(source.type)' cannot be converted to type '\(target.type)' of '\(to)'.",
                        property: to)
                }
                if let fallback { try check(fallback, target, className) }
            case .deleteClass(let className):
                guard old[className] == nil, new[className] == nil else { break }
                throw Self.unknownClass(className, old.classes + new.classes)
            }
            return nil
        } catch {
            return error
        }
    }

    private func check(_ value: Value, _ property: PropertySchema, _ className: String) throws(StoreError) {
        guard property.type.accepts(value), !(property.type.isLink && !value.isNull) else {
            throw StoreError(
                .migrationFailed,
                "Property '\(className).\(property.name)' of type '\(property.type)' cannot be set to a value of type '\(value.typeName)'.",
                property: property.name)
        }
    }

    private func old(_ name: String, of className: String) throws(StoreError) -> PropertySchema {
        try Self.property(name, of: className, in: old, "old")
    }

    private func new(_ name: String, of className: String) throws(StoreError) -> PropertySchema {
        try Self.property(name, of: className, in: new, "new")
    }

    private static func property(
        _ name: String, of className: String, in schema: Schema, _ which: String
    ) throws(StoreError) -> PropertySchema {
        guard let objectClass = schema[className] else { throw unknownClass(className, schema.classes, which) }
        guard let property = objectClass[name], !property.type.isComputed else {
            throw StoreError(
                .migrationFailed, "The \(which) schema has no stored property '\(className).\(name)'.", property: name,
                hint: objectClass.storedProperties.map(\.name).nearest(to: name))
        }
        return property
    }

    private static func unknownClass(
        _ name: String, _ classes: [ClassSchema], _ which: String? = nil
    ) -> StoreError {
        StoreError(
            .migrationFailed,
            which.map { "The \($0) schema has no class '\(name)'." } ?? "There is no class '\(name)' in either schema.",
            hint: classes.map(\.name).nearest(to: name))
    }
}
