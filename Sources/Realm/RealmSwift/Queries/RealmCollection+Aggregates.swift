import ObjectModel
import QueryLanguage

extension RealmCollection {
    /// Returns the smallest value of a property or, for "self", of plain values; nil if there is none. Ignores nulls
    /// and NaN. Traps for properties that do not exist or have no order. Cost: one pass within the engine.
    public func min<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        best(.minimum, property)
    }

    /// Returns the largest value of a property; see `min`.
    public func max<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        best(.maximum, property)
    }

    /// Returns the sum of a property's values; 0 if there is none. Ignores nulls and NaN; sums of Int wrap around.
    /// Traps for properties that do not exist or are not numbers.
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        total(property)
    }

    /// Returns the mean of a property's values; nil if there is none. Ignores nulls and NaN. Use Double: a mean that is
    /// not a whole number traps for Int.
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: AddableType {
        best(.average, property)
    }

    func best<T>(_ function: AggregateRequest.Function, _ property: String) -> T? {
        trapOnError { () throws -> T? in
            let value = try _source.aggregate(function, property) { Array(self) }
            if value.isNull { return nil }
            return try AggregateConversion.converted(value, to: T.self, in: _source.accessor?.realm)
        }
    }

    func total<T>(_ property: String) -> T {
        trapOnError {
            try AggregateConversion.converted(
                _source.aggregate(.sum, property) { Array(self) }, to: T.self, in: _source.accessor?.realm)
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
    /// Returns the smallest value; nil for an empty collection.
    public func min() -> Element? { best(.minimum, "self") }

    /// Returns the largest value; nil for an empty collection.
    public func max() -> Element? { best(.maximum, "self") }
}

extension RealmCollection where Element: _HasPersistedType, Element.PersistedType: AddableType {
    /// Returns the sum of the values; 0 for an empty collection.
    public func sum() -> Element { total("self") }

    /// Returns the mean of the values; nil for an empty collection.
    public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType { best(.average, "self") }
}
