import QuerySyntax
import QueryLanguage

// Lists, sets and linking objects in queries. A comparison is true if it is true of any element.

extension Query where T: RealmCollection {
    /// The number of elements.
    public var count: Query<Int> { step(.operation("count")) }

    /// Whether the value or object is one of the elements.
    public func contains(_ value: T.Element) -> Query<Bool> {
        hasElement(value)
    }

    /// Whether one of the values or objects is one of the elements.
    public func containsAny<U: Sequence>(in values: U) -> Query<Bool> where U.Element == T.Element {
        isAmong(values)
    }

    /// Whether any element is equal to the value or object.
    public static func == (query: Query, value: T.Element) -> Query<Bool> { query.compared(.equal, value) }
    /// Whether any element differs from the value or object.
    public static func != (query: Query, value: T.Element) -> Query<Bool> { query.compared(.notEqual, value) }
    /// Whether any element is equal to the other side.
    public static func == (query: Query, other: Query<T.Element>) -> Query<Bool> { query.compared(.equal, other) }
    /// Whether any element differs from the other side.
    public static func != (query: Query, other: Query<T.Element>) -> Query<Bool> { query.compared(.notEqual, other) }
}

extension Query where T: RealmCollection, T.Element: _HasPersistedType, T.Element.PersistedType: _QueryOrdered {
    /// Whether any element is less than the value.
    public static func < (query: Query, value: T.Element) -> Query<Bool> { query.compared(.less, value) }
    /// Whether any element is less than or equal to the value.
    public static func <= (query: Query, value: T.Element) -> Query<Bool> { query.compared(.lessOrEqual, value) }
    /// Whether any element is greater than the value.
    public static func > (query: Query, value: T.Element) -> Query<Bool> { query.compared(.greater, value) }
    /// Whether any element is greater than or equal to the value.
    public static func >= (query: Query, value: T.Element) -> Query<Bool> { query.compared(.greaterOrEqual, value) }
}

extension Query where T: RealmCollection, T.Element: _HasPersistedType, T.Element.PersistedType: _QueryNumeric {
    /// The smallest element; null for an empty collection.
    public var min: Query<T.Element> { step(.operation("min")) }
    /// The largest element; null for an empty collection.
    public var max: Query<T.Element> { step(.operation("max")) }
    /// The sum of the elements; 0 for an empty collection.
    public var sum: Query<T.Element> { step(.operation("sum")) }
    /// The mean of the elements; null for an empty collection.
    public var avg: Query<T.Element> { step(.operation("avg")) }
}

extension Query
where
    T: RealmCollection, T.Element: Comparable, T.Element: _HasPersistedType, T.Element.PersistedType: _QueryNumeric
{
    /// Whether the collection is not empty and all elements lie in the range.
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
        min.compared(.greaterOrEqual, range.lowerBound) && max.compared(.lessOrEqual, range.upperBound)
    }

    /// Whether the collection is not empty and all elements lie in the range.
    public func contains(_ range: Range<T.Element>) -> Query<Bool> {
        min.compared(.greaterOrEqual, range.lowerBound) && max.compared(.less, range.upperBound)
    }
}

extension Query
where
    T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: Comparable,
    T.Element.Wrapped: _HasPersistedType, T.Element.Wrapped.PersistedType: _QueryNumeric
{
    /// Whether at least one element is not null, and all such elements lie in the range.
    public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> {
        let (low, high) = extremes
        return low.compared(.greaterOrEqual, range.lowerBound) && high.compared(.lessOrEqual, range.upperBound)
    }

    /// Whether at least one element is not null, and all such elements lie in the range.
    public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> {
        let (low, high) = extremes
        return low.compared(.greaterOrEqual, range.lowerBound) && high.compared(.less, range.upperBound)
    }

    private var extremes: (Query<T.Element>, Query<T.Element>) {
        (step(.operation("min")), step(.operation("max")))
    }
}
