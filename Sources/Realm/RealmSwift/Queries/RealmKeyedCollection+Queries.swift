import QuerySyntax
public import Foundation
import ObjectModel
import QueryLanguage

/// A collection that can be queried through its source.
public protocol _Queryable {
    var _source: _QuerySource { get }
}

extension Map: _Queryable {
    public var _source: _QuerySource { _QuerySource(accessor, .map) }
}

// Queries of a map apply to its values, in the order of their keys, without null objects.
extension RealmKeyedCollection {
    private var source: _QuerySource { (self as? any _Queryable)?._source ?? _QuerySource(nil, .map) }

    /// Returns the values that satisfy a condition; see `RealmCollection.filter`.
    public func filter(_ predicate: NSPredicate) -> Results<Value> { matching(.predicate(predicate)) }

    /// See `filter`.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        matching(.format(predicateFormat, args))
    }

    /// See `RealmCollection.where`.
    public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> {
        matching(.query(isIncluded(Query<Value>()).node))
    }

    private func matching(_ form: PredicateForm) -> Results<Value> {
        trapOnError { Results(try source.filtered(form)) }
    }

    /// Returns the values sorted, as live results; see `RealmCollection.sorted(by:)`.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value> where S.Element == SortDescriptor {
        trapOnError { Results(try source.sorted(by: Array(sortDescriptors))) }
    }

    /// Returns the values sorted by one of their properties, or by "self".
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// See `RealmCollection.distinct(by:)`.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Value> where S.Element == String {
        trapOnError { Results(try source.distinct(by: Array(keyPaths))) }
    }

    // MARK: Aggregates

    /// See `RealmCollection.min(ofProperty:)`.
    public func min<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        best(.minimum, property)
    }

    /// See `RealmCollection.max(ofProperty:)`.
    public func max<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        best(.maximum, property)
    }

    /// See `RealmCollection.sum(ofProperty:)`.
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        total(property)
    }

    /// See `RealmCollection.average(ofProperty:)`.
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: AddableType {
        best(.average, property)
    }

    private func best<T>(_ function: AggregateRequest.Function, _ property: String) -> T? {
        trapOnError { () throws -> T? in
            let value = try source.aggregate(function, property) { values }
            if value.isNull { return nil }
            return try AggregateConversion.converted(value, to: T.self, in: source.accessor?.realm)
        }
    }

    private func total<T>(_ property: String) -> T {
        trapOnError { () throws -> T in
            try AggregateConversion.converted(
                source.aggregate(.sum, property) { values }, to: T.self, in: source.accessor?.realm)
        }
    }
}

extension RealmKeyedCollection where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// See `min(ofProperty:)`.
    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType { best(.minimum, _name(for: keyPath)) }

    /// See `max(ofProperty:)`.
    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType { best(.maximum, _name(for: keyPath)) }

    /// See `sum(ofProperty:)`.
    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T
    where T.PersistedType: AddableType { total(_name(for: keyPath)) }

    /// See `average(ofProperty:)`.
    public func average<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: AddableType { best(.average, _name(for: keyPath)) }

    /// See `sorted(byKeyPath:)`.
    public func sorted<T: _HasPersistedType>(
        by keyPath: KeyPath<Value.Wrapped, T>, ascending: Bool = true
    ) -> Results<Value> where T.PersistedType: SortableType {
        sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
    }
}

extension RealmKeyedCollection where Value: _HasPersistedType, Value.PersistedType: MinMaxType {
    /// Returns the smallest value; nil for an empty map.
    public func min() -> Value? { best(.minimum, "self") }

    /// Returns the largest value; nil for an empty map.
    public func max() -> Value? { best(.maximum, "self") }
}

extension RealmKeyedCollection where Value: _HasPersistedType, Value.PersistedType: AddableType {
    /// Returns the sum of the values; 0 for an empty map.
    public func sum() -> Value { total("self") }

    /// Returns the mean of the values; nil for an empty map.
    public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType { best(.average, "self") }
}

extension RealmKeyedCollection where Value: _HasPersistedType, Value.PersistedType: SortableType {
    /// Returns the values sorted, as live results.
    public func sorted(ascending: Bool = true) -> Results<Value> {
        sorted(by: [SortDescriptor(keyPath: "self", ascending: ascending)])
    }

    /// Returns the values without duplicates, as live results.
    public func distinct() -> Results<Value> { distinct(by: ["self"]) }
}

// MARK: Maps in queries

extension Query where T: RealmKeyedCollection {
    /// The value of a key; null if the key does not exist.
    public subscript(key: T.Key) -> Query<T.Value> { step(.index(key._key)) }

    /// Any key.
    public var keys: Query<String> { step(.operation("keys")) }

    /// Any value.
    public var values: Query<T.Value> { step(.operation("values")) }

    /// The number of keys.
    public var count: Query<Int> { step(.operation("count")) }

    /// Whether the value or object is one of the values.
    public func contains(_ value: T.Value) -> Query<Bool> {
        hasElement(value)
    }

    /// Whether one of these is one of the values.
    public func containsAny<U: Sequence>(in values: U) -> Query<Bool> where U.Element == T.Value {
        isAmong(values)
    }

    /// Whether any value of the map is equal to the value or object.
    public static func == (query: Query, value: T.Value) -> Query<Bool> { query.compared(.equal, value) }
    /// Whether any value of the map differs from the value or object.
    public static func != (query: Query, value: T.Value) -> Query<Bool> { query.compared(.notEqual, value) }
}

extension Query where T: RealmKeyedCollection, T.Value: _HasPersistedType, T.Value.PersistedType: _QueryOrdered {
    /// Whether any value of the map is less than the value.
    public static func < (query: Query, value: T.Value) -> Query<Bool> { query.compared(.less, value) }
    /// Whether any value of the map is less than or equal to the value.
    public static func <= (query: Query, value: T.Value) -> Query<Bool> { query.compared(.lessOrEqual, value) }
    /// Whether any value of the map is greater than the value.
    public static func > (query: Query, value: T.Value) -> Query<Bool> { query.compared(.greater, value) }
    /// Whether any value of the map is greater than or equal to the value.
    public static func >= (query: Query, value: T.Value) -> Query<Bool> { query.compared(.greaterOrEqual, value) }
}

extension Query where T: RealmKeyedCollection, T.Value: _HasPersistedType, T.Value.PersistedType: _QueryNumeric {
    /// The smallest value; null for an empty map.
    public var min: Query<T.Value> { step(.operation("min")) }
    /// The largest value; null for an empty map.
    public var max: Query<T.Value> { step(.operation("max")) }
    /// The sum of the values; 0 for an empty map.
    public var sum: Query<T.Value> { step(.operation("sum")) }
    /// The mean of the values; null for an empty map.
    public var avg: Query<T.Value> { step(.operation("avg")) }
}

extension Query
where
    T: RealmKeyedCollection, T.Value: Comparable, T.Value: _HasPersistedType, T.Value.PersistedType: _QueryNumeric
{
    /// Whether the map is not empty and all values lie in the range.
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
        min.compared(.greaterOrEqual, range.lowerBound) && max.compared(.lessOrEqual, range.upperBound)
    }

    /// Whether the map is not empty and all values lie in the range.
    public func contains(_ range: Range<T.Value>) -> Query<Bool> {
        min.compared(.greaterOrEqual, range.lowerBound) && max.compared(.less, range.upperBound)
    }
}

extension Query
where
    T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: Comparable,
    T.Value.Wrapped: _HasPersistedType, T.Value.Wrapped.PersistedType: _QueryNumeric
{
    /// Whether at least one value is not null, and all such values lie in the range.
    public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> {
        let (low, high) = extremes
        return low.compared(.greaterOrEqual, range.lowerBound) && high.compared(.lessOrEqual, range.upperBound)
    }

    /// Whether at least one value is not null, and all such values lie in the range.
    public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> {
        let (low, high) = extremes
        return low.compared(.greaterOrEqual, range.lowerBound) && high.compared(.less, range.upperBound)
    }

    private var extremes: (Query<T.Value>, Query<T.Value>) {
        (step(.operation("min")), step(.operation("max")))
    }
}
