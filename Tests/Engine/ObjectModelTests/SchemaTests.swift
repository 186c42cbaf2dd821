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

    @Test("numbers are kept for what stays, new for new or retyped properties, and never used twice")
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

        // The name returns with a new number. So does a property of another type, and a class that had been removed.
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
}
