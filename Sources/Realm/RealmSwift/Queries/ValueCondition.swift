import ObjectModel
import QueryExecution
import QueryLanguage

/// A condition on plain values, the elements of a collection, which it refers to as `SELF`.
struct ValueCondition: Sendable {
    private let element: ElementClass
    private let query: BoundQuery

    /// Throws a `RealmException` for a condition that does not fit the values.
    ///
    /// - Parameter realm: the realm of objects among the arguments; nil for an unmanaged collection.
    init(_ predicate: PredicateForm, on property: PropertySchema, of holder: ClassSchema, in realm: RLMRealm?) throws {
        element = ElementClass(property, of: holder)
        query = BoundQuery(
            classID: element.objectClass.id, predicate: try predicate.bound(to: element, in: realm))
    }

    /// The condition on the elements of an unmanaged collection.
    init(_ predicate: PredicateForm, onUnmanaged type: StoredType) throws {
        var type = type
        // The keys of a map are not asked for.
        type.collection = .list
        try self.init(
            predicate, on: PropertySchema("values", type), of: ClassSchema("Unmanaged", properties: []), in: nil)
    }

    /// Returns the positions of the values that satisfy the condition. Cost: one pass.
    func positions(in values: [Value], keys: [String] = []) throws -> [Int] {
        let keys = element.isMap && keys.isEmpty ? values.map { _ in "" } : keys
        return try QueryExecutor(ElementColumns(values, keys: keys, of: element)).select(query).map {
            Int($0.rawValue)
        }
    }
}
