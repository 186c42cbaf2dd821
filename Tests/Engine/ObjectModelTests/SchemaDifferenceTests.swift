import ObjectModel
import Testing

struct SchemaDifferenceTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let before: String?
        let after: String?
        let sentence: String
        let effect: SchemaDifference.Effect
        var inRealm = true
        /// Whether the property keeps its values, that is its number.
        var keeps = false
        var testDescription: String { "\(before ?? "none") → \(after ?? "none")" }
    }

    @Test(
        "each change of a property has its sentence and its effect",
        arguments: [
            Example(
                before: nil, after: "int", sentence: "Property 'C.p' has been added.", effect: .automatic),
            Example(before: "int", after: nil, sentence: "Property 'C.p' has been removed.", effect: .losesData),
            Example(
                before: "int", after: "string", sentence: "Property 'C.p' has been changed from 'int' to 'string'.",
                effect: .losesData),
            Example(
                before: "int", after: "int[]", sentence: "Property 'C.p' has been changed from 'int' to 'int[]'.",
                effect: .losesData),
            Example(
                before: "C?", after: "D?", sentence: "Property 'C.p' has been changed from 'C?' to 'D?'.",
                effect: .losesData),
            Example(
                before: "int", after: "int?", sentence: "Property 'C.p' has been made optional.",
                effect: .needsMigration, keeps: true),
            Example(
                before: "int?[]", after: "int[]", sentence: "Property 'C.p' has been made required.",
                effect: .losesData),
            Example(
                before: nil, after: "linkingObjects(C.l)", sentence: "Property 'C.p' has been added.",
                effect: .automatic, inRealm: false),
            Example(
                before: "linkingObjects(C.l)", after: nil, sentence: "Property 'C.p' has been removed.",
                effect: .automatic, inRealm: false),
            Example(
                before: "linkingObjects(C.l)", after: "linkingObjects(C.m)",
                sentence: "Property 'C.p' has been changed from 'linkingObjects(C.l)' to 'linkingObjects(C.m)'.",
                effect: .automatic, inRealm: false),
            Example(
                before: "int", after: "linkingObjects(C.m)",
                sentence: "Property 'C.p' has been changed from 'int' to 'linkingObjects(C.m)'.", effect: .losesData),
            Example(
                before: "linkingObjects(C.m)", after: "int",
                sentence: "Property 'C.p' has been changed from 'linkingObjects(C.m)' to 'int'.",
                effect: .needsMigration),
        ])
    func properties(_ example: Example) throws {
        func schema(_ type: String?) -> Schema {
            var properties = [Self.property("l", "C?"), Self.property("m", "C[]")]
            if let type { properties.append(Self.property("p", type)) }
            return Schema(version: 1, classes: [ClassSchema("C", properties: properties)])
        }
        let old = schema(example.before)
        let new = schema(example.after).adoptingIdentities(of: old)
        let changes = SchemaDifference(from: old, to: new).changes
        let change = try #require(changes.first)
        #expect(changes.count == 1)
        #expect(change.sentence == example.sentence)
        #expect(change.path == "C.p")
        #expect(change.effect == example.effect)
        #expect(change.needsMigrationInRealm == example.inRealm)
        if let before = old["C"]?["p"], let after = new["C"]?["p"], !after.type.isComputed {
            #expect((before.id == after.id) == example.keeps)
        }
    }

    @Test("changes of classes, keys, indexes and defaults, in the order of the newer schema")
    func classes() {
        var indexed = Self.property("i", "string")
        indexed.isIndexed = true
        var searched = Self.property("j", "string")
        searched.isFullTextIndexed = true
        searched.defaultValue = .string("x")
        let old = Schema(
            version: 1,
            classes: [
                ClassSchema("Gone", properties: [indexed]),
                ClassSchema(
                    "A", primaryKey: "i", properties: [Self.property("i", "string"), Self.property("j", "string")]),
                ClassSchema("B", properties: [indexed, Self.property("j", "string")]),
                ClassSchema("E", isEmbedded: true, properties: [searched]),
                ClassSchema(
                    "F", primaryKey: "i", properties: [Self.property("i", "string"), Self.property("j", "string")]),
            ])
        let new = Schema(
            version: 2,
            classes: [
                ClassSchema("New", properties: [indexed]),
                ClassSchema(
                    "B", primaryKey: "j", isEmbedded: true, properties: [Self.property("i", "string"), searched]),
                ClassSchema("A", primaryKey: "j", properties: [indexed, Self.property("j", "string")]),
                ClassSchema("E", properties: [Self.property("j", "string")]),
                ClassSchema("F", properties: [Self.property("j", "string"), Self.property("i", "string")]),
            ])
        let difference = SchemaDifference(from: old, to: new)
        #expect(
            difference.changes.map { "\($0.effect.rawValue): \($0.sentence)" } == [
                "automatic: Class 'New' has been added.",
                "needsMigration: Class 'B' has been changed from top-level to embedded.",
                "needsMigration: Primary Key for class 'B' has been added.",
                "automatic: Property 'B.i' has been made unindexed.",
                "automatic: Property 'B.j' has been made indexed for full-text search.",
                "automatic: Property 'B.j' has a new default value.",
                "needsMigration: Primary Key for class 'A' has changed from 'i' to 'j'.",
                "automatic: Property 'A.i' has been made indexed.",
                "needsMigration: Class 'E' has been changed from embedded to top-level.",
                "automatic: Property 'E.j' has been made unindexed for full-text search.",
                "automatic: Property 'E.j' has a new default value.",
                "needsMigration: Primary Key for class 'F' has been removed.",
                "losesData: Class 'Gone' has been removed.",
            ])
        #expect(difference.migrationReasons { $0 == "A" || $0 == "E" }.map(\.className) == ["A", "E"])
        #expect(SchemaDifference(from: old, to: old).isEmpty)
        let inRealm = difference.changes.filter(\.needsMigrationInRealm).map(\.className)
        #expect(inRealm == ["B", "B", "A", "E", "F"])
    }

    @Test("a rename keeps the number and is one change, with the other changes of the property")
    func renames() {
        let old = Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "C", primaryKey: "a", properties: [Self.property("a", "int"), Self.property("b", "string")])
            ])
        let renamed = Schema(
            version: 2,
            classes: [
                ClassSchema(
                    "C", primaryKey: "x",
                    properties: [Self.property("y", "string?"), Self.property("x", "int"), Self.property("z", "int")])
            ])
        var renames = PropertyRenames()
        renames.add(class: "C", from: "a", to: "x")
        renames.add(class: "C", from: "b", to: "y")
        let new = renamed.adoptingIdentities(of: old, renames: renames)
        #expect(new["C"]?.properties.map { "\($0.name) \($0.id.rawValue)" } == ["y 2", "x 1", "z 3"])
        #expect(
            SchemaDifference(from: old, to: new, renames: renames).changes.map(\.sentence) == [
                "Property 'C.b' has been renamed to 'y'.", "Property 'C.y' has been made optional.",
                "Property 'C.a' has been renamed to 'x'.", "Property 'C.z' has been added.",
            ])
        let other = new.renumbering("z", of: "C", to: PropertyID(9))
        #expect(other["C"]?[PropertyID(9)]?.name == "z")
        #expect(other["C"]?[PropertyID(3)] == nil)
    }

    private static func property(_ name: String, _ type: String) -> PropertySchema {
        PropertySchema(name, PropertyType(text: type) ?? PropertyType(.mixed))
    }
}
