import ObjectModel
import Testing

struct SchemaValidationTests {
    struct Faulty: Sendable, CustomTestStringConvertible {
        let fault: String
        let properties: [PropertySchema]
        var primaryKey: String?
        var name = "A"
        /// More classes, in addition to an embedded class `E` that exists when a property links to it.
        var others: [ClassSchema] = []
        var testDescription: String { fault }
    }

    @Test(
        "each fault is named, alone",
        arguments: [
            Faulty(fault: "No properties are defined for 'A'.", properties: []),
            Faulty(fault: "Property 'A.b' of type 'object' has unknown object type 'B'", properties: [p("b", "B?")]),
            Faulty(fault: "Property 'A.b' of type 'object' has unknown object type 'B'", properties: [p("b", "B[]")]),
            Faulty(fault: "Property 'A.a' of type 'object' must be nullable.", properties: [p("a", "A")]),
            Faulty(fault: "Property 'A.a' of type 'object' must be nullable.", properties: [p("a", "A{}")]),
            Faulty(fault: "Property 'A.a' of type 'object' cannot be nullable", properties: [p("a", "A?[]")]),
            Faulty(fault: "Property 'A.a' of type 'object' cannot be nullable", properties: [p("a", "A?<>")]),
            Faulty(fault: "Property 'A.a' of type 'mixed' cannot be nullable", properties: [p("a", "mixed?")]),
            Faulty(fault: "Property 'A.a' of type 'mixed' cannot be nullable", properties: [p("a", "mixed?{}")]),
            Faulty(
                fault: "Property 'A.a' of type 'linkingObjects(A.b)' cannot be nullable",
                properties: [
                    PropertySchema(
                        "a", PropertyType(.linkingObjects(fromClass: "A", property: "b"), isOptional: true)),
                    p("b", "A?"),
                ]),
            Faulty(
                fault: "Property 'A.a' of type 'linkingObjects(A.b)' cannot be nullable or a collection",
                properties: [
                    PropertySchema(
                        "a", PropertyType(.linkingObjects(fromClass: "A", property: "b"), collection: .list)),
                    p("b", "A?"),
                ]),
            Faulty(fault: "Property 'A.a' appears more than once.", properties: [p("a", "int"), p("a", "string")]),
            Faulty(
                fault: "Property 'A.a' of type 'double' cannot be made the primary key.",
                properties: [p("a", "double")], primaryKey: "a"),
            Faulty(
                fault: "Property 'A.a' of type 'mixed' cannot be made the primary key.", properties: [p("a", "mixed")],
                primaryKey: "a"),
            Faulty(
                fault: "Property 'A.a' of type 'int[]' cannot be made the primary key.", properties: [p("a", "int[]")],
                primaryKey: "a"),
            Faulty(
                fault: "Primary key property 'A.x' does not exist.", properties: [p("a", "int")], primaryKey: "x"),
            Faulty(
                fault: "Property 'A.a' of type 'int' cannot be indexed for full-text search",
                properties: [PropertySchema("a", PropertyType(.int), isFullTextIndexed: true)]),
            Faulty(
                fault: "Property 'A.a' of type 'string[]' cannot be indexed for full-text search",
                properties: [PropertySchema("a", PropertyType(.string, collection: .list), isFullTextIndexed: true)]),
            Faulty(
                fault: "cannot have a default value of type 'string'",
                properties: [PropertySchema("a", PropertyType(.int), defaultValue: .string("x"))]),
            Faulty(
                fault: "cannot have a default value of type 'null'",
                properties: [PropertySchema("a", PropertyType(.int), defaultValue: .null)]),
            Faulty(
                fault: "Property 'A.a' of type 'int[]' cannot have a default value of type 'list'",
                properties: [PropertySchema("a", PropertyType(.int, collection: .list), defaultValue: .list([.null]))]),
            Faulty(
                fault: "Property 'A.a' of type 'int[]' cannot have a default value of type 'set'",
                properties: [PropertySchema("a", PropertyType(.int, collection: .list), defaultValue: .set([]))]),
            Faulty(
                fault: "Property 'A.a' cannot have a default value.",
                properties: [PropertySchema("a", PropertyType(.int), defaultValue: .int(1))], primaryKey: "a"),
            Faulty(
                fault: "Property 'A.a' cannot have a default value.",
                properties: [PropertySchema("a", PropertyType(.link("A"), isOptional: true), defaultValue: .null)]),
            Faulty(
                fault: "Property 'A.a' cannot have a default value.",
                properties: [
                    PropertySchema(
                        "a", PropertyType(.mixed),
                        defaultValue: .list([.reference(ObjectReference(ClassID(1), ObjectKey(0)))]))
                ]),
            Faulty(
                fault: "has the key 'x.y'",
                properties: [
                    PropertySchema(
                        "a", PropertyType(.int, collection: .map),
                        defaultValue: .dictionary(ValueMap([("x.y", .int(1))])))
                ]),
            Faulty(
                fault: "'B.x' declared as origin of linking objects property 'A.a' does not exist",
                properties: [p("a", "linkingObjects(B.x)")]),
            Faulty(
                fault: "'A.b' declared as origin of linking objects property 'A.a' is not a link",
                properties: [p("a", "linkingObjects(A.b)"), p("b", "int")]),
            Faulty(
                fault: "'A.b' declared as origin of linking objects property 'A.a' is not a link",
                properties: [p("a", "linkingObjects(A.b)"), p("b", "mixed")]),
            Faulty(
                fault: "'B.b' declared as origin of linking objects property 'A.a' links to type 'B'",
                properties: [p("a", "linkingObjects(B.b)")],
                others: [ClassSchema("B", properties: [p("b", "B[]")])]),
            Faulty(fault: "reserved", properties: [p("$key", "int")]),
            Faulty(fault: "Class 'A' has a property without a name.", properties: [p("", "int")]),
            Faulty(fault: "longer than 63 bytes", properties: [p(String(repeating: "é", count: 32), "int")]),
            Faulty(
                fault: "longer than 57 bytes", properties: [p("a", "int")], name: String(repeating: "A", count: 58)),
            Faulty(fault: "'1A' is not a valid class name", properties: [p("a", "int")], name: "1A"),
            Faulty(fault: "'A  b' is not a valid class name", properties: [p("a", "int")], name: "A  b"),
            Faulty(fault: "'A ' is not a valid class name", properties: [p("a", "int")], name: "A "),
            Faulty(fault: "' A' is not a valid class name", properties: [p("a", "int")], name: " A"),
            Faulty(fault: "'A\tb' is not a valid class name", properties: [p("a", "int")], name: "A\tb"),
            Faulty(fault: "' ' is not a valid class name", properties: [p("a", "int")], name: " "),
            Faulty(fault: "it is the name of a type", properties: [p("a", "int")], name: "objectId"),
            Faulty(fault: "Class 'A' has more than 65535 properties.", properties: many(65_536)),
            Faulty(
                fault: "Set property 'A.e' cannot contain embedded object type 'E'",
                properties: [p("e", "E<>")], others: [embedded("E", [p("x", "int")])]),
            Faulty(
                fault: "Embedded object type 'E' cannot have a primary key.", properties: [p("e", "E[]")],
                others: [ClassSchema("E", primaryKey: "x", isEmbedded: true, properties: [p("x", "int")])]),
            Faulty(
                fault: "Embedded object type 'E' cannot be reached", properties: [p("a", "int")],
                others: [embedded("E", [p("x", "int")])]),
            Faulty(
                fault: "Cycles containing embedded objects are not currently supported: 'E.e'",
                properties: [p("e", "E?")], others: [embedded("E", [p("e", "E?")])]),
            Faulty(
                fault: "Cycles containing embedded objects are not currently supported: 'E.f.e'",
                properties: [p("e", "E?")],
                others: [embedded("E", [p("f", "F[]"), p("top", "A?")]), embedded("F", [p("e", "E?{}")])]),
        ])
    func faults(_ example: Faulty) {
        let objectClass = ClassSchema(example.name, primaryKey: example.primaryKey, properties: example.properties)
        let faults = Schema(version: 1, classes: [objectClass] + example.others).faults()
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.contains(example.fault) == true, "\(faults)")
    }

    private static let scalars = [
        "bool", "int", "float", "double", "string", "data", "date", "decimal128", "objectId", "uuid",
    ]

    @Test("every scalar can be required or optional, single or in a list, set or map")
    func everyType() {
        var properties = Self.scalars.flatMap { base in
            ["", "?"].flatMap { optional in
                ["", "[]", "<>", "{}"].map { Self.p("p\(base)\(optional)\($0)", base + optional + $0) }
            }
        }
        properties += ["", "[]", "<>", "{}"].map { Self.p("m\($0)", "mixed\($0)") }
        properties += ["?", "[]", "<>", "?{}"].map { Self.p("l\($0)", "A\($0)") }
        properties += ["?", "[]", "?{}"].map { Self.p("e\($0)", "E\($0)") }
        properties += properties.filter { $0.type.isLink && $0.name.hasPrefix("l") }.map {
            Self.p("origin \($0.name)", "linkingObjects(A.\($0.name))")
        }
        let embedded = Self.embedded(
            "E", [Self.p("owner", "linkingObjects(A.e[])"), Self.p("top", "A?"), Self.p("deeper", "F[]")])
        let deeper = Self.embedded("F", [Self.p("x", "int")])
        let schema = Schema(version: 1, classes: [ClassSchema("A", properties: properties), embedded, deeper])
        #expect(schema.faults() == [])
        #expect(schema["A"]?["e[]"]?.ownsTarget == true)
        #expect(schema["A"]?["l[]"]?.ownsTarget == false)
        for origin in ["l?", "l[]", "l<>", "l?{}"] {
            #expect(schema["A"]?["origin \(origin)"]?.originProperty == schema["A"]?[origin]?.id)
        }
    }

    @Test(
        "a primary key is Int, String, ObjectId or UUID; an index also Bool, Date or Mixed",
        arguments: Self.scalars + ["mixed", "A"])
    func keysAndIndexes(_ base: String) {
        let optional = base == "mixed" ? [""] : base == "A" ? ["?"] : ["", "?"]
        for suffix in optional {
            for collection in ["", "[]", "<>", "{}"] where base != "A" || collection.isEmpty {
                let property = Self.p("p", base + suffix + collection, isIndexed: true)
                let keys = ["int", "string", "objectId", "uuid"].contains(base) && collection.isEmpty
                let indexes = keys || (["bool", "date", "mixed"].contains(base) && collection.isEmpty)
                let indexed = Schema(version: 1, classes: [ClassSchema("A", properties: [property])]).faults()
                #expect(indexed.isEmpty == indexes, "\(indexed)")
                let key = Self.p("p", base + suffix + collection)
                let keyed = Schema(version: 1, classes: [ClassSchema("A", primaryKey: "p", properties: [key])]).faults()
                #expect(keyed.isEmpty == keys, "\(keyed)")
            }
        }
    }

    @Test("defaults of every kind are possible, of collections too, as long as they contain no objects")
    func defaults() {
        let examples: [(String, Value)] = [
            ("int?", .null), ("data", .data([1])), ("decimal128", .decimal(.zero)), ("mixed", .list([.int(1), .null])),
            ("mixed", .dictionary(ValueMap([("a", .list([]))]))), ("int[]", .list([.int(1), .int(1)])),
            ("string?<>", .set([.null, .string("a")])), ("int{}", .dictionary(ValueMap([("", .int(1))]))),
        ]
        for (type, value) in examples {
            let property = PropertySchema("p", Self.type(type), defaultValue: value)
            #expect(Schema(version: 1, classes: [ClassSchema("A", properties: [property])]).faults() == [], "\(type)")
        }
        let text = PropertySchema("p", Self.type("string?"), isIndexed: true, isFullTextIndexed: true)
        #expect(Schema(version: 1, classes: [ClassSchema("A", properties: [text])]).faults() == [])
    }

    @Test("all faults of all classes are reported, in the order of the classes")
    func manyFaults() {
        let a = ClassSchema(
            "A", primaryKey: "x",
            properties: [
                Self.p("b", "linkingObjects(B.a)"), Self.p("c", "linkingObjects(C.a)"), Self.p("d", "D"),
                Self.p("x", "decimal128{}", isIndexed: true), Self.p("m", "mixed?"),
            ])
        let b = ClassSchema(
            "B", primaryKey: "a", isEmbedded: true, properties: [Self.p("a", "int"), Self.p("b", "B?")])
        #expect(
            Schema(version: 1, classes: [a, b, b]).faults() == [
                "Property 'B.a' declared as origin of linking objects property 'A.b' is not a link",
                "Property 'C.a' declared as origin of linking objects property 'A.c' does not exist",
                "Property 'A.d' of type 'object' must be nullable.",
                "Property 'A.d' of type 'object' has unknown object type 'D'",
                "Property 'A.x' of type 'decimal128{}' cannot be made the primary key.",
                "Property 'A.x' of type 'decimal128{}' cannot be indexed.",
                "Property 'A.m' of type 'mixed' cannot be nullable: null is already one of its values.",
                "Embedded object type 'B' cannot have a primary key.",
                "Class 'B' appears more than once.",
                "Embedded object type 'B' cannot have a primary key.",
                "Cycles containing embedded objects are not currently supported: 'B.b'",
                "Embedded object type 'B' cannot be reached: no top-level class links to it, directly or through other embedded classes.",
            ])
    }

    @Test("two separate cycles of embedded classes are both reported, a cycle through one of them once")
    func cycles() {
        let schema = Schema(
            version: 1,
            classes: [
                ClassSchema("A", properties: [Self.p("e", "E?"), Self.p("g", "G?")]),
                Self.embedded("E", [Self.p("f", "F?"), Self.p("x", "int")]), Self.embedded("F", [Self.p("e", "E?")]),
                Self.embedded("G", [Self.p("g", "G[]"), Self.p("e", "E?")]),
            ])
        #expect(
            schema.faults() == [
                "Cycles containing embedded objects are not currently supported: 'E.f.e'",
                "Cycles containing embedded objects are not currently supported: 'G.g'",
            ])
    }

    private static func type(_ text: String) -> PropertyType { PropertyType(text: text) ?? PropertyType(.mixed) }

    private static func p(_ name: String, _ type: String, isIndexed: Bool = false) -> PropertySchema {
        PropertySchema(name, Self.type(type), isIndexed: isIndexed)
    }

    private static func embedded(_ name: String, _ properties: [PropertySchema]) -> ClassSchema {
        ClassSchema(name, isEmbedded: true, properties: properties)
    }

    private static func many(_ count: Int) -> [PropertySchema] { (0..<count).map { p("p\($0)", "int") } }
}
