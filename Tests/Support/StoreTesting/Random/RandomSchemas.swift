package import ObjectModel
package import TestBasics

/// Makes schemas of two to four classes, linked among one another and back.
package enum RandomSchemas {
    package enum Kinds: Sendable {
        /// Single values that queries support, and links.
        case queryable
        /// Also data, decimals and mixed values, lists, sets and maps of everything, embedded objects within others.
        case all
    }

    private static let scalars: [BaseType] = [.bool, .int, .float, .double, .string, .date, .objectId, .uuid]
    private static let elements: [BaseType] = scalars + [.data, .decimal128, .mixed, .mixed]
    private static let keys: [BaseType] = [.int, .string, .objectId, .uuid]

    /// A valid schema at version 1. Every class has an Int and a String, and every class is linked to, so that each
    /// kind of path exists.
    package static func schema(_ random: inout SeededRandom, kinds: Kinds = .queryable) -> Schema {
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
        var embedded: [ClassSchema] = []
        if kinds == .all {
            for name in names {
                properties[name, default: []] += values(&random)
                for index in 0..<random.below(4) {
                    properties[name, default: []].append(link("many\(index)", to: random.pick(names) ?? name, &random))
                }
            }
            embedded = embeddedClasses(names: Array(names), &properties, &random)
            if random.oneIn(2) { embedded.append(pointClass(names: Array(names), &properties, &random)) }
            if random.oneIn(2), let name = random.pick(names) {
                properties[name, default: []].append(
                    PropertySchema(
                        "bio", PropertyType(.string, isOptional: random.oneIn(2)), isFullTextIndexed: true))
            }
        }
        return Schema(
            version: 1,
            classes: names.map {
                ClassSchema($0, primaryKey: keyed.contains($0) ? "id" : nil, properties: properties[$0] ?? [])
            } + embedded)
    }

    /// Up to eight properties of any type, single or in collections.
    private static func values(_ random: inout SeededRandom) -> [PropertySchema] {
        (0..<random.below(9)).map { index in
            let base = random.pick(elements) ?? .int
            let type = PropertyType(
                base, isOptional: base != .mixed && random.oneIn(2), collection: random.pick(collections) ?? .list)
            return PropertySchema("v\(index)", type, isIndexed: type.canBeIndexed && random.oneIn(3))
        }
    }

    /// One link to a class, or a collection of them.
    private static func link(
        _ name: String, to target: String, _ random: inout SeededRandom, among kinds: [CollectionKind] = collections
    ) -> PropertySchema {
        let collection = random.pick(kinds) ?? .list
        let isOptional = collection == .single || collection == .map
        return PropertySchema(name, PropertyType(.link(target), isOptional: isOptional, collection: collection))
    }

    /// Part, which Box may own; both link to top-level classes. Adds the owning properties to the classes that are to
    /// own them.
    private static func embeddedClasses(
        names: [String], _ properties: inout [String: [PropertySchema]], _ random: inout SeededRandom
    ) -> [ClassSchema] {
        let owning: [CollectionKind] = [.single, .list, .map]
        var box = [PropertySchema("label", PropertyType(.string, isOptional: true))] + values(&random)
        var part = [PropertySchema("count", PropertyType(.int))] + values(&random).prefix(3)
        if let target = random.pick(names) { box.append(link("about", to: target, &random)) }
        if let target = random.pick(names) { part.append(link("about", to: target, &random)) }
        box.append(link("part", to: "Part", &random, among: owning))
        for (index, name) in names.enumerated() {
            for number in 0..<(index == 0 ? 1 + random.below(3) : random.below(3)) {
                properties[name, default: []].append(link("box\(number)", to: "Box", &random, among: owning))
            }
            if random.oneIn(3) {
                properties[name, default: []].append(link("part", to: "Part", &random, among: owning))
            }
        }
        return [
            ClassSchema("Box", isEmbedded: true, properties: box),
            ClassSchema("Part", isEmbedded: true, properties: part),
        ]
    }

    /// Points in the form that geoWithin requires.
    private static func pointClass(
        names: [String], _ properties: inout [String: [PropertySchema]], _ random: inout SeededRandom
    ) -> ClassSchema {
        for (index, name) in names.enumerated() where index == 0 || random.oneIn(2) {
            properties[name, default: []].append(
                link("place", to: "Place", &random, among: [.single, .single, .list, .map]))
        }
        return ClassSchema(
            "Place", isEmbedded: true,
            properties: [
                PropertySchema("type", PropertyType(.string)),
                PropertySchema("coordinates", PropertyType(.double, collection: .list)),
            ])
    }

    /// Whether a class has the properties of a point.
    static func isPoint(_ objectClass: ClassSchema) -> Bool {
        objectClass["type"]?.type == PropertyType(.string)
            && objectClass["coordinates"]?.type == PropertyType(.double, collection: .list)
    }

    private static let collections: [CollectionKind] = [.single, .list, .list, .set, .map]
}
