import Foundation
import RealmSwift
import StoreTesting
import Testing

/// Order, distinct values and sections of every type, against the same in Swift.
@Suite("Order and sections of every type")
struct OrderMatrixTests {
    /// The rows with values in an order that their ids do not have.
    private static func rows<Value>(_ kind: MatrixKind<Value>) throws -> Results<MatrixRow> {
        let realm = try ParityRealm.open([MatrixRow.self])
        try realm.write {
            for id in 0..<24 {
                let row = realm.create(MatrixRow.self, value: ["id": id])
                row[keyPath: kind.single] = kind.values[(id * 7) % kind.values.count]
                row[keyPath: kind.optional] = id % 5 == 2 ? nil : kind.values[(id * 5 + 1) % kind.values.count]
                for number in 0..<id % 4 {
                    row[keyPath: kind.list].append(kind.values[(number * 3 + id) % kind.values.count])
                    row[keyPath: kind.optionalList].append(number == 1 ? nil : kind.values[number % kind.values.count])
                    row[keyPath: kind.map]["k\(number)"] = kind.values[(id + number) % kind.values.count]
                }
            }
        }
        return realm.objects(MatrixRow.self)
    }

    /// Sorts stably by the ranks of the values in their order; null is first.
    private func sorted<Row, Value: Hashable>(
        _ rows: [Row], _ order: [Value], ascending: Bool, _ value: (Row) -> Value?
    ) -> [Row] {
        func rank(_ row: Row) -> Int { value(row).flatMap { order.firstIndex(of: $0) } ?? -1 }
        return rows.enumerated().sorted { a, b in
            let (x, y) = (rank(a.element), rank(b.element))
            return x == y ? a.offset < b.offset : ascending ? x < y : x > y
        }.map(\.element)
    }

    private func firsts<Row, Value: Hashable>(_ rows: [Row], _ value: (Row) -> Value) -> [Row] {
        var seen: Set<Value> = []
        return rows.filter { seen.insert(value($0)).inserted }
    }

    /// The kind's values are in their order in the database.
    private func check<Value>(_ kind: MatrixKind<Value>, _ single: String, _ optional: String)
        throws where Value?: Hashable
    {
        let rows = try Self.rows(kind)
        let all = Array(rows)
        for ascending in [true, false] {
            let name = "\(single) \(ascending ? "ascending" : "descending")"
            let bySingle = sorted(all, kind.values, ascending: ascending) { $0[keyPath: kind.single] }
            #expect(
                rows.sorted(byKeyPath: single, ascending: ascending).map(\.id) == bySingle.map(\.id), "\(name)")
            let byOptional = sorted(all, kind.values, ascending: ascending) { $0[keyPath: kind.optional] }
            #expect(
                rows.sorted(byKeyPath: optional, ascending: ascending).map(\.id) == byOptional.map(\.id),
                "optional \(name)")
            // The most significant descriptor first.
            let both = sorted(
                sorted(all, kind.values, ascending: !ascending) { $0[keyPath: kind.optional] }, kind.values,
                ascending: ascending
            ) { $0[keyPath: kind.single] }
            let descriptors = [
                SortDescriptor(keyPath: single, ascending: ascending),
                SortDescriptor(keyPath: optional, ascending: !ascending),
            ]
            #expect(rows.sorted(by: descriptors).map(\.id) == both.map(\.id), "two keys, \(name)")
            let distinct = firsts(bySingle) { $0[keyPath: kind.single] }
            #expect(
                rows.sorted(byKeyPath: single, ascending: ascending).distinct(by: [single]).map(\.id)
                    == distinct.map(\.id), "distinct, \(name)")
        }
        #expect(
            rows.distinct(by: [optional]).map(\.id) == firsts(all) { $0[keyPath: kind.optional] }.map(\.id),
            "distinct \(optional)")
        let pairs = firsts(all) { [$0[keyPath: kind.single] as Value?, $0[keyPath: kind.optional]] }
        #expect(rows.distinct(by: [single, optional]).map(\.id) == pairs.map(\.id), "distinct pairs of \(single)")
    }

    /// Sections by a property and by an optional one.
    private func checkSections<Value: _Persistable & Hashable>(
        _ kind: MatrixKind<Value>, _ single: String, _ optional: String
    ) throws where Value?: _Persistable & Hashable {
        let rows = try Self.rows(kind)
        let all = Array(rows)
        for ascending in [true, false] {
            let ordered = sorted(all, kind.values, ascending: ascending) { $0[keyPath: kind.single] }
            let sections = rows.sectioned(
                by: { $0[keyPath: kind.single] },
                sortDescriptors: [SortDescriptor(keyPath: single, ascending: ascending)])
            #expect(sections.allKeys == firsts(ordered) { $0[keyPath: kind.single] }.map { $0[keyPath: kind.single] })
            for section in sections {
                #expect(
                    section.map(\.id)
                        == ordered.filter { $0[keyPath: kind.single] == section.key }.map(\.id), "\(single)")
            }
            let byOptional = sorted(all, kind.values, ascending: ascending) { $0[keyPath: kind.optional] }
            let optionals = rows.sectioned(
                by: { $0[keyPath: kind.optional] },
                sortDescriptors: [SortDescriptor(keyPath: optional, ascending: ascending)])
            #expect(
                optionals.allKeys
                    == firsts(byOptional) { $0[keyPath: kind.optional] }.map { $0[keyPath: kind.optional] })
            #expect(optionals.flatMap { $0.map(\.id) } == byOptional.map(\.id), "\(optional)")
            #expect(Array(optionals.freeze().allKeys) == Array(optionals.allKeys))
        }
    }

    /// Lists and maps of values that are sorted and made distinct by value.
    private func checkValues<Value: SortableType>(_ kind: MatrixKind<Value>, _ name: String) throws
    where Value.PersistedType: SortableType, Value?: Hashable {
        for row in try Self.rows(kind) {
            let values = Array(row[keyPath: kind.list])
            for ascending in [true, false] {
                let expected = sorted(values, kind.values, ascending: ascending) { $0 }
                #expect(Array(row[keyPath: kind.list].sorted(ascending: ascending)) == expected, "list of \(name)")
            }
            #expect(Array(row[keyPath: kind.list].distinct()) == firsts(values) { $0 }, "distinct list of \(name)")
            let mapped = sorted(row[keyPath: kind.map].values, kind.values, ascending: true) { $0 }
            #expect(Array(row[keyPath: kind.map].sorted(ascending: true)) == mapped, "map of \(name)")
        }
    }

    typealias Matrix = QueryMatrixTests

    @Test("SortDescriptor sorting and distinct by properties of every type, with null, both ways")
    func order() throws {
        try check(Matrix.bool, "bool", "optBool")
        try check(Matrix.int, "int", "optInt")
        try check(Matrix.int8, "int8", "optInt8")
        try check(Matrix.int16, "int16", "optInt16")
        try check(Matrix.int32, "int32", "optInt32")
        try check(Matrix.int64, "int64", "optInt64")
        try check(Matrix.float, "float", "optFloat")
        try check(Matrix.double, "double", "optDouble")
        try check(Matrix.decimal, "decimal", "optDecimal")
        try check(Matrix.date, "date", "optDate")
        try check(Matrix.objectId, "objectId", "optObjectId")
        try check(Matrix.size, "size", "optSize")
        try check(Matrix.orderedString, "string", "optString")
        try check(Matrix.orderedUuid, "uuid", "optUuid")
        try check(Matrix.orderedColor, "color", "optColor")
        try check(Matrix.code, "code", "optCode")
    }

    @Test("SectionedResults sections by properties of every type, with null, both ways")
    func sections() throws {
        try checkSections(Matrix.bool, "bool", "optBool")
        try checkSections(Matrix.int, "int", "optInt")
        try checkSections(Matrix.int8, "int8", "optInt8")
        try checkSections(Matrix.int16, "int16", "optInt16")
        try checkSections(Matrix.int32, "int32", "optInt32")
        try checkSections(Matrix.int64, "int64", "optInt64")
        try checkSections(Matrix.float, "float", "optFloat")
        try checkSections(Matrix.double, "double", "optDouble")
        try checkSections(Matrix.decimal, "decimal", "optDecimal")
        try checkSections(Matrix.date, "date", "optDate")
        try checkSections(Matrix.objectId, "objectId", "optObjectId")
        try checkSections(Matrix.size, "size", "optSize")
        try checkSections(Matrix.orderedString, "string", "optString")
        try checkSections(Matrix.orderedUuid, "uuid", "optUuid")
        try checkSections(Matrix.orderedColor, "color", "optColor")
    }

    @Test("values of lists and maps of every type, sorted and made distinct")
    func values() throws {
        try checkValues(Matrix.int, "int")
        try checkValues(Matrix.int8, "int8")
        try checkValues(Matrix.int16, "int16")
        try checkValues(Matrix.int32, "int32")
        try checkValues(Matrix.int64, "int64")
        try checkValues(Matrix.float, "float")
        try checkValues(Matrix.double, "double")
        try checkValues(Matrix.decimal, "decimal")
        try checkValues(Matrix.date, "date")
        try checkValues(Matrix.orderedString, "string")
        try checkValues(Matrix.data, "data")
    }
}
