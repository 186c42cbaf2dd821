package import ObjectModel

/// Treats the elements of a list, set or map of values as objects of a class of their own, so that conditions on them
/// are parsed, bound and executed like those on objects.
///
/// In a query `SELF`, or `self`, is the element; for a map it is the value. For a map `@keys` is its key and `@values`
/// is the value, too. No other names exist.
package struct ElementClass: Hashable, Sendable {
    /// A schema with only this class, whose name is the property's, `Person.tags`. Its numbers are valid in this schema
    /// only.
    package let schema: Schema
    package let isMap: Bool

    /// Takes a property of values, not of links.
    package init(_ property: PropertySchema, of holder: ClassSchema) {
        isMap = property.type.collection == .map
        var properties = [
            PropertySchema(Self.valueName, PropertyType(property.type.base, isOptional: property.type.isOptional))
        ]
        if isMap { properties.append(PropertySchema(Self.keyName, PropertyType(.string))) }
        // An embedded class, so that no mixed value may link to its objects.
        schema = Schema(
            version: 0,
            classes: [ClassSchema("\(holder.name).\(property.name)", isEmbedded: true, properties: properties)])
    }

    package var objectClass: ClassSchema { schema.classes[0] }

    /// The element; for a map, the value.
    package var value: PropertySchema { objectClass.properties[0] }

    /// The key; only for a map.
    package var key: PropertySchema? { isMap ? objectClass.properties[1] : nil }

    private static let valueName = "self"
    private static let keyName = "@keys"

    /// The property that a name at the beginning of a path refers to.
    func property(named name: String) -> PropertySchema? {
        name == Self.valueName || name == Self.valueName.uppercased() ? value : nil
    }

    func property(_ operation: PathOperation) -> PropertySchema? {
        switch operation {
        case .keys: key
        case .values: isMap ? value : nil
        default: nil
        }
    }

    /// The error message for any other name.
    func refusal(of name: String) -> String {
        let names = isMap ? "'SELF' is one of them and '@keys' its key" : "'SELF' is one of them"
        return "'\(objectClass.name)' holds values: \(names). There is no '\(name.clipped)'."
    }
}
