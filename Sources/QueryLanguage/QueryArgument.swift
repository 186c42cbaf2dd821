package import ObjectModel

/// What `$0`, `%@` or `$K0` stands for.
package enum QueryArgument: Hashable, Sendable {
    /// Also an object, as a `reference`; a list or set counts as `list`.
    case value(Value)
    /// A number with a fraction, and the text that it was read from, which may say more than the number holds.
    case floating(Value, text: String)
    case list([Value])
    /// A list among whose elements are objects by their primary keys.
    case elements([Element])
    /// An object by its class and primary key, or object key where the class has no primary key.
    case object(className: String, primaryKey: Value)
    /// For GEOWITHIN.
    case shape(GeoShape)

    package enum Element: Hashable, Sendable {
        case value(Value)
        case floating(Value, text: String)
        case object(className: String, primaryKey: Value)
    }
}
