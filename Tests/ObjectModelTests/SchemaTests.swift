import ObjectModel
import Testing

struct SchemaTests {
    private static func schema(_ version: UInt64 = 1, _ classes: [ClassSchema]) -> Schema {
        Schema(version: version, classes: classes)
    }

    private static let dog = ClassSchema(
        "Dog", primaryKey: "id",
        properties: [
            PropertySchema("id", PropertyType(.int)), PropertySchema("name", PropertyType(.string)),
            PropertySchema("owner", PropertyType(.link("Person"), isOptional: true)),
        ])
    private static let person = ClassSchema(
        "Person",
        properties: [
            PropertySchema("name", PropertyType(.string)),
            PropertySchema("dogs", PropertyType(.linkingObjects(fromClass: "Dog", property: "owner"))),
        ])

    @Test("a fresh schema is numbered from 1 in order and its links are resolved")
    func numbering() throws {
        let schema = Self.schema(1, [Self.dog, Self.person])
        #expect(schema.classes.map(\.id.rawValue) == [1, 2])
        #expect(schema.classes[0].properties.map(\.id.rawValue) == [1, 2, 3])
        #expect(schema.nextClassID == 3)
        #expect(schema.classes[0].nextPropertyID == 4)
        #expect(schema["Dog"]?["owner"]?.targetClass == ClassID(2))
        #expect(schema["Person"]?["dogs"]?.targetClass == ClassID(1))
        #expect(schema["Person"]?["dogs"]?.originProperty == PropertyID(3))
        #expect(schema[ClassID(2)]?.name == "Person")
        #expect(schema["Dog"]?[PropertyID(2)]?.name == "name")
        #expect(schema["Dog"]?.primaryKeyProperty?.name == "id")
        #expect(schema["Person"]?.storedProperties.map(\.name) == ["name"])
        #expect(schema["Cat"] == nil)
        #expect(schema[ClassID(9)] == nil)
        #expect(schema["Dog"]?["x"] == nil)
    }

    @Test("numbers are kept for what stays, new for what is new or of another type, and never used twice")
    func adoption() throws {
        let first = Self.schema(1, [Self.dog, Self.person])
        var dog = Self.dog
        dog.properties.remove(at: 1)
        dog.properties.insert(PropertySchema("age", PropertyType(.int)), at: 0)
        let second = Self.schema(2, [Self.person, dog]).adoptingIdentities(of: first)
        #expect(second["Dog"]?.id == ClassID(1))
        #expect(second["Person"]?.id == ClassID(2))
        #expect(second["Dog"]?.properties.map { "\($0.name) \($0.id.rawValue)" } == ["age 4", "id 1", "owner 3"])
        #expect(second["Person"]?["dogs"]?.originProperty == PropertyID(3))

        // The name comes back: a new number. So does a property of another type, and a class that was gone.
        dog.properties.append(PropertySchema("name", PropertyType(.string)))
        dog.properties[0].type = PropertyType(.double)
        let third = Self.schema(3, [dog, Self.person]).adoptingIdentities(of: second)
        #expect(third["Dog"]?["name"]?.id == PropertyID(6))
        #expect(third["Dog"]?["age"]?.id == PropertyID(5))
        let bare = ClassSchema("Dog", properties: [PropertySchema("x", PropertyType(.int))])
        let fourth = Self.schema(4, [bare]).adoptingIdentities(of: third)
        let fifth = Self.schema(
            5, [bare, ClassSchema("Person", properties: [PropertySchema("n", PropertyType(.int))])]
        )
        .adoptingIdentities(of: fourth)
        #expect(fourth["Dog"]?["x"]?.id == PropertyID(7))
        #expect(fifth["Person"]?.id == ClassID(3))
        #expect(fifth.nextClassID == 4)
        #expect(first.adoptingIdentities(of: first) == first)
    }

    @Test("a schema made from a store's record has the numbers of the record")
    func recorded() {
        let schema = Schema(
            version: 7,
            numberedClasses: [
                (Self.dog, ClassID(5), [PropertyID(9), PropertyID(2), PropertyID(4)], 10),
                (Self.person, ClassID(3), [PropertyID(1), PropertyID(2)], 3),
            ], nextClassID: 8)
        #expect(schema["Dog"]?["owner"]?.targetClass == ClassID(3))
        #expect(schema["Person"]?["dogs"]?.originProperty == PropertyID(4))
        #expect(schema[ClassID(5)]?[PropertyID(9)]?.name == "id")
        #expect(schema[ClassID(5)]?.nextPropertyID == 10)
        #expect(schema.nextClassID == 8)
    }

    @Test("a schema that a store can open has no faults")
    func faultless() {
        #expect(Self.schema(1, [Self.dog, Self.person]).faults() == [])
        #expect(Schema.empty.faults() == [])
    }

    struct Faulty: Sendable, CustomTestStringConvertible {
        let fault: String
        let properties: [PropertySchema]
        var primaryKey: String?
        var name = "A"
        var testDescription: String { fault }
    }

    @Test(
        "each fault is named",
        arguments: [
            Faulty(fault: "No properties are defined", properties: []),
            Faulty(fault: "unknown object type 'B'", properties: [PropertySchema("b", type("B?"))]),
            Faulty(fault: "must be nullable", properties: [PropertySchema("a", type("A"))]),
            Faulty(
                fault: "appears more than once",
                properties: [PropertySchema("a", type("int")), PropertySchema("a", type("int"))]),
            Faulty(
                fault: "cannot be made the primary key", properties: [PropertySchema("a", type("double"))],
                primaryKey: "a"),
            Faulty(fault: "'A.x' does not exist", properties: [PropertySchema("a", type("int"))], primaryKey: "x"),
            Faulty(fault: "cannot be indexed", properties: [PropertySchema("a", type("float"), isIndexed: true)]),
            Faulty(fault: "cannot be indexed", properties: [PropertySchema("a", type("A?"), isIndexed: true)]),
            Faulty(
                fault: "cannot have a default value of type 'string'",
                properties: [PropertySchema("a", type("int"), defaultValue: .string("x"))]),
            Faulty(
                fault: "cannot have a default value",
                properties: [PropertySchema("a", type("int"), defaultValue: .int(1))],
                primaryKey: "a"),
            Faulty(fault: "lists, sets and maps are not supported", properties: [PropertySchema("a", type("int[]"))]),
            Faulty(fault: "type 'data' is not supported", properties: [PropertySchema("a", type("data"))]),
            Faulty(fault: "type 'mixed' is not supported", properties: [PropertySchema("a", type("mixed"))]),
            Faulty(fault: "does not exist", properties: [PropertySchema("a", type("linkingObjects(A.b)"))]),
            Faulty(
                fault: "is not a link",
                properties: [PropertySchema("a", type("linkingObjects(A.b)")), PropertySchema("b", type("int"))]),
            Faulty(fault: "reserved", properties: [PropertySchema("$key", type("int"))]),
            Faulty(fault: "without a name", properties: [PropertySchema("", type("int"))]),
            Faulty(
                fault: "longer than 63 bytes",
                properties: [PropertySchema(String(repeating: "é", count: 32), type("int"))]),
            Faulty(
                fault: "longer than 57 bytes", properties: [PropertySchema("a", type("int"))],
                name: String(repeating: "A", count: 58)),
            Faulty(fault: "cannot name a class", properties: [PropertySchema("a", type("int"))], name: "1A"),
        ])
    func faults(_ example: Faulty) {
        let objectClass = ClassSchema(example.name, primaryKey: example.primaryKey, properties: example.properties)
        let faults = Self.schema(1, [objectClass]).faults()
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.contains(example.fault) == true, "\(faults)")
    }

    @Test("faults between classes, and several at once, are all named")
    func manyFaults() {
        let other = ClassSchema("B", isEmbedded: true, properties: [PropertySchema("a", Self.type("A?"))])
        let first = ClassSchema(
            "A",
            properties: [
                PropertySchema("b", Self.type("linkingObjects(B.a)")),
                PropertySchema("c", Self.type("linkingObjects(C.a)")),
                PropertySchema("x", Self.type("decimal128{}")),
            ])
        let faults = Self.schema(1, [first, other, other]).faults()
        #expect(faults.count(where: { $0.contains("embedded") }) == 2)
        #expect(faults.contains { $0.contains("'C.a'") })
        #expect(faults.contains { $0.contains("lists, sets and maps") })
        #expect(faults.contains { $0.contains("decimal128") })
        #expect(faults.contains("Class 'B' appears more than once."))
        let wrongTarget = Self.schema(
            1,
            [
                ClassSchema("A", properties: [PropertySchema("l", Self.type("linkingObjects(B.a)"))]),
                ClassSchema("B", properties: [PropertySchema("a", Self.type("B?"))]),
            ])
        #expect(wrongTarget.faults().count == 1)
        #expect(wrongTarget.faults().first?.contains("links to type 'B'") == true)
    }

    private static func type(_ text: String) -> PropertyType { PropertyType(text: text) ?? PropertyType(.mixed) }
}
