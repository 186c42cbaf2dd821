import Foundation
import RealmSwift
import Testing

enum PrintedColor: Int, PersistableEnum { case red = 7, blue = 9 }
enum PrintedWord: String, PersistableEnum { case yes = "y", no = "n" }

struct PrintedMetres: CustomPersistable {
    var persistableValue: Double
    init(persistedValue: Double) { persistableValue = persistedValue }
}

class PrintedBox: EmbeddedObject {
    @Persisted var flag: Bool
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PrintedThing: Object {
    @Persisted var flag: Bool
    @Persisted var int8: Int8
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var optional: Double?
    @Persisted var color: PrintedColor
    @Persisted var word: PrintedWord?
    @Persisted var metres: PrintedMetres
    @Persisted var any: AnyRealmValue
    @Persisted var box: PrintedBox?
    @Persisted var flags: List<Bool>
    @Persisted var doubles: List<Double?>
    @Persisted var colors: MutableSet<PrintedColor>
    @Persisted var words: Map<String, PrintedWord?>
    @Persisted var mixed: List<AnyRealmValue>
    @Persisted var things: List<PrintedThing>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PrintedView: Projection<PrintedThing> {
    @Projected(\PrintedThing.flag) var flag
    @Projected(\PrintedThing.double) var size
    @Projected(\PrintedThing.optional) var optional
    @Projected(\PrintedThing.color) var color
    @Projected(\PrintedThing.box?.flag) var boxFlag
}

@Suite("Descriptions")
struct DescriptionTests {
    /// Calls the body with an unmanaged object, and with a managed one within a write.
    private static func each(_ body: (PrintedThing) throws -> Void) throws {
        try body(PrintedThing())
        let realm = try ParityRealm.open([PrintedThing.self, PrintedBox.self])
        try realm.write { try body(realm.create(PrintedThing.self)) }
    }

    private static var values: [(String, Any?, String)] {
        [
            ("flag", true, "1"), ("flag", false, "0"), ("int8", -5, "-5"),
            ("float", 1.25, "1.25"), ("float", 3, "3"), ("float", 0.1, "0.1"),
            ("double", 0.1, "0.1"), ("double", 12, "12"), ("double", 1e20, "1e+20"), ("double", 0.1 + 0.2, "0.3"),
            ("optional", nil, "(null)"), ("optional", 2.5, "2.5"),
            ("color", PrintedColor.blue, "9"), ("word", PrintedWord.no, "n"), ("word", nil, "(null)"),
            ("metres", 4.0, "4"), ("any", AnyRealmValue.none, "(null)"), ("any", AnyRealmValue.bool(true), "1"),
            ("any", AnyRealmValue.string("x"), "x"), ("any", AnyRealmValue.double(2), "2"), ("box", nil, "(null)"),
        ]
    }

    @Test("an object's values are printed as they are stored", arguments: values.indices)
    func value(index: Int) throws {
        let (name, value, text) = Self.values[index]
        try Self.each { thing in
            thing[name] = value
            #expect(thing.description.contains("\n\t\(name) = \(text);"), "\(thing)")
        }
    }

    private static var collections: [(String, Any, [String])] {
        [
            ("flags", [true, false], ["[0] 1", "[1] 0"]),
            ("doubles", [1, nil, 2.5] as [Double?], ["[0] 1", "[1] <null>", "[2] 2.5"]),
            ("colors", [PrintedColor.red], ["[0] 7"]),
            ("words", ["a": PrintedWord.yes, "b": nil] as [String: PrintedWord?], ["[a]: y", "[b]: <null>"]),
            ("mixed", [AnyRealmValue.bool(true), .none, .string("s")], ["[0] 1", "[1] <null>", "[2] s"]),
        ]
    }

    @Test("and so are a collection's elements, where null is <null>", arguments: collections.indices)
    func elements(index: Int) throws {
        let (name, value, texts) = Self.collections[index]
        try Self.each { thing in
            thing[name] = value
            let collection = try #require(thing[name])
            let lines = texts.map { "\t\($0)" }.joined(separator: ",\n")
            #expect("\(collection)".hasSuffix(" (\n\(lines)\n)"), "\(collection)")
            #expect(thing.description.contains(lines.replacing("\n", with: "\n\t")), "\(thing)")
        }
    }

    @Test("objects in a list are indented, with their own collections and embedded objects")
    func nested() throws {
        try Self.each { thing in
            thing["things"] = [["flag": true, "box": ["flag": true], "flags": [true]] as [String: Any]]
            let text = thing.things.description
            #expect(text.hasPrefix("List<PrintedThing> <0x"))
            #expect(text.contains(" (\n\t[0] PrintedThing {\n\t\tflag = 1;\n\t\tint8 = 0;"))
            #expect(text.contains("\n\t\tbox = PrintedBox {\n\t\t\tflag = 1;\n\t\t};\n\t\tflags = List<bool> <0x"))
            #expect(text.contains("> (\n\t\t\t[0] 1\n\t\t);") && text.hasSuffix("\n\t}\n)"))
        }
    }

    @Test("a projection prints its values as Swift does")
    func projection() throws {
        try Self.each { thing in
            (thing.flag, thing.double, thing.color) = (true, 2, .blue)
            let text = PrintedView(projecting: thing).description
            #expect(text.hasPrefix("PrintedView<PrintedThing> <0x"))
            let lines = [
                "\t\tflag(\\.flag) = true;", "\tsize(\\.double) = 2.0;", "\toptional(\\.optional) = nil;",
                "\tcolor(\\.color) = blue;", "\tboxFlag(\\.box.flag) = nil;", "}",
            ]
            #expect(text.hasSuffix("> {\n" + lines.joined(separator: "\n")), "\(text)")
            thing.optional = 1
            #expect(PrintedView(projecting: thing).description.contains("\toptional(\\.optional) = Optional(1.0);"))
        }
    }

    /// The description without its addresses.
    private static func bare(_ text: String) -> String { text.replacing(#/ <0x[0-9a-f]+>/#, with: "") }

    @Test("SectionedResults and its sections have their keys, types and elements, as RLMSectionedResults has")
    func sections() throws {
        let realm = try ParityRealm.open([PrintedThing.self, PrintedBox.self])
        let thing = try realm.write { realm.create(PrintedThing.self) }
        try realm.write { thing.doubles.append(objectsIn: [0.5, 2, 2.5, nil]) }
        let sections = thing.doubles.sectioned(by: { $0.map { Int($0) } }, ascending: true)
        func expected(_ type: String, _ section: String) -> String {
            """
            \(type)<double> (
            \t[<null>] \(section) (
            \t\t[0] <null>
            \t),
            \t[0] \(section) (
            \t\t[0] 0.5
            \t),
            \t[2] \(section) (
            \t\t[0] 2,
            \t\t[1] 2.5
            \t)
            )
            """
        }
        #expect(Self.bare(sections.description) == expected("SectionedResults", "ResultsSection"))
        #expect(Self.bare(sections.freeze().description) == Self.bare(sections.description))
        #expect(
            Self.bare(RLMSectionedResults(sections).description) == expected("RLMSectionedResults", "RLMSection"))
        let last = sections[2]
        #expect(Self.bare(last.description) == "ResultsSection (\n\t[0] 2,\n\t[1] 2.5\n)")
        #expect(Self.bare(RLMSection(last).description) == "RLMSection (\n\t[0] 2,\n\t[1] 2.5\n)")
        try realm.write { thing.doubles.removeAll() }
        #expect(Self.bare(sections.description) == "SectionedResults<double> (\n\n)")
        #expect(Self.bare(last.description) == "ResultsSection [invalidated]")
    }

    @Test("Configuration prints its settings by name, and no key")
    func configuration() {
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: "/tmp/a.realm"), encryptionKey: Data(repeating: 7, count: 64),
            schemaVersion: 3,
            objectTypes: [PrintedThing.self, PrintedBox.self])
        configuration.migrationBlock = { _, _ in }
        let lines = [
            "fileURL = file:///tmp/a.realm", "inMemoryIdentifier = (null)", "encryptionKey = 64 bytes", "readOnly = 0",
            "schemaVersion = 3", "migrationBlock = <block>", "deleteRealmIfMigrationNeeded = 0",
            "shouldCompactOnLaunch = (null)", "objectTypes = [PrintedThing, PrintedBox]",
        ]
        #expect(
            configuration.description == "Realm.Configuration {\n" + lines.map { "\t\($0);\n" }.joined() + "}")
    }
}
