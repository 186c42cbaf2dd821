import ObjectModel
import QueryLanguage

/// An aggregate of a property of a collection's objects, for `observeAggregate`. Realm Swift has no such type.
public struct RealmAggregate<Element: ObjectBase>: Hashable, Sendable {
    let function: AggregateRequest.Function
    let property: String

    /// The smallest value of a property.
    public static func min<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> RealmAggregate
    where T.PersistedType: MinMaxType { min(ofProperty: _name(for: keyPath)) }

    /// The largest value of a property.
    public static func max<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> RealmAggregate
    where T.PersistedType: MinMaxType { max(ofProperty: _name(for: keyPath)) }

    /// The sum of a property's values.
    public static func sum<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> RealmAggregate
    where T.PersistedType: AddableType { sum(ofProperty: _name(for: keyPath)) }

    /// The mean of a property's values.
    public static func average<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> RealmAggregate
    where T.PersistedType: AddableType { average(ofProperty: _name(for: keyPath)) }

    /// The smallest value of a property, by its name.
    public static func min(ofProperty property: String) -> RealmAggregate {
        RealmAggregate(function: .minimum, property: property)
    }

    /// The largest value of a property, by its name.
    public static func max(ofProperty property: String) -> RealmAggregate {
        RealmAggregate(function: .maximum, property: property)
    }

    /// The sum of a property's values, by its name.
    public static func sum(ofProperty property: String) -> RealmAggregate {
        RealmAggregate(function: .sum, property: property)
    }

    /// The mean of a property's values, by its name.
    public static func average(ofProperty property: String) -> RealmAggregate {
        RealmAggregate(function: .average, property: property)
    }
}

/// The number of a collection's objects, or of a group of them, and the aggregates that are observed. Each is what the
/// collection's function of the same name gives, with the same rules for nulls, NaN, no objects and types. Asking for an
/// aggregate that is not observed traps.
public struct RealmAggregateValues<Element: ObjectBase> {
    /// The number of objects.
    public let count: Int
    let values: [RealmAggregate<Element>: Value]

    /// The smallest value of a property; nil if there is none.
    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T? where T.PersistedType: MinMaxType {
        best(.min(of: keyPath))
    }

    /// The largest value of a property; nil if there is none.
    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T? where T.PersistedType: MinMaxType {
        best(.max(of: keyPath))
    }

    /// The sum of a property's values; 0 if there is none.
    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T where T.PersistedType: AddableType {
        total(.sum(of: keyPath))
    }

    /// The mean of a property's values; nil if there is none.
    public func average<T: _HasPersistedType, R: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> R?
    where T.PersistedType: AddableType, R.PersistedType: AddableType { best(.average(of: keyPath)) }

    /// The smallest value of a property, by its name; nil if there is none.
    public func min<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        best(.min(ofProperty: property))
    }

    /// The largest value of a property, by its name; nil if there is none.
    public func max<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        best(.max(ofProperty: property))
    }

    /// The sum of a property's values, by its name; 0 if there is none.
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        total(.sum(ofProperty: property))
    }

    /// The mean of a property's values, by its name; nil if there is none.
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: AddableType {
        best(.average(ofProperty: property))
    }

    private func best<T>(_ aggregate: RealmAggregate<Element>) -> T? {
        trapOnError { () throws -> T? in
            let value = try value(of: aggregate)
            return value.isNull ? nil : try AggregateConversion.converted(value, to: T.self, in: nil)
        }
    }

    private func total<T>(_ aggregate: RealmAggregate<Element>) -> T {
        trapOnError { try AggregateConversion.converted(value(of: aggregate), to: T.self, in: nil) }
    }

    private func value(of aggregate: RealmAggregate<Element>) throws -> Value {
        guard let value = values[aggregate] else {
            throw RealmException(
                "The \(aggregate.function.rawValue) of '\(aggregate.property)' is not observed: give it to observeAggregate."
            )
        }
        return value
    }
}

/// The objects of a collection with the same value of a property, in `observeAggregate(by:)`.
public struct RealmAggregateGroup<Element: ObjectBase, Key> {
    /// The value of the property.
    public let key: Key
    /// The number of the group's objects, and their aggregates.
    public let values: RealmAggregateValues<Element>
}

/// A change of aggregates since their observer was last called.
public enum RealmAggregateChange<Element: ObjectBase> {
    /// The first call.
    case initial(RealmAggregateValues<Element>)
    /// The count or an aggregate is another one.
    case update(RealmAggregateValues<Element>)
}

/// A change of groups since their observer was last called. Groups are ascending by their keys.
public enum RealmAggregateGroupsChange<Element: ObjectBase, Key> {
    /// The first call.
    case initial([RealmAggregateGroup<Element, Key>])
    /// Positions of deletions and modifications refer to the old groups, those of insertions to the new ones; all are
    /// ascending.
    case update(
        [RealmAggregateGroup<Element, Key>], deletions: [Int], insertions: [Int], modifications: [Int])
}
