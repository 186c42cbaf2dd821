import ObjectModel
import QueryLanguage

extension _QuerySource {
    /// Returns the aggregate of a property of the elements or, for "self", of plain values. `unmanaged` returns the
    /// elements of an unmanaged collection. Decimals that are computed are reduced, as by `Decimal128`'s operators.
    func aggregate<Element: RealmCollectionValue>(
        _ function: AggregateRequest.Function, _ property: String, unmanaged: () -> [Element]
    ) throws -> Value {
        let value = try exactAggregate(function, property, unmanaged: unmanaged)
        if case .decimal(let number) = value, function == .sum || function == .average {
            return .decimal(number.reduced)
        }
        return value
    }

    private func exactAggregate<Element: RealmCollectionValue>(
        _ function: AggregateRequest.Function, _ property: String, unmanaged: () -> [Element]
    ) throws -> Value {
        guard accessor != nil else { return try aggregate(function, property, of: unmanaged()) }
        guard let values = try values() else { return try objects().aggregate(function, property) }
        let type = values.source.valuesType
        try check(function, property, type, try values.source.valuesName)
        return try values.values().aggregate(function, of: type.base)
    }

    /// Throws for aggregates that plain values do not support.
    private func check(
        _ function: AggregateRequest.Function, _ property: String, _ type: StoredType, _ name: String
    ) throws {
        guard property == "self" else {
            throw RealmException(
                "\(kind.plural) of '\(PropertyKind(type.base).text)' can only be aggregated on \"self\"")
        }
        guard type.supports(function) else {
            throw RealmException("Operation '\(function.rawValue)' not supported for \(type.described) '\(name)'")
        }
    }

    private func aggregate<Element: RealmCollectionValue>(
        _ function: AggregateRequest.Function, _ property: String, of elements: [Element]
    ) throws -> Value {
        let stored = Element._storedType
        guard stored.type.isLink, let linked = stored.linked else {
            var type = stored.type
            type.collection = kind
            try check(function, property, type, "self")
            let values: [Value] = elements.map { Conversion.value(of: $0) }
            return values.aggregate(function, of: type.base)
        }
        let model = try ClassModel.of(linked)
        guard let slot = model.slot(of: property) else {
            throw RealmException(
                "Invalid property name: property '\(property)' not found in object of type '\(model.name)'")
        }
        let found = model.properties[slot]
        guard !found.type.isCollection, found.type.supports(function) else {
            throw RealmException(
                "Operation '\(function.rawValue)' not supported for \(found.type.described) '\(model.name).\(property)'"
            )
        }
        let values: [Value] = elements.compactMap { flattened($0) as? ObjectBase }.map { object in
            object.dynamicValue(slot).map { Conversion.value(of: $0) } ?? .null
        }
        return values.aggregate(function, of: found.type.base)
    }
}

extension Conversion {
    /// Returns the stored form of a plain value; null for objects.
    static func value(of given: Any) -> Value {
        guard let given = flattened(given) else { return .null }
        if let mixed = given as? AnyRealmValue, let natural = mixed.plain { return natural }
        return natural(given) ?? .null
    }
}

extension AnyRealmValue {
    fileprivate var plain: Value? {
        switch self {
        case .int(let value): .int(Int64(value))
        case .bool(let value): .bool(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .decimal128(let value): value._scalar.value
        case .date(let value): value._scalar.value
        case .data(let value): value._scalar.value
        case .objectId(let value): value._scalar.value
        case .uuid(let value): value._scalar.value
        default: nil
        }
    }
}
