import ObjectModel
import QueryLanguage

extension MigrationTransaction {
    /// Performs one step other than a rename; `MigrationPlan` must have accepted it. Throws `migrationFailed` for
    /// values that do not fit, and the errors of the changes.
    package func perform(_ step: MigrationStep) throws {
        switch step {
        case .rename:
            break
        case .setDefault(let className, let name, let value):
            guard let objectClass = schema[className], let property = objectClass[name] else { return }
            let assigned = [property.id: value ?? property.initialValue]
            for key in try select(BoundQuery(classID: objectClass.id), .all) {
                try set(objectClass.id, key, assigned)
            }
        case .copy(let className, let from, let to):
            try transfer(className, from, to) { value, source, target, _ in
                try copied(value, from: source, to: target)
            }
        case .convert(let className, let from, let to, let fallback):
            try transfer(className, from, to) { value, source, target, object in
                if let converted = try converted(value, from: source, to: target) ?? fallback { return converted }
                throw StoreError(
                    .migrationFailed,
                    "The value \(Self.words(for: value)) of property '\(className).\(from)' cannot be converted to type '\(target.type)' in \(try Self.name(of: object)). Give the step a fallback, or change the value first.",
                    property: from)
            }
        case .deleteClass(let className):
            try deleteData(of: className)
        }
    }

    private func transfer(
        _ className: String, _ from: String, _ to: String,
        _ change: (Value, PropertySchema, PropertySchema, OldObject) throws -> Value
    ) throws {
        guard let source = old.schema[className]?[from], let objectClass = schema[className],
            let target = objectClass[to]
        else { return }
        try enumerateObjects(of: className) { before, after in
            guard let before, let after else { return }
            let value = try old.value(before.objectClass.id, before.key, source.id)
            try set(objectClass.id, after.key, [target.id: try change(value, source, target, before)])
        }
    }

    // MARK: Values

    private func converted(_ value: Value, from source: PropertySchema, to target: PropertySchema) throws -> Value? {
        if target.type.base == source.type.base, target.type.collection == source.type.collection {
            let copy = try copied(value, from: source, to: target)
            return target.type.accepts(copy) ? copy : nil
        }
        return try value.converted(from: source, to: target).map { try existing($0, target) }
    }

    /// An old value in the form that can be assigned now: embedded objects as new ones, without links to deleted
    /// objects.
    private func copied(_ value: Value, from source: PropertySchema, to target: PropertySchema) throws -> Value {
        guard source.ownsTarget, target.ownsTarget, let before = source.targetClass.flatMap({ old.schema[$0] }),
            let after = target.targetClass.flatMap({ schema[$0] })
        else { return try existing(value, target) }
        func embedded(_ value: Value) throws -> Value {
            guard case .link(let key) = value else { return value }
            var values: [PropertyID: Value] = [:]
            for property in after.storedProperties {
                guard let same = before[property.id] else {
                    values[property.id] = property.type.zeroValue
                    continue
                }
                values[property.id] = try copied(
                    try old.value(before.id, key, same.id), from: same, to: property)
            }
            return .embedded(values)
        }
        switch value {
        case .list(let elements): return .list(try elements.map(embedded))
        case .dictionary(let map): return .dictionary(try map.mapValues(embedded))
        default: return try embedded(value)
        }
    }

    private func existing(_ value: Value, _ property: PropertySchema) throws -> Value {
        switch value {
        case .link(let key):
            guard let target = property.targetClass, try exists(target, key) else { return .null }
            return value
        case .reference(let reference):
            guard schema[reference.classID]?.isEmbedded == false, try exists(reference.classID, reference.key) else {
                return .null
            }
            return value
        case .list(let elements):
            let remaining = try elements.map { try existing($0, property) }
            return .list(property.type.isLink ? remaining.filter { !$0.isNull } : remaining)
        case .set(let elements):
            let remaining = try elements.filter { try $0.isNull || !existing($0, property).isNull }
            return .set(remaining)
        case .dictionary(let map):
            return .dictionary(try map.mapValues { try existing($0, property) })
        default:
            return value
        }
    }

    // MARK: Words

    private static func words(for value: Value) -> String {
        guard let text = value.asText else { return "of type '\(value.typeName)'" }
        return "'" + text.shortened() + "'"
    }

    private static func name(of object: OldObject) throws -> String {
        guard let key = object.objectClass.primaryKey else {
            return "the object with object key \(object.key.rawValue)"
        }
        return "the object with primary key \(words(for: try object.value(key)))"
    }
}
