package import ObjectModel

/// Dogs with friends, in a link property of any kind, and with those who have them as friends.
package enum DogFriendsFixture {
    package static let dog = ClassID(1)
    package static let name = PropertyID(1)
    package static let friends = PropertyID(2)

    /// `links` is the type of `friends`.
    package static func schema(_ links: PropertyType) -> Schema {
        Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "Dog",
                    properties: [
                        PropertySchema("name", PropertyType(.string)), PropertySchema("friends", links),
                        PropertySchema("fans", PropertyType(.linkingObjects(fromClass: "Dog", property: "friends"))),
                    ])
            ])
    }

    /// A value of `friends`; only the first key if the property is single.
    package static func value(_ links: PropertyType, _ keys: [ObjectKey]) -> Value {
        let targets = keys.map { Value.link($0) }
        return switch links.collection {
        case .single: targets.first ?? .null
        case .list: .list(targets)
        case .set: .set(targets)
        case .map: .dictionary(ValueMap(targets.enumerated().map { ("k\($0.offset)", $0.element) }))
        }
    }
}
