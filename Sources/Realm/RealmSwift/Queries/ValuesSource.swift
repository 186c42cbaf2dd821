import ObjectModel
import QueryLanguage

/// A managed collection of plain or mixed values, which can be filtered, sorted, made distinct and aggregated: a property,
/// or a collection within a mixed value.
protocol ValuesSource: EditableAccessor {
    /// The type of the collection.
    var valuesType: StoredType { get }

    /// The class and name of the property, for messages.
    var valuesName: String { get throws }

    /// Returns a condition on the values. Throws if it does not fit them.
    func condition(_ predicate: PredicateForm) throws -> ValueCondition

    /// Returns the collection for use after `Realm.invalidate`, too; nil if it no longer exists.
    func renewed() throws -> (any ValuesSource)?
}

extension PropertyAccessor: ValuesSource {
    var valuesType: StoredType { property.type }
    var valuesName: String { get throws { "\(try realm.bound(owner.classID).name).\(property.name)" } }

    func renewed() throws -> (any ValuesSource)? {
        try CollectionReferencePayload.property(owner, column: property.column).accessor(in: realm) as? PropertyAccessor
    }

    func condition(_ predicate: PredicateForm) throws -> ValueCondition {
        let holder = realm.models.schema[owner.classID]
        guard let holder, let property = holder[property.id] else { throw RealmException.invalidObject }
        return try ValueCondition(predicate, on: property, of: holder, in: realm)
    }
}

extension NestedAccessor: ValuesSource {
    var valuesType: StoredType {
        var type = StoredType(.mixed)
        type.collection = isList ? .list : .map
        return type
    }

    var valuesName: String {
        get throws { "\(try realm.bound(location.owner.classID).name).\(location.property.name)" }
    }

    func renewed() throws -> (any ValuesSource)? {
        let (owner, column) = (location.owner, location.property.column)
        return try CollectionReferencePayload.nested(owner, column: column, location.steps, isList: isList)
            .accessor(in: realm) as? NestedAccessor
    }

    func condition(_ predicate: PredicateForm) throws -> ValueCondition {
        // The values do not differ from those of a list of mixed values.
        var type = valuesType
        type.collection = .list
        return try ValueCondition(
            predicate, on: PropertySchema("values", type), of: ClassSchema("Mixed", properties: []), in: realm)
    }
}
