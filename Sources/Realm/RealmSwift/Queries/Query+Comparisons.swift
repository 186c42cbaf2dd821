import QuerySyntax
public import Foundation
import QueryLanguage

// Properties can be compared with constants of their type, and with other properties.

/// Types whose values `<` and its siblings compare in queries.
public protocol _QueryOrdered {}
extension Optional: _QueryOrdered where Wrapped: _QueryOrdered {}

/// Types of numbers and dates, which queries also aggregate.
public protocol _QueryNumeric: _QueryOrdered {}
extension Int: _QueryNumeric {}
extension Int8: _QueryNumeric {}
extension Int16: _QueryNumeric {}
extension Int32: _QueryNumeric {}
extension Int64: _QueryNumeric {}
extension Float: _QueryNumeric {}
extension Double: _QueryNumeric {}
extension Decimal128: _QueryNumeric {}
extension Date: _QueryNumeric {}
extension AnyRealmValue: _QueryNumeric {}
extension Optional: _QueryNumeric where Wrapped: _QueryNumeric {}

extension Query where T: _HasPersistedType {
    /// Whether the property is equal to the value. Null is equal to null only.
    public static func == (query: Query, value: T) -> Query<Bool> { query.compared(.equal, value) }
    /// Whether both properties of the object are equal.
    public static func == (query: Query, other: Query) -> Query<Bool> { query.compared(.equal, other) }
    /// Whether the property differs from the value. Null differs from every other value.
    public static func != (query: Query, value: T) -> Query<Bool> { query.compared(.notEqual, value) }
    /// Whether both properties of the object differ.
    public static func != (query: Query, other: Query) -> Query<Bool> { query.compared(.notEqual, other) }

    /// Whether the value is one of these values.
    public func `in`<U: Sequence>(_ values: U) -> Query<Bool> where U.Element == T {
        isAmong(values)
    }
}

extension Query where T: _HasPersistedType, T: OptionalProtocol {
    /// Whether the value is one of these values.
    @_disfavoredOverload
    public func `in`<U: Sequence>(_ values: U) -> Query<Bool> where U.Element == T.Wrapped {
        isAmong(values)
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryOrdered {
    /// Whether the property is less than the value. False for null.
    public static func < (query: Query, value: T) -> Query<Bool> { query.compared(.less, value) }
    /// Whether the property is less than the other property. False for null.
    public static func < (query: Query, other: Query) -> Query<Bool> { query.compared(.less, other) }
    /// Whether the property is less than or equal to the value. False if only one side is null.
    public static func <= (query: Query, value: T) -> Query<Bool> { query.compared(.lessOrEqual, value) }
    /// Whether the property is less than or equal to the other property. False if only one of them is null.
    public static func <= (query: Query, other: Query) -> Query<Bool> { query.compared(.lessOrEqual, other) }
    /// Whether the property is greater than the value. False for null.
    public static func > (query: Query, value: T) -> Query<Bool> { query.compared(.greater, value) }
    /// Whether the property is greater than the other property. False for null.
    public static func > (query: Query, other: Query) -> Query<Bool> { query.compared(.greater, other) }
    /// Whether the property is greater than or equal to the value. False if only one side is null.
    public static func >= (query: Query, value: T) -> Query<Bool> { query.compared(.greaterOrEqual, value) }
    /// Whether the property is greater than or equal to the other property. False if only one of them is null.
    public static func >= (query: Query, other: Query) -> Query<Bool> { query.compared(.greaterOrEqual, other) }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
    /// The smallest value of this property of a collection's elements.
    public var min: Query { Query(.path(path.aggregated("min"))) }
    /// The largest value of this property of a collection's elements.
    public var max: Query { Query(.path(path.aggregated("max"))) }
    /// The sum of this property of a collection's elements.
    public var sum: Query { Query(.path(path.aggregated("sum"))) }
    /// The mean of this property of a collection's elements.
    public var avg: Query { Query(.path(path.aggregated("avg"))) }
}

// MARK: Ranges

extension Query where T: Comparable, T: _HasPersistedType {
    /// Whether the value lies in the range.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> { within(range.lowerBound, range.upperBound) }

    /// Whether the value lies in the range.
    public func contains(_ range: Range<T>) -> Query<Bool> { below(range.lowerBound, range.upperBound) }
}

extension Query where T: OptionalProtocol, T.Wrapped: Comparable, T.Wrapped: _HasPersistedType {
    /// Whether the value lies in the range.
    public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> {
        within(range.lowerBound, range.upperBound)
    }

    /// Whether the value lies in the range.
    public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> { below(range.lowerBound, range.upperBound) }
}

extension Query {
    func within(_ lower: Any, _ upper: Any) -> Query<Bool> {
        let (low, high) = (QueryValue.persisted(lower), QueryValue.persisted(upper))
        switch low {
        // Formats have BETWEEN for numbers and dates only.
        case is String, is Data, is ObjectId, is UUID:
            return compared(.greaterOrEqual, low) && compared(.lessOrEqual, high)
        default: return Query<Bool>(.between(node, low, high))
        }
    }

    func below(_ lower: Any, _ upper: Any) -> Query<Bool> { compared(.greaterOrEqual, lower) && compared(.less, upper) }
}

// MARK: Mixed values

extension Query where T == AnyRealmValue {
    /// The value of a key, if the value is a dictionary.
    public subscript(key: String) -> Query<AnyRealmValue> { step(.index(key)) }
    /// The element at a position, if the value is a list.
    public subscript(position: Int) -> Query<AnyRealmValue> { step(.index(position)) }
    /// Any value of a list or dictionary.
    public var any: Query<AnyRealmValue> { step(.any) }
}

// MARK: Geographic points

extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
    /// Whether the point lies in the region.
    public func geoWithin<S: RLMGeospatial>(_ shape: S) -> Query<Bool> { Query<Bool>(.geoWithin(path, shape)) }
}

extension Query where T: OptionalProtocol, T.Wrapped: _CustomPersistable, T.Wrapped.PersistedType: EmbeddedObject {
    /// Whether the point lies in the region.
    public func geoWithin<S: RLMGeospatial>(_ shape: S) -> Query<Bool> { Query<Bool>(.geoWithin(path, shape)) }
}

extension Query where T: RealmCollection, T.Element: EmbeddedObject {
    /// Whether any of the points lies in the region.
    public func geoWithin<S: RLMGeospatial>(_ shape: S) -> Query<Bool> { Query<Bool>(.geoWithin(path, shape)) }
}
