import ObjectModel
import QueryLanguage

extension RealmCollection {
    /// The smallest value of a property, or of plain values by "self"; nil when there is none. Nulls and NaN are left
    /// out. Traps for properties that do not exist or have no order. Cost: one pass within the engine.
    public func min<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        best(.minimum, property)
    }

    /// The largest value of a property; see `min`.
    public func max<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        best(.maximum, property)
    }

    /// The sum of a property's values, 0 when there is none. Nulls and NaN are left out; sums of Int wrap. Traps for
    /// properties that do not exist or are no numbers.
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        total(property)
    }

    /// The mean of a property's values, nil when there is none. Nulls and NaN are left out. Ask for a Double: a mean
    /// with a fraction is no Int, and traps.
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: AddableType {
        best(.average, property)
    }

    func best<T>(_ function: AggregateRequest.Function, _ property: String) -> T? {
        raising {
            let value = try aggregate(function, property)
            return value.isNull ? nil : try AggregateConversion.converted(value, to: T.self, in: _source.core?.realm)
        }
    }

    func total<T>(_ property: String) -> T {
        raising {
            try AggregateConversion.converted(aggregate(.sum, property), to: T.self, in: _source.core?.realm)
        }
    }

    private func aggregate(_ function: AggregateRequest.Function, _ property: String) throws -> Value {
        let source = _source
        guard source.core != nil else { return try unmanagedAggregate(function, property, source.kind) }
        guard let values = try source.values() else { return try source.objects().aggregate(function, property) }
        try check(function, property, values.source.property.type, source.kind, values.source)
        return try values.values().aggregate(function, of: values.source.property.type.base)
    }

    /// Throws for what plain values cannot be asked.
    private func check(
        _ function: AggregateRequest.Function, _ property: String, _ type: StoredType, _ kind: CollectionKind,
        _ source: PropertyCore?
    ) throws {
        guard property == "self" else {
            throw RealmException(
                "\(kind.plural) of '\(PropertyKind(type.base).text)' can only be aggregated on \"self\"")
        }
        guard type.supports(function) else {
            let name = try source.map { "\(try $0.realm.bound($0.owner.classID).name).\($0.property.name)" } ?? "self"
            throw RealmException("Operation '\(function.rawValue)' not supported for \(type.described) '\(name)'")
        }
    }

    private func unmanagedAggregate(
        _ function: AggregateRequest.Function, _ property: String, _ kind: CollectionKind
    ) throws -> Value {
        var type = Element._storedType.type
        guard type.isLink else {
            type.collection = kind
            try check(function, property, type, kind, nil)
            let adopterless = map { Conversion.value(of: $0) }
            return adopterless.aggregate(function, of: type.base)
        }
        guard let model = try (Element._storedType.linked).map({ try ClassModel.of($0) }) else { return .null }
        guard let slot = model.slot(of: property) else {
            throw RealmException(
                "Invalid property name: property '\(property)' not found in object of type '\(model.name)'")
        }
        let found = model.properties[slot]
        guard !found.type.isCollection, found.type.supports(function) else {
            throw RealmException(
                "Operation '\(function.rawValue)' not supported for \(found.type.described) '\(model.name).\(property)'")
        }
        return compactMap { flattened($0) as? ObjectBase }.map { object in
            object.dynamicValue(slot).map { Conversion.value(of: $0) } ?? .null
        }.aggregate(function, of: found.type.base)
    }
}

extension Conversion {
    /// A plain value as it is stored; null for objects.
    fileprivate static func value(of given: Any) -> Value {
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

extension RealmCollection where Element: ObjectBase {
    /// See `min(ofProperty:)`.
    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T? where T.PersistedType: MinMaxType {
        best(.minimum, _name(for: keyPath))
    }

    /// See `max(ofProperty:)`.
    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T? where T.PersistedType: MinMaxType {
        best(.maximum, _name(for: keyPath))
    }

    /// See `sum(ofProperty:)`.
    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T where T.PersistedType: AddableType {
        total(_name(for: keyPath))
    }

    /// See `average(ofProperty:)`.
    public func average<T: _HasPersistedType>(
        of keyPath: KeyPath<Element, T>
    ) -> T? where T.PersistedType: AddableType {
        best(.average, _name(for: keyPath))
    }
}

extension RealmCollection where Element: _HasPersistedType, Element.PersistedType: MinMaxType {
    /// The smallest value; nil when there is none.
    public func min() -> Element? { best(.minimum, "self") }

    /// The largest value; nil when there is none.
    public func max() -> Element? { best(.maximum, "self") }
}

extension RealmCollection where Element: _HasPersistedType, Element.PersistedType: AddableType {
    /// The sum of the values, 0 when there is none.
    public func sum() -> Element { total("self") }

    /// The mean of the values, nil when there is none.
    public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType { best(.average, "self") }
}
