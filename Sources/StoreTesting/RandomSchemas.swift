package import ObjectModel

/// Makes schemas of two to four classes, linked among one another and back.
package enum RandomSchemas {
    private static let scalars: [BaseType] = [.bool, .int, .float, .double, .string, .date, .objectId, .uuid]
    private static let keys: [BaseType] = [.int, .string, .objectId, .uuid]

    /// A schema without faults, at version 1. Every class has an Int and a String, and every class is linked to, so
    /// that each kind of path exists.
    package static func schema(_ random: inout SeededRandom) -> Schema {
        let names = ["Dog", "Person", "Toy", "City"].prefix(2 + random.below(3))
        var properties: [String: [PropertySchema]] = [:]
        var keyed: Set<String> = []
        for name in names {
            var own = [
                PropertySchema("number", PropertyType(.int, isOptional: random.oneIn(2)), isIndexed: random.oneIn(2)),
                PropertySchema("text", PropertyType(.string, isOptional: random.oneIn(2)), isIndexed: random.oneIn(2)),
            ]
            for index in 0..<random.below(7) {
                let type = PropertyType(random.pick(scalars) ?? .int, isOptional: random.oneIn(2))
                own.append(
                    PropertySchema("p\(index)", type, isIndexed: type.canBeIndexed && random.oneIn(3)))
            }
            if random.oneIn(2) {
                keyed.insert(name)
                let type = PropertyType(random.pick(keys) ?? .int, isOptional: random.oneIn(3))
                own.insert(PropertySchema("id", type), at: random.below(own.count + 1))
            }
            properties[name] = own
        }
        // Each class is linked to by the next one, some also by any other or by themselves.
        for (index, name) in names.enumerated() {
            var links = [(names[(index + 1) % names.count], "first")]
            if random.oneIn(2) { links.append((random.pick(names) ?? name, "second")) }
            for (origin, link) in links {
                let unique = "\(link)\(name)"
                properties[origin, default: []].append(
                    PropertySchema(unique, PropertyType(.link(name), isOptional: true)))
                if random.oneIn(2) || link == "first" {
                    properties[name, default: []].append(
                        PropertySchema("\(link)Of", PropertyType(.linkingObjects(fromClass: origin, property: unique)))
                    )
                }
            }
        }
        return Schema(
            version: 1,
            classes: names.map {
                ClassSchema($0, primaryKey: keyed.contains($0) ? "id" : nil, properties: properties[$0] ?? [])
            })
    }
}
