import ObjectModel
import TestBasics
import Testing

@testable import RealmFiles
@testable import RealmImport

@Suite("Classes of Realm files")
struct RealmClassesTests {
    /// Makes a table; the key is its place.
    private func table(
        _ name: String, _ key: UInt32, kind: RealmTable.Kind = .topLevel, primaryKey: Int? = nil,
        _ columns: [RealmColumn]
    ) -> RealmTable {
        RealmTable(
            name: name, storedName: name, className: name.hasPrefix("class_") ? String(name.dropFirst(6)) : nil,
            key: key, kind: kind,
            columns: columns, primaryKey: primaryKey, objects: 0, layout: [])
    }

    private func column(
        _ name: String, _ type: RealmColumnType = .int, _ collection: RealmColumn.Collection = .none,
        isOptional: Bool = false, isIndexed: Bool = false, isFullText: Bool = false, to target: UInt32? = nil
    ) -> RealmColumn {
        RealmColumn(
            name: name, storedName: name, type: type, collection: collection, isOptional: isOptional,
            isIndexed: isIndexed,
            isFullText: isFullText, target: target)
    }

    private func classes(
        _ tables: [RealmTable], renames: [String] = [], leftOut: [String] = [], count: Int = 0
    ) throws -> RealmClasses {
        try RealmClasses(tables, version: 1, RealmSelection(renames: renames, leftOut: leftOut)) { _ in count }
    }

    /// The fault of what must be refused.
    private func fault(
        _ tables: [RealmTable], renames: [String] = [], leftOut: [String] = [], count: Int = 0
    ) throws -> RealmImportError {
        let error = #expect(throws: RealmImportError.self) {
            _ = try classes(tables, renames: renames, leftOut: leftOut, count: count)
        }
        return try #require(error)
    }

    @Test("everything that a database cannot have is named at once, each with the option that is the way on")
    func allFaults() throws {
        let tables = [
            table("class_int", 0, [column("a")]),
            table("class_No-name", 1, [column("$a"), column(""), column("other", .link, to: 9)]),
            table(
                "class_Node", 2, kind: .embedded,
                [column("value"), column("next", .link, isOptional: true, to: 3)]),
            table("class_Leaf", 3, kind: .embedded, [column("x"), column("back", .link, .list, to: 2)]),
            table("class_Owner", 4, [column("nodes", .link, .set, to: 2), column("one", .link, to: 3)]),
            table("class_Flag", 5, primaryKey: 0, [column("key", .bool)]),
            table("class_Bare", 6, []),
        ]
        let fault = try fault(tables, count: 2)
        #expect(fault.reason == .unsuitable)
        for part in [
            "--rename int=NAME", "--rename No-name=NAME", "--rename 'No-name.$a=NAME'", "--rename No-name.=NAME",
            "--leave-out No-name.other", "--leave-out Owner.nodes", "--leave-out Leaf.back", "--leave-out Flag.key",
            "--leave-out Bare", "Nothing was written",
        ] { #expect(fault.message.contains(part), "\(part) in \(fault.message)") }
        #expect(fault.message.split(separator: "\n").count == 10, "\(fault.message)")

        let way = try classes(
            tables,
            renames: ["int=Number", "No-name=Name", "No-name.$a=a", "No-name.=b", "Owner.one=single"],
            leftOut: ["No-name.other", "Owner.nodes", "Leaf.back", "Flag", "Bare"], count: 2)
        #expect(way.schema.classes.map(\.name) == ["Number", "Name", "Leaf", "Owner"])
        #expect(way.schema["Name"]?.properties.map(\.name) == ["a", "b"])
        #expect(way.schema["Owner"]?["single"]?.type.description == "Leaf?")
    }

    @Test("what has nothing to lose is left out, with a note")
    func notes() throws {
        let tables = [
            table("metadata", 0, [column("version")]), table("pk", 1, [column("x")]),
            table("class_Bare", 2, []), table("class_Lonely", 3, kind: .embedded, [column("x")]),
            table(
                "class_Sent", 4, kind: .asymmetric, primaryKey: 0,
                [
                    column("_id", .objectID, isIndexed: true), column("words", .string, .list, isIndexed: true),
                    column("counts", .int, .map(keysAreIntegers: true)), column("text", .string, isFullText: true),
                ]),
        ]
        let classes = try classes(tables)
        #expect(classes.schema.classes.map(\.name) == ["Sent"])
        #expect(classes.schema["Sent"]?["words"]?.isIndexed == false)
        #expect(classes.schema["Sent"]?["text"]?.isFullTextIndexed == true)
        #expect(classes.schema["Sent"]?["counts"]?.type.description == "int{}")
        for part in [
            "'pk' is not a class", "--rename pk=Name", "'Bare'", "'Lonely'", "asymmetric", "'Sent.words'",
            "'Sent.counts'",
        ] {
            #expect(classes.notes.contains { $0.contains(part) }, "\(part) in \(classes.notes)")
        }
        #expect(!classes.notes.contains { $0.contains("metadata") })
        let taken = try self.classes(tables, renames: ["pk=Keys"])
        #expect(taken.schema["Keys"]?.properties.map(\.name) == ["x"])
        let nothing = try fault([tables[0], tables[1]])
        #expect(nothing.reason == .noClasses && nothing.message.contains("--rename pk=Name"))
    }

    @Test("options that name nothing are refused with the nearest name")
    func unknownNames() throws {
        let tables = [table("class_Dog", 0, [column("name", .string), column("a=b")])]
        let fault = try fault(tables, renames: ["Dgo=Hound", "Dog"], leftOut: ["Dog.nmae"])
        #expect(fault.reason == .unknownName)
        for part in ["'Dog'?", "give OLD=NEW", "'Dog.name'?"] {
            #expect(fault.message.contains(part), "\(part) in \(fault.message)")
        }
        // An equals sign may be in a name.
        let renamed = try classes(tables, renames: ["Dog.a=b=c", "Dog=Hound"])
        #expect(renamed.schema["Hound"]?.properties.map(\.name) == ["name", "c"])
    }

    @Test("a rename without a name, and a second one of the same name, are refused")
    func invalidRenames() throws {
        let tables = [table("class_Dog", 0, [column("name", .string)])]
        for renames in [["Dog=A", "Dog=B"], ["Dog.name=a", "Dog.name=a"]] {
            let fault = try fault(tables, renames: renames)
            #expect(fault.reason == .invalidSelection && fault.message.contains("already"), "\(fault)")
        }
        #expect(try fault(tables, renames: ["Dog"]).reason == .invalidSelection)
        #expect(throws: RealmImportError.self) { try RealmSelection(renames: ["a=b", "Dog"]).check() }
        try RealmSelection(renames: ["a=b", "=", "Dog.a=b=c"]).check()
    }

    @Test("two names that become one are refused")
    func clashes() throws {
        let tables = [table("class_A", 0, [column("x"), column("y")]), table("class_B", 1, [column("x")])]
        let fault = try fault(tables, renames: ["A=B", "A.x=y"])
        #expect(fault.message.contains("Two classes are called 'B'") && fault.message.contains("two properties 'y'"))
    }

    @Test("object keys are found again, whatever their gaps")
    func keys() {
        var random = SeededRandom.ofTest()
        for _ in 0..<20 {
            var runs = ObjectKeyRuns()
            var expected: [Int64: Int64] = [:]
            var (key, target): (Int64, Int64) = (Int64(random.below(3)), 0)
            for _ in 0..<random.below(200) {
                runs.append(key, ObjectKey(target))
                expected[key] = target
                key += random.oneIn(3) ? Int64(random.below(1 << 40)) + 1 : 1
                target += random.oneIn(10) ? Int64(random.below(5)) + 1 : 1
            }
            for (key, target) in expected { #expect(runs[key] == ObjectKey(target)) }
            for key in expected.keys {
                for other in [key - 1, key + 1] where expected[other] == nil { #expect(runs[other] == nil) }
            }
            for key in [Int64.min, -1, Int64.max] where expected[key] == nil { #expect(runs[key] == nil) }
        }
    }

    @Test(
        "options to copy are quoted or encoded where their names need that",
        arguments: [
            ("Dog", "--rename Dog=NAME", "rename=Dog=NAME"), ("Dog.é", "--rename Dog.é=NAME", "rename=Dog.%C3%A9=NAME"),
            ("a b", "--rename 'a b=NAME'", "rename=a%20b=NAME"), ("$x", "--rename '$x=NAME'", "rename=$x=NAME"),
            ("it's", "--rename 'it'\\''s=NAME'", "rename=it%27s=NAME"),
            ("a&b#", "--rename 'a&b#=NAME'", "rename=a%26b%23=NAME"),
            ("-x", "--rename=-x=NAME", "rename=-x=NAME"), ("100%+", "--rename 100%+=NAME", "rename=100%25%2B=NAME"),
            ("", "--rename =NAME", "rename==NAME"), ("*", "--rename '*=NAME'", "rename=%2A=NAME"),
            ("a\nb", "--rename 'a\nb=NAME'", "rename=a%0Ab=NAME"),
        ])
    func copied(name: String, option: String, parameter: String) {
        let obstacle = RealmObstacle.renaming(name, "No.")
        #expect(obstacle.text(.command) == "No. Give it another name: \(option).")
        #expect(obstacle.text(.parameters) == "No. Give it another name: \(parameter).")
    }

    @Test("a path of several properties is refused, whichever is meant")
    func severalMeanings() throws {
        let tables = [
            table("class_X", 0, [column("y.z"), column("q")]), table("class_X.y", 1, [column("z"), column("w")]),
        ]
        for selection in [(["X.y=XY", "X.y.z=a"], []), (["X.y=XY"], ["X.y.z"])] as [([String], [String])] {
            let fault = try fault(tables, renames: selection.0, leftOut: selection.1)
            #expect(fault.reason == .invalidSelection && fault.message.contains("several properties"), "\(fault)")
        }
        #expect(try classes(tables, leftOut: ["X.y"]).schema.classes.map(\.name) == ["X"])
        #expect(try classes(tables, renames: ["X.y=XY"], leftOut: ["X.q"]).schema["XY"]?.properties.count == 2)
    }

    @Test("a class or property whose name has a number is said to have it")
    func numbered() throws {
        let twin = RealmColumn(
            name: "é_2", storedName: "é", type: .int, collection: .none, isOptional: false, isIndexed: false,
            isFullText: false, target: nil)
        let found = try classes([table("class_A", 0, [column("é"), twin])])
        #expect(found.notes.count == 1 && found.notes[0].hasPrefix("Property 'A.é_2' is called 'A.é' in the file"))
    }
}
