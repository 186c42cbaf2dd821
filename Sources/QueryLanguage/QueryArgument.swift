package import ObjectModel

/// What `$0`, `%@` or `$K0` stands for.
package enum QueryArgument: Hashable, Sendable {
    case value(Value)
    case list([Value])
    /// An object by its class and primary key, or object key where the class has no primary key.
    case object(className: String, primaryKey: Value)
    /// For GEOWITHIN.
    case shape(GeoShape)
}
