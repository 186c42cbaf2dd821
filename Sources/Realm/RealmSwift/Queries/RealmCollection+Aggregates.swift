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
        raising { () throws -> T? in
            let value = try _source.aggregate(function, property) { Array(self) }
            if value.isNull { return nil }
            return try AggregateConversion.converted(value, to: T.self, in: _source.accessor?.realm)
        }
    }

    func total<T>(_ property: String) -> T {
        raising {
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
