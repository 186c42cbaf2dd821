import ObjectModel
import RepositoryFiles
import Testing

@testable import RealmFiles
@testable import RealmImport

@Suite("Values of Realm files")
struct ImportedValuesTests {
    /// The classes `A` and `B`, and a table 2 that is not imported, with one property of each kind in `A`.
    private struct Fixture {
        let layout: CopyLayout
        let table: TableCopy
        var conversion: ImportedValues
        private let directory = try? TestDirectory()

        static let columns: [RealmColumn] = [
            column("any", .mixed), column("anys", .mixed, .list), column("anySet", .mixed, .set),
            column("byNumber", .int, .map(keysAreIntegers: true)), column("one", .link, to: 1),
            column("many", .link, .list, to: 0), column("date", .timestamp), column("double", .double),
            column("float", .float), column("decimal", .decimal),
        ]

        private static func column(
            _ name: String, _ type: RealmColumnType, _ collection: RealmColumn.Collection = .none,
            to target: UInt32? = nil
        ) -> RealmColumn {
            RealmColumn(
                name: name, storedName: name, type: type, collection: collection, isOptional: true, isIndexed: false,
                isFullText: false,
                target: target)
        }

        init() throws {
            func table(_ name: String, _ key: UInt32, _ columns: [RealmColumn]) -> RealmTable {
                RealmTable(
                    name: name, storedName: name, className: name.hasPrefix("class_") ? String(name.dropFirst(6)) : nil,
                    key: key,
                    kind: .topLevel, columns: columns, primaryKey: nil, objects: 0, layout: [])
            }
            let tables = [
                table("class_A", 0, Self.columns), table("class_B", 1, [Self.columns[6]]),
                table("other", 2, [Self.columns[6]]),
            ]
            let classes = try RealmClasses(tables, version: 0, RealmSelection()) { _ in 0 }
            layout = CopyLayout(classes, classes.schema)
            // A class before those that it links to, as in a cycle.
            conversion = ImportedValues(
                try RealmTestFile.open("empty", in: try #require(directory)), layout, order: [0, 1])
            self.table = try #require(layout.tables[0])
            conversion.record(5, became: ObjectKey(0), in: self.table)
        }

        /// The value of a property of the object with key 7.
        mutating func value(_ name: String, _ value: RealmValue) throws -> Value {
            let place = try #require(Self.columns.firstIndex { $0.name == name })
            var values = [RealmValue](repeating: .null, count: Self.columns.count)
            values[place] = value
            let column = try #require(table.columns.first { $0.source == place })
            return try conversion.value(RealmObject(key: 7, values: values), column, of: table)
        }
    }

    @Test("numbers and dates keep every bit")
    func bits() throws {
        var fixture = try Fixture()
        let payload = Double(bitPattern: 0x7FF8_0000_0000_1234)
        #expect(try fixture.value("double", .double(payload)) == .double(payload))
        let small = Float(bitPattern: 0xFFC0_0123)
        #expect(try fixture.value("float", .float(small)) == .float(small))
        #expect(try fixture.value("double", .double(-0.0)) == .double(-0.0))
        let digits = Decimal128(high: 0x303C_0000_0000_0000, low: 110)
        #expect(try fixture.value("decimal", .decimal(digits)) == .decimal(digits))
        let date = try #require(Timestamp(seconds: -1, nanoseconds: -500_000_001))
        #expect(try fixture.value("date", .timestamp(seconds: -1, nanoseconds: -500_000_001)) == .date(date))
        #expect(try fixture.value("date", .null) == .null)
    }

    @Test("collections in mixed values stay, and integers as keys of a map become their text")
    func collections() throws {
        var fixture = try Fixture()
        let nested = RealmValue.list([
            .map([(.string("b"), .list([])), (.string("a"), .binary([1]))]), .null, .bool(true),
        ])
        let expected = Value.list([
            .dictionary(ValueMap([("a", .data([1])), ("b", .list([]))])), .null, .bool(true),
        ])
        #expect(try fixture.value("any", nested) == expected)
        #expect(try fixture.value("anys", .list([nested])) == .list([expected]))
        let map = RealmValue.map([(.int(-5), .int(1)), (.int(10), .int(2)), (.int(9), .null)])
        #expect(
            try fixture.value("byNumber", map)
                == .dictionary(ValueMap([("-5", .int(1)), ("10", .int(2)), ("9", .null)])))
    }

    @Test("a link to an object that is not there yet waits, also within a collection, and so does one to itself")
    func waiting() throws {
        var fixture = try Fixture()
        #expect(try fixture.value("many", .list([.link(table: 0, key: 5)])) == .list([.link(ObjectKey(0))]))
        #expect(!fixture.conversion.isWaiting)
        for key: Int64 in [7, 8] {
            _ = try fixture.value("many", .list([.link(table: 0, key: 5), .link(table: 0, key: key)]))
            #expect(fixture.conversion.isWaiting)
        }
        _ = try fixture.value("one", .link(table: 1, key: 0))
        #expect(fixture.conversion.isWaiting)
        _ = try fixture.value("any", .list([.map([(.string("k"), .link(table: 1, key: 0))])]))
        #expect(fixture.conversion.isWaiting)
        fixture.conversion.record(7, became: ObjectKey(1), in: fixture.table)
        fixture.conversion.record(0, became: ObjectKey(0), in: try #require(fixture.layout.tables[1]))
        fixture.conversion.beginConnecting()
        #expect(
            try fixture.value("many", .list([.link(table: 0, key: 7), .link(table: 0, key: 5)]))
                == .list([.link(ObjectKey(1)), .link(ObjectKey(0))]))
        #expect(fixture.conversion.isWaiting, "it has to be assigned now")
        #expect(
            try fixture.value("any", .link(table: 1, key: 0))
                == .reference(ObjectReference(ClassID(2), ObjectKey(0))))
    }

    @Test("links to what is not imported are null, or missing in a set, and counted")
    func lost() throws {
        var fixture = try Fixture()
        let link = RealmValue.link(table: 2, key: 0)
        #expect(try fixture.value("any", link) == .null)
        #expect(try fixture.value("anys", .list([.int(1), link])) == .list([.int(1), .null]))
        #expect(try fixture.value("anySet", .list([.int(1), link, .null])) == .set([.int(1), .null]))
        #expect(fixture.conversion.report.lostLinks == 3)
    }

    @Test("what contradicts the file's own tables is damage, with the property as its place")
    func damage() throws {
        let faults: [(String, RealmValue)] = [
            ("many", .list([.link(table: 0, key: 3)])), ("one", .link(table: 0, key: 5)), ("many", .int(3)),
            ("double", .list([])), ("byNumber", .map([(.bool(true), .int(1))])),
            ("date", .timestamp(seconds: 1, nanoseconds: -1)),
        ]
        for (name, value) in faults {
            var fixture = try Fixture()
            let error = #expect(throws: RealmFileError.self) { try fixture.value(name, value) }
            guard case .damaged(let place, _)? = error else { continue }
            #expect(place == "property 'A.\(name)'")
        }
    }

    @Test("sums are exact, and skip what is not a number")
    func sums() {
        var numbers = RealmImportReport.Numbers("n")
        for number in [Int64.max, .max, -3] { numbers.add(.int(number)) }
        numbers.add(.null)
        #expect(numbers.sum == "18446744073709551611" && numbers.count == 3 && numbers.minimum == "-3")
        var doubles = RealmImportReport.Numbers("d")
        doubles.add(.list([.double(.nan), .double(1.5), .null, .double(-0.5)]))
        #expect(doubles.sum == "1.0" && doubles.count == 3 && doubles.maximum == "1.5")
        let none = RealmImportReport.Numbers("x")
        #expect(none.sum == "0" && none.minimum == nil)
    }
}
