package import ObjectModel

/// The elements of a list, set or map of values as the objects of a class of their own: then conditions on them are
/// read, bound and run as those on objects are.
///
/// In a query `SELF`, or `self`, is the element, of a map the value. Of a map `@keys` is its key and `@values` is the
/// value, too. There are no other names.
package struct ElementClass: Hashable, Sendable {
    /// With the class alone, which is called as the property is, `Person.tags`. Its numbers mean nothing elsewhere.
    package let schema: Schema
    package let isMap: Bool

    /// Of a property of values, not of links.
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

    /// The element, of a map the value.
    package var value: PropertySchema { objectClass.properties[0] }

    /// Of a map.
    package var key: PropertySchema? { isMap ? objectClass.properties[1] : nil }

    private static let valueName = "self"
    private static let keyName = "@keys"

    /// What a name at the beginning of a path stands for.
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

    /// What to say of anything else.
    func refusal(of name: String) -> String {
        let names = isMap ? "'SELF' stands for one of them and '@keys' for its key" : "'SELF' stands for one of them"
        return "'\(objectClass.name)' holds values: \(names). There is no '\(name.clipped)'."
    }
}
