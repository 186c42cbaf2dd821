import EmbeddedTesting
import EmbeddedStore
import ObjectModel
import StoreContract
import Synchronization
import Testing

@Suite("Migrations: what happens by itself, and steps")
struct MigrationStepTests {
    // MARK: Without steps

    @Test("without steps values stay where possible and are zero otherwise")
    func automatic() throws {
        let store = try MigrationStore(
            schema(
                1, "C: gone int+, changed int+, optional int+, required int?, list int?[], to D?, still string",
                "D: x int"))
        let target = try store.create("D")
        for number in 0..<130 {
            try store.create(
                "C",
                [
                    "gone": .int(1), "changed": .int(2), "optional": .int(Int64(number)), "required": .int(4),
                    "list": .list([.int(5)]), "to": .link(target), "still": .string("s\(number)"),
                ])
        }
        try store.migrate(
            to: schema(
                2, "C: still string+, optional int?+, changed string+, required int, list int[], to C?, new double",
                "D: x int"))
        #expect(try store.values("C", "still") == (0..<130).map { .string("s\($0)") })
        #expect(try store.values("C", "optional") == (0..<130).map { .int($0) })
        #expect(try Set(store.values("C", "changed")) == [.string("")])
        #expect(try Set(store.values("C", "required")) == [.int(0)])
        #expect(try Set(store.values("C", "list")) == [.list([])])
        #expect(try Set(store.values("C", "to")) == [.null])
        #expect(try Set(store.values("C", "new")) == [.double(0)])
        #expect(try store.keys("D") == [target])
    }

    @Test("at the same version each of these is rejected with its sentence, all in one list")
    func sameVersion() throws {
        let store = try MigrationStore(
            schema(1, "C: id! int, gone int, changed int, optional int, required int?", "D: x int", "N: y int"))
        try store.create("C", ["id": .int(1)])
        try store.create("D")
        let error = try store.refusal(
            of: schema(1, "C: id int, changed string, optional int?, required int", "N: y string"),
            .convert(class: "C", from: "changed", to: "changed", fallback: nil))
        #expect(error.code == .migrationRequired)
        for sentence in [
            "- Primary Key for class 'C' has been removed.", "- Property 'C.gone' has been removed.",
            "- Property 'C.changed' has been changed from 'int' to 'string'.",
            "- Property 'C.optional' has been made optional.", "- Property 'C.required' has been made required.",
            "- Class 'D' has been removed.",
        ] {
            #expect(error.message.contains(sentence), "\(error.message)")
        }
        // 'N' has no objects, so nothing is lost there.
        #expect(!error.message.contains("'N."))
        #expect(error.message.contains("above 1"))
    }

    @Test("a rise of the version alone is adopted, a lower version is rejected")
    func versions() throws {
        let store = try MigrationStore(schema(2, "C: a int"))
        try store.create("C", ["a": .int(5)])
        try store.migrate(to: schema(3, "C: a int"))
        #expect(try store.store.snapshot().schema.version == 3)
        let error = try store.refusal(of: schema(2, "C: a int, b int"))
        #expect(error.code == .schemaVersionTooLow)
        #expect(error.message == "Provided schema version 2 is less than last set version 3.")
        #expect(try store.values("C", "a") == [.int(5)])
    }

    @Test("steps and block do not run at the same version")
    func equalVersion() throws {
        let store = try MigrationStore(schema(1, "C: a int"))
        try store.create("C", ["a": .int(5)])
        try store.migrate(
            to: schema(1, "C: a int, b int"), .setDefault(class: "C", property: "a", value: .int(9))
        ) { _ in throw StoreError(.busy, "ran") }
        #expect(try store.values("C", "a") == [.int(5)])
    }

    // MARK: Renames

    @Test("a rename keeps values, indexes, links and the primary key, through intermediate names too")
    func renames() throws {
        let store = try MigrationStore(
            schema(1, "C: id! int, name string+, to C?, tags string[]", "E: x int"))
        for number in 0..<100 {
            try store.create(
                "C",
                [
                    "id": .int(Int64(number)), "name": .string("n\(number % 7)"),
                    "to": number > 0 ? .link(ObjectKey(Int64(number - 1))) : .null,
                    "tags": .list([.string("\(number)")]),
                ])
        }
        try store.migrate(
            to: schema(
                2, "C: key! int?, title string?+, previous C?, words string?[], next linkingObjects(C.previous)",
                "E: x int"),
            .rename(class: "C", from: "id", to: "key"), .rename(class: "C", from: "name", to: "tmp"),
            .rename(class: "C", from: "to", to: "previous"), .rename(class: "C", from: "tags", to: "words"),
            .rename(class: "C", from: "tmp", to: "title"))
        #expect(try store.values("C", "key") == (0..<100).map { .int($0) })
        #expect(try store.values("C", "title") == (0..<100).map { .string("n\($0 % 7)") })
        #expect(try store.value("C", 50, "words") == .list([.string("50")]))
        #expect(try store.backlinks(50, "C", "previous") == [ObjectKey(51)])
        #expect(try store.key("C", .int(33)) == ObjectKey(33))
    }

    @Test(
        "a rename that would lose data or names nothing is refused",
        arguments: [
            ("X", "a", "z", "Cannot rename properties for type 'X' because it does not exist."),
            ("Gone", "x", "y", "Cannot rename properties for type 'Gone' because it has been removed from the Realm."),
            ("C", "q", "z", "Cannot rename property 'C.q' because it does not exist."),
            ("C", "kept", "z", "Cannot rename property 'C.kept' to 'z' because the source property still exists."),
            (
                "C", "a", "text",
                "Cannot rename property 'C.a' to 'text' because it would change from type 'int' to 'string'."
            ),
            ("C", "o", "z", "Cannot rename property 'C.o' to 'z' because it would change from optional to required."),
            ("C", "a", "kept", "because there was a property of that name before"),
            ("C", "a", "nothing", "because the new schema has no property of that name"),
        ])
    func renameFaults(_ className: String, _ from: String, _ to: String, _ sentence: String) throws {
        let store = try MigrationStore(schema(1, "C: a int, o int?, kept int", "Gone: x int"))
        try store.create("C", ["a": .int(1)])
        let error = try store.refusal(
            of: schema(2, "C: z int, text string, kept int"), .rename(class: className, from: from, to: to))
        #expect(error.code == .migrationFailed)
        #expect(error.message.contains(sentence), "\(error.message)")
        // The same from a block.
        let second = try store.refusal(of: schema(2, "C: z int, text string, kept int")) {
            try $0.renameProperty(of: className, from: from, to: to)
        }
        #expect(second.message.contains(sentence), "\(second.message)")
    }

    @Test("two properties cannot become one, and one cannot become two")
    func renameTwice() throws {
        let store = try MigrationStore(schema(1, "C: a int, b int"))
        let target = schema(2, "C: z int, y int")
        let one = try store.refusal(
            of: target, .rename(class: "C", from: "a", to: "z"), .rename(class: "C", from: "b", to: "z"))
        #expect(one.message.contains("another property has been renamed to it already"))
        let two = try store.refusal(
            of: target, .rename(class: "C", from: "a", to: "z"), .rename(class: "C", from: "a", to: "y"))
        #expect(two.message == "Cannot rename property 'C.a' because it does not exist.")
    }

    // MARK: Defaults, copies, conversions

    @Test("defaults: a value, the declared one, or zero")
    func defaults() throws {
        let store = try MigrationStore(schema(1, "C: a int"))
        for _ in 0..<3 { try store.create("C", ["a": .int(1)]) }
        var target = schema(2, "C: a int, b string, c double, d int[]")
        target = Schema(
            version: 2,
            classes: target.classes.map { objectClass in
                var changed = objectClass
                changed.properties[1].defaultValue = .string("declared")
                return changed
            })
        try store.migrate(
            to: target, .setDefault(class: "C", property: "a", value: .int(7)),
            .setDefault(class: "C", property: "b", value: nil), .setDefault(class: "C", property: "c", value: nil),
            .setDefault(class: "C", property: "d", value: .list([.int(1)])))
        #expect(try Set(store.values("C", "a")) == [.int(7)])
        #expect(try Set(store.values("C", "b")) == [.string("declared")])
        #expect(try Set(store.values("C", "c")) == [.double(0)])
        #expect(try Set(store.values("C", "d")) == [.list([.int(1)])])
    }

    @Test("a copy includes values, links and embedded objects, also from a property that stays")
    func copies() throws {
        let store = try MigrationStore(
            schema(
                1, "C: a int, to D?, many D[], home E?, homes E[]", "D: x int", "E*: street string, to D?, deep F[]",
                "F*: z int"))
        let target = try store.create("D")
        let street = PropertyID(1)
        let home = Value.embedded([
            street: .string("s"), PropertyID(2): .link(target),
            PropertyID(3): .list([.embedded([PropertyID(1): .int(4)]), .embedded([PropertyID(1): .int(5)])]),
        ])
        try store.create(
            "C",
            [
                "a": .int(5), "to": .link(target), "many": .list([.link(target), .link(target)]), "home": home,
                "homes": .list([home, home]),
            ])
        try store.migrate(
            to: schema(
                2, "C: a int, b int?, to2 D?, many2 D[], home2 E?, homes2 E[], home E?", "D: x int",
                "E*: street string, to D?, deep F[]", "F*: z int"),
            .copy(class: "C", from: "a", to: "b"), .copy(class: "C", from: "to", to: "to2"),
            .copy(class: "C", from: "many", to: "many2"), .copy(class: "C", from: "home", to: "home2"),
            .copy(class: "C", from: "homes", to: "homes2"))
        #expect(try store.value("C", 0, "b") == .int(5))
        #expect(try store.value("C", 0, "to2") == .link(target))
        #expect(try store.value("C", 0, "many2") == .list([.link(target), .link(target)]))
        // The original, its copy, and two in the list; those of the old list were deleted with it.
        #expect(try store.keys("E").count == 4)
        #expect(try store.keys("F").count == 8)
        guard case .link(let copy) = try store.value("C", 0, "home2") else { return #expect(Bool(false)) }
        #expect(try store.value("E", copy.rawValue, "street") == .string("s"))
        #expect(try store.value("E", copy.rawValue, "to") == .link(target))
        guard case .list(let deep) = try store.value("E", copy.rawValue, "deep") else { return #expect(Bool(false)) }
        #expect(deep.count == 2)
    }

    @Test("a conversion in place and to another name; one invalid value fails it all, with the object's key")
    func conversions() throws {
        let store = try MigrationStore(schema(1, "C: id! string, age string, tags int[], maybe int?"))
        try store.create(
            "C", ["id": .string("x"), "age": .string("12"), "tags": .list([.int(1), .int(2)]), "maybe": .int(3)])
        try store.create("C", ["id": .string("why"), "age": .string("old"), "tags": .list([]), "maybe": .null])
        let target = schema(2, "C: id! string, age int, tags string<>, maybe int")
        let error = try store.refusal(
            of: target, .convert(class: "C", from: "tags", to: "tags", fallback: nil),
            .convert(class: "C", from: "age", to: "age", fallback: nil))
        #expect(error.code == .migrationFailed)
        #expect(error.message.contains("'old'"))
        #expect(error.message.contains("'C.age'"))
        #expect(error.message.contains("primary key 'why'"))
        #expect(error.property == "age")
        try store.migrate(
            to: target, .convert(class: "C", from: "age", to: "age", fallback: .int(-1)),
            .convert(class: "C", from: "tags", to: "tags", fallback: nil),
            .convert(class: "C", from: "maybe", to: "maybe", fallback: .int(9)))
        #expect(try store.values("C", "age") == [.int(12), .int(-1)])
        #expect(try store.values("C", "tags") == [.set([.string("1"), .string("2")]), .set([])])
        #expect(try store.values("C", "maybe") == [.int(3), .int(9)])
    }

    @Test("the classes of one step are deleted, with owned objects and references to them")
    func deletions() throws {
        let store = try MigrationStore(
            schema(1, "C: x mixed, l mixed[], s mixed<>, e E?", "Gone: e E[]", "Kept: c Gone?", "E*: z int"))
        let gone = try store.create("Gone", ["e": .list([.embedded([:]), .embedded([:])])])
        let classID = try #require(try store.store.snapshot().schema["Gone"]).id
        let reference = Value.reference(ObjectReference(classID, gone))
        try store.create(
            "C",
            [
                "x": .dictionary(ValueMap([("a", reference), ("b", .int(1))])), "l": .list([reference, .int(1)]),
                "s": .set([.int(1), reference]), "e": .embedded([:]),
            ])
        try store.create("Kept", ["c": .link(gone)])
        try store.migrate(
            to: schema(2, "C: x mixed, l mixed[], s mixed<>, e E?", "Kept: y int", "E*: z int"), .deleteClass("Gone"),
            .deleteClass("Kept"))
        #expect(try store.value("C", 0, "x") == .dictionary(ValueMap([("a", .null), ("b", .int(1))])))
        #expect(try store.value("C", 0, "l") == .list([.null, .int(1)]))
        #expect(try store.value("C", 0, "s") == .set([.int(1)]))
        #expect(try store.keys("E").count == 1)
        #expect(try store.keys("Kept").isEmpty)
        let error = try store.refusal(of: schema(3, "C: x mixed, e E?", "E*: z int"), .deleteClass("Kpet"))
        #expect(error.hint == "Kept")
    }

    @Test("a removed class is deleted without a step, with the same consequences")
    func removedClass() throws {
        let store = try MigrationStore(schema(1, "C: x mixed, e E?", "Gone: e E[]", "E*: z int"))
        let gone = try store.create("Gone", ["e": .list([.embedded([:]), .embedded([:])])])
        let classID = try #require(try store.store.snapshot().schema["Gone"]).id
        try store.create("C", ["x": .reference(ObjectReference(classID, gone)), "e": .embedded([:])])
        try store.store.replaceSchema(with: schema(2, "C: x mixed, e E?", "E*: z int"))
        try store.checkIntegrity()
        #expect(try store.value("C", 0, "x") == .null)
        #expect(try store.keys("E").count == 1)
    }

    @Test("impossible steps are rejected before anything is done, with the nearest name")
    func stepFaults() throws {
        let store = try MigrationStore(schema(1, "Dog: name string, age int, to Dog?"))
        try store.create("Dog")
        let target = schema(2, "Dog: name string, age int, born date, to Dog?, list int[]")
        let examples: [(MigrationStep, String, String?)] = [
            (.setDefault(class: "Dgo", property: "age", value: nil), "no class 'Dgo'", "Dog"),
            (.setDefault(class: "Dog", property: "aeg", value: nil), "no stored property 'Dog.aeg'", "age"),
            (
                .setDefault(class: "Dog", property: "age", value: .string("x")),
                "cannot be set to a value of type 'string'", nil
            ),
            (.setDefault(class: "Dog", property: "age", value: .null), "cannot be set to a value of type 'null'", nil),
            (.copy(class: "Dog", from: "born", to: "born"), "The old schema has no stored property 'Dog.born'", nil),
            (.copy(class: "Dog", from: "age", to: "name"), "Use a convert step", nil),
            (.convert(class: "Dog", from: "to", to: "age", fallback: nil), "cannot be converted to type 'int'", nil),
            (
                .convert(class: "Dog", from: "age", to: "list", fallback: .int(1)),
                "cannot be set to a value of type 'int'", nil
            ),
        ]
        for (step, sentence, hint) in examples {
            let error = try store.refusal(of: target, step)
            #expect(error.code == .migrationFailed)
            #expect(error.message.contains(sentence), "\(error.message)")
            if let hint { #expect(error.hint == hint) }
        }
    }
}
