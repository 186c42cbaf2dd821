import Foundation
import RealmSwift
import Testing

enum MatrixSize: Int, PersistableEnum { case small = 1, medium, large }

enum MatrixColor: String, PersistableEnum { case red, green, blue }

struct MatrixCode: CustomPersistable, Hashable {
    typealias PersistedType = String
    var text: String
    init(_ text: String) { self.text = text }
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

/// Every type that a property can have, in every form.
class MatrixRow: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var next: MatrixRow?
    @Persisted var earlier: List<MatrixRow>
    @Persisted var bool: Bool
    @Persisted var optBool: Bool?
    @Persisted var listBool: List<Bool>
    @Persisted var optListBool: List<Bool?>
    @Persisted var setBool: MutableSet<Bool>
    @Persisted var mapBool: Map<String, Bool>
    @Persisted var optMapBool: Map<String, Bool?>
    @Persisted var int: Int
    @Persisted var optInt: Int?
    @Persisted var listInt: List<Int>
    @Persisted var optListInt: List<Int?>
    @Persisted var setInt: MutableSet<Int>
    @Persisted var mapInt: Map<String, Int>
    @Persisted var optMapInt: Map<String, Int?>
    @Persisted var int8: Int8
    @Persisted var optInt8: Int8?
    @Persisted var listInt8: List<Int8>
    @Persisted var optListInt8: List<Int8?>
    @Persisted var setInt8: MutableSet<Int8>
    @Persisted var mapInt8: Map<String, Int8>
    @Persisted var optMapInt8: Map<String, Int8?>
    @Persisted var int16: Int16
    @Persisted var optInt16: Int16?
    @Persisted var listInt16: List<Int16>
    @Persisted var optListInt16: List<Int16?>
    @Persisted var setInt16: MutableSet<Int16>
    @Persisted var mapInt16: Map<String, Int16>
    @Persisted var optMapInt16: Map<String, Int16?>
    @Persisted var int32: Int32
    @Persisted var optInt32: Int32?
    @Persisted var listInt32: List<Int32>
    @Persisted var optListInt32: List<Int32?>
    @Persisted var setInt32: MutableSet<Int32>
    @Persisted var mapInt32: Map<String, Int32>
    @Persisted var optMapInt32: Map<String, Int32?>
    @Persisted var int64: Int64
    @Persisted var optInt64: Int64?
    @Persisted var listInt64: List<Int64>
    @Persisted var optListInt64: List<Int64?>
    @Persisted var setInt64: MutableSet<Int64>
    @Persisted var mapInt64: Map<String, Int64>
    @Persisted var optMapInt64: Map<String, Int64?>
    @Persisted var float: Float
    @Persisted var optFloat: Float?
    @Persisted var listFloat: List<Float>
    @Persisted var optListFloat: List<Float?>
    @Persisted var setFloat: MutableSet<Float>
    @Persisted var mapFloat: Map<String, Float>
    @Persisted var optMapFloat: Map<String, Float?>
    @Persisted var double: Double
    @Persisted var optDouble: Double?
    @Persisted var listDouble: List<Double>
    @Persisted var optListDouble: List<Double?>
    @Persisted var setDouble: MutableSet<Double>
    @Persisted var mapDouble: Map<String, Double>
    @Persisted var optMapDouble: Map<String, Double?>
    @Persisted var string: String
    @Persisted var optString: String?
    @Persisted var listString: List<String>
    @Persisted var optListString: List<String?>
    @Persisted var setString: MutableSet<String>
    @Persisted var mapString: Map<String, String>
    @Persisted var optMapString: Map<String, String?>
    @Persisted var data: Data
    @Persisted var optData: Data?
    @Persisted var listData: List<Data>
    @Persisted var optListData: List<Data?>
    @Persisted var setData: MutableSet<Data>
    @Persisted var mapData: Map<String, Data>
    @Persisted var optMapData: Map<String, Data?>
    @Persisted var date: Date
    @Persisted var optDate: Date?
    @Persisted var listDate: List<Date>
    @Persisted var optListDate: List<Date?>
    @Persisted var setDate: MutableSet<Date>
    @Persisted var mapDate: Map<String, Date>
    @Persisted var optMapDate: Map<String, Date?>
    @Persisted var decimal: Decimal128
    @Persisted var optDecimal: Decimal128?
    @Persisted var listDecimal: List<Decimal128>
    @Persisted var optListDecimal: List<Decimal128?>
    @Persisted var setDecimal: MutableSet<Decimal128>
    @Persisted var mapDecimal: Map<String, Decimal128>
    @Persisted var optMapDecimal: Map<String, Decimal128?>
    @Persisted var objectId: ObjectId
    @Persisted var optObjectId: ObjectId?
    @Persisted var listObjectId: List<ObjectId>
    @Persisted var optListObjectId: List<ObjectId?>
    @Persisted var setObjectId: MutableSet<ObjectId>
    @Persisted var mapObjectId: Map<String, ObjectId>
    @Persisted var optMapObjectId: Map<String, ObjectId?>
    @Persisted var uuid: UUID
    @Persisted var optUuid: UUID?
    @Persisted var listUuid: List<UUID>
    @Persisted var optListUuid: List<UUID?>
    @Persisted var setUuid: MutableSet<UUID>
    @Persisted var mapUuid: Map<String, UUID>
    @Persisted var optMapUuid: Map<String, UUID?>
    @Persisted var size: MatrixSize
    @Persisted var optSize: MatrixSize?
    @Persisted var listSize: List<MatrixSize>
    @Persisted var optListSize: List<MatrixSize?>
    @Persisted var setSize: MutableSet<MatrixSize>
    @Persisted var mapSize: Map<String, MatrixSize>
    @Persisted var optMapSize: Map<String, MatrixSize?>
    @Persisted var color: MatrixColor
    @Persisted var optColor: MatrixColor?
    @Persisted var listColor: List<MatrixColor>
    @Persisted var optListColor: List<MatrixColor?>
    @Persisted var setColor: MutableSet<MatrixColor>
    @Persisted var mapColor: Map<String, MatrixColor>
    @Persisted var optMapColor: Map<String, MatrixColor?>
    @Persisted var code: MatrixCode = MatrixCode("")
    @Persisted var optCode: MatrixCode?
    @Persisted var listCode: List<MatrixCode>
    @Persisted var optListCode: List<MatrixCode?>
    @Persisted var setCode: MutableSet<MatrixCode>
    @Persisted var mapCode: Map<String, MatrixCode>
    @Persisted var optMapCode: Map<String, MatrixCode?>
}

/// The properties of one type, and values for them.
struct MatrixKind<Value: RealmCollectionValue & _RealmCollectionValueInsideOptional & _HasPersistedType & Hashable> {
    let values: [Value]
    let single: ReferenceWritableKeyPath<MatrixRow, Value>
    let optional: ReferenceWritableKeyPath<MatrixRow, Value?>
    let list: KeyPath<MatrixRow, List<Value>>
    let optionalList: KeyPath<MatrixRow, List<Value?>>
    let set: KeyPath<MatrixRow, MutableSet<Value>>
    let map: KeyPath<MatrixRow, Map<String, Value>>
    let optionalMap: KeyPath<MatrixRow, Map<String, Value?>>

    init(
        _ values: [Value], _ single: ReferenceWritableKeyPath<MatrixRow, Value>,
        _ optional: ReferenceWritableKeyPath<MatrixRow, Value?>, _ list: KeyPath<MatrixRow, List<Value>>,
        _ optionalList: KeyPath<MatrixRow, List<Value?>>, _ set: KeyPath<MatrixRow, MutableSet<Value>>,
        _ map: KeyPath<MatrixRow, Map<String, Value>>, _ optionalMap: KeyPath<MatrixRow, Map<String, Value?>>
    ) {
        self.values = values
        self.single = single
        self.optional = optional
        self.list = list
        self.optionalList = optionalList
        self.set = set
        self.map = map
        self.optionalMap = optionalMap
    }

    /// Assigns values to a row that depend on its number.
    func fill(_ row: MatrixRow) {
        let id = row.id
        func value(_ number: Int) -> Value { values[number % values.count] }
        row[keyPath: single] = value(id)
        row[keyPath: optional] = id % 3 == 0 ? nil : value(id + 1)
        for number in 0..<id % 4 {
            row[keyPath: list].append(value(id + number))
            row[keyPath: optionalList].append(number == 1 ? nil : value(number))
            row[keyPath: set].insert(value(number))
            row[keyPath: map]["k\(number)"] = value(id + number)
            row[keyPath: optionalMap]["k\(number)"] = .some(number == 0 ? nil : value(id))
        }
    }
}

/// Conditions of closures, for every type and form, against the same conditions in Swift.
@Suite("Queries of every type")
struct QueryMatrixTests {
    private typealias Kind = MatrixKind

    private static let objectIds = (1...3).map {
        ObjectId(timestamp: Date(timeIntervalSince1970: Double($0)), machineId: 1, processId: 2)
    }
    private static let uuids = ["8A", "0B", "F0"].compactMap {
        UUID(uuidString: "\($0)1B2C3D-0000-4000-8000-0123456789AB")
    }

    static var bool: MatrixKind<Bool> {
        Kind<Bool>(
            [false, true],
            \.bool, \.optBool, \.listBool, \.optListBool, \.setBool, \.mapBool, \.optMapBool)
    }
    static var int: MatrixKind<Int> {
        Kind<Int>(
            [-3, 0, 4, .max],
            \.int, \.optInt, \.listInt, \.optListInt, \.setInt, \.mapInt, \.optMapInt)
    }
    static var int8: MatrixKind<Int8> {
        Kind<Int8>(
            [-3, 0, 4, .max],
            \.int8, \.optInt8, \.listInt8, \.optListInt8, \.setInt8, \.mapInt8, \.optMapInt8)
    }
    static var int16: MatrixKind<Int16> {
        Kind<Int16>(
            [-3, 0, 4, .max],
            \.int16, \.optInt16, \.listInt16, \.optListInt16, \.setInt16, \.mapInt16, \.optMapInt16)
    }
    static var int32: MatrixKind<Int32> {
        Kind<Int32>(
            [-3, 0, 4, .max],
            \.int32, \.optInt32, \.listInt32, \.optListInt32, \.setInt32, \.mapInt32, \.optMapInt32)
    }
    static var int64: MatrixKind<Int64> {
        Kind<Int64>(
            [-3, 0, 4, .max],
            \.int64, \.optInt64, \.listInt64, \.optListInt64, \.setInt64, \.mapInt64, \.optMapInt64)
    }
    static var float: MatrixKind<Float> {
        Kind<Float>(
            [-1.5, 0, 0.25, 1e20],
            \.float, \.optFloat, \.listFloat, \.optListFloat, \.setFloat, \.mapFloat, \.optMapFloat)
    }
    static var double: MatrixKind<Double> {
        Kind<Double>(
            [-1.5, 0, 0.1, 1e200],
            \.double, \.optDouble, \.listDouble, \.optListDouble, \.setDouble, \.mapDouble, \.optMapDouble)
    }
    static var string: MatrixKind<String> {
        Kind<String>(
            ["", "a", "B", "ab"],
            \.string, \.optString, \.listString, \.optListString, \.setString, \.mapString, \.optMapString)
    }
    static var data: MatrixKind<Data> {
        Kind<Data>(
            [Data(), Data([1]), Data([1, 2]), Data([255])],
            \.data, \.optData, \.listData, \.optListData, \.setData, \.mapData, \.optMapData)
    }
    static var date: MatrixKind<Date> {
        Kind<Date>(
            [-5, 0, 7.5, 1e9].map { Date(timeIntervalSince1970: $0) },
            \.date, \.optDate, \.listDate, \.optListDate, \.setDate, \.mapDate, \.optMapDate)
    }
    static var decimal: MatrixKind<Decimal128> {
        Kind<Decimal128>(
            ["-2", "0", "1.5", "1E30"].map { Decimal128(stringLiteral: $0) },
            \.decimal, \.optDecimal, \.listDecimal, \.optListDecimal, \.setDecimal, \.mapDecimal, \.optMapDecimal)
    }
    static var objectId: MatrixKind<ObjectId> {
        Kind<ObjectId>(
            Self.objectIds,
            \.objectId, \.optObjectId, \.listObjectId, \.optListObjectId, \.setObjectId, \.mapObjectId, \.optMapObjectId
        )
    }
    static var uuid: MatrixKind<UUID> {
        Kind<UUID>(
            Self.uuids,
            \.uuid, \.optUuid, \.listUuid, \.optListUuid, \.setUuid, \.mapUuid, \.optMapUuid)
    }
    static var size: MatrixKind<MatrixSize> {
        Kind<MatrixSize>(
            [.small, .large],
            \.size, \.optSize, \.listSize, \.optListSize, \.setSize, \.mapSize, \.optMapSize)
    }
    static var color: MatrixKind<MatrixColor> {
        Kind<MatrixColor>(
            [.red, .blue],
            \.color, \.optColor, \.listColor, \.optListColor, \.setColor, \.mapColor, \.optMapColor)
    }
    static var code: MatrixKind<MatrixCode> {
        Kind<MatrixCode>(
            [MatrixCode(""), MatrixCode("x"), MatrixCode("y")],
            \.code, \.optCode, \.listCode, \.optListCode, \.setCode, \.mapCode, \.optMapCode)
    }

    /// Strings in the order of the database, which Swift's own order is not everywhere.
    static var orderedString: MatrixKind<String> {
        Kind<String>(
            ["", "B", "a", "ab", "b"],
            \.string, \.optString, \.listString, \.optListString, \.setString, \.mapString, \.optMapString)
    }
    /// UUIDs in the order of their bytes.
    static var orderedUuid: MatrixKind<UUID> {
        Kind<UUID>(
            Self.uuids.sorted { $0.uuidString < $1.uuidString },
            \.uuid, \.optUuid, \.listUuid, \.optListUuid, \.setUuid, \.mapUuid, \.optMapUuid)
    }

    /// The enum's cases in the order of their raw values.
    static var orderedColor: MatrixKind<MatrixColor> {
        Kind<MatrixColor>(
            [.blue, .green, .red],
            \.color, \.optColor, \.listColor, \.optListColor, \.setColor, \.mapColor, \.optMapColor)
    }

    private static func filled(_ fill: (MatrixRow) -> Void) throws -> Results<MatrixRow> {
        let realm = try ParityRealm.open([MatrixRow.self])
        try realm.write {
            var rows: [MatrixRow] = []
            for id in 0..<13 {
                let row = realm.create(MatrixRow.self, value: ["id": id])
                fill(row)
                row.next = id % 5 == 0 ? nil : rows.last
                row.earlier.append(objectsIn: rows.suffix(id % 3))
                rows.append(row)
            }
        }
        return realm.objects(MatrixRow.self).sorted(byKeyPath: "id")
    }

    private func check(
        _ rows: Results<MatrixRow>, _ what: String, _ condition: (Query<MatrixRow>) -> Query<Bool>,
        _ expected: (MatrixRow) -> Bool
    ) {
        let found = rows.where(condition).map(\.id)
        let wanted = rows.filter(expected).map(\.id)
        #expect(Array(found) == Array(wanted), "\(what)")
        let others = rows.where { !condition($0) }.map(\.id)
        #expect(Array(others) == rows.map(\.id).filter { !wanted.contains($0) }, "NOT \(what)")
    }

    private func isNil(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional && mirror.children.isEmpty
    }

    /// A single property, of the row itself, of a linked one and of any of several.
    private func checkSingle<Element: _HasPersistedType & Hashable>(
        _ rows: Results<MatrixRow>, _ path: KeyPath<MatrixRow, Element>, _ values: [Element], _ name: String
    ) {
        for value in values {
            check(rows, "\(name) == \(value)", { $0[dynamicMember: path] == value }) { $0[keyPath: path] == value }
            check(rows, "\(name) != \(value)", { $0[dynamicMember: path] != value }) { $0[keyPath: path] != value }
            check(rows, "next.\(name) == \(value)", { $0.next[dynamicMember: path] == value }) { [isNil] row in
                row.next.map { $0[keyPath: path] == value } ?? isNil(value)
            }
            check(rows, "next.\(name) != \(value)", { $0.next[dynamicMember: path] != value }) { [isNil] row in
                row.next.map { $0[keyPath: path] != value } ?? !isNil(value)
            }
            check(rows, "earlier.\(name) == \(value)", { $0.earlier[dynamicMember: path] == value }) {
                $0.earlier.contains { $0[keyPath: path] == value }
            }
            check(rows, "SUBQUERY \(name) == \(value)", { ($0.earlier[dynamicMember: path] == value).count == 1 }) {
                $0.earlier.filter { $0[keyPath: path] == value }.count == 1
            }
        }
        for few in [values, Array(values.prefix(1)), Array(values.suffix(2)), []] {
            check(rows, "\(name) IN \(few)", { $0[dynamicMember: path].in(few) }) { few.contains($0[keyPath: path]) }
            check(rows, "\(name) IN \(few), next == nil", { $0[dynamicMember: path].in(few) && $0.next == nil }) {
                few.contains($0[keyPath: path]) && $0.next == nil
            }
            check(rows, "\(name) IN \(few) or", { $0[dynamicMember: path].in(few) || $0.id > 10 }) {
                few.contains($0[keyPath: path]) || $0.id > 10
            }
        }
        check(rows, "\(name) == itself", { $0[dynamicMember: path] == $0[dynamicMember: path] }) { _ in true }
    }

    private func checkCollection<Elements: RealmCollection>(
        _ rows: Results<MatrixRow>, _ path: KeyPath<MatrixRow, Elements>, _ values: [Elements.Element], _ name: String
    ) where Elements.Element: Hashable {
        for value in values {
            check(rows, "\(value) IN \(name)", { $0[dynamicMember: path].contains(value) }) {
                $0[keyPath: path].contains(value)
            }
            check(rows, "\(name) == \(value)", { $0[dynamicMember: path] == value }) {
                $0[keyPath: path].contains(value)
            }
            check(rows, "\(name) != \(value)", { $0[dynamicMember: path] != value }) {
                $0[keyPath: path].contains { $0 != value }
            }
        }
        for few in [values, Array(values.suffix(1)), []] {
            check(rows, "\(name) any of \(few)", { $0[dynamicMember: path].containsAny(in: few) }) {
                $0[keyPath: path].contains { few.contains($0) }
            }
        }
        for count in 0..<4 {
            check(rows, "\(name).count == \(count)", { $0[dynamicMember: path].count == count }) {
                $0[keyPath: path].count == count
            }
            check(rows, "\(name).count > \(count)", { $0[dynamicMember: path].count > count }) {
                $0[keyPath: path].count > count
            }
        }
    }

    private func checkMap<Value: RealmCollectionValue & _HasPersistedType & Hashable>(
        _ rows: Results<MatrixRow>, _ path: KeyPath<MatrixRow, Map<String, Value>>, _ values: [Value], _ name: String
    ) {
        for value in values {
            check(rows, "\(value) IN \(name)", { $0[dynamicMember: path].contains(value) }) {
                $0[keyPath: path].values.contains(value)
            }
            check(rows, "\(name).values == \(value)", { $0[dynamicMember: path].values == value }) {
                $0[keyPath: path].values.contains(value)
            }
            check(rows, "\(name) != \(value)", { $0[dynamicMember: path] != value }) {
                $0[keyPath: path].values.contains { $0 != value }
            }
            check(rows, "\(name)[k1] == \(value)", { $0[dynamicMember: path]["k1"] == value }) { [isNil] row in
                row[keyPath: path]["k1"].map { $0 == value } ?? isNil(value)
            }
        }
        for few in [values, Array(values.suffix(1)), []] {
            check(rows, "\(name) any of \(few)", { $0[dynamicMember: path].containsAny(in: few) }) {
                $0[keyPath: path].values.contains { few.contains($0) }
            }
        }
        check(rows, "\(name).keys", { $0[dynamicMember: path].keys == "k2" }) { $0[keyPath: path].keys.contains("k2") }
        check(rows, "\(name).count", { $0[dynamicMember: path].count == 2 }) { $0[keyPath: path].count == 2 }
    }

    private func checkAll<Value>(_ kind: MatrixKind<Value>, _ name: String) throws
    where Value?: Hashable & _HasPersistedType {
        let rows = try Self.filled(kind.fill)
        let optionals: [Value?] = [nil] + kind.values
        checkSingle(rows, kind.single, kind.values, name)
        checkSingle(rows, kind.optional, optionals, "optional \(name)")
        checkCollection(rows, kind.list, kind.values, "list of \(name)")
        checkCollection(rows, kind.optionalList, optionals, "list of optional \(name)")
        checkCollection(rows, kind.set, kind.values, "set of \(name)")
        checkMap(rows, kind.map, kind.values, "map of \(name)")
        checkMap(rows, kind.optionalMap, optionals, "map of optional \(name)")
    }

    private func checkOrder<Value: Comparable>(_ kind: MatrixKind<Value>, _ name: String) throws
    where Value.PersistedType: _QueryNumeric {
        let rows = try Self.filled(kind.fill)
        let (single, optional, list, map) = (kind.single, kind.optional, kind.list, kind.map)
        for value in kind.values {
            check(rows, "\(name) < \(value)", { $0[dynamicMember: single] < value }) { $0[keyPath: single] < value }
            check(rows, "\(name) <= \(value)", { $0[dynamicMember: single] <= value }) { $0[keyPath: single] <= value }
            check(rows, "\(name) > \(value)", { $0[dynamicMember: single] > value }) { $0[keyPath: single] > value }
            check(rows, "\(name) >= \(value)", { $0[dynamicMember: single] >= value }) { $0[keyPath: single] >= value }
            check(rows, "next.\(name) > \(value)", { $0.next[dynamicMember: single] > value }) {
                $0.next.map { $0[keyPath: single] > value } ?? false
            }
            check(rows, "earlier.\(name) <= \(value)", { $0.earlier[dynamicMember: single] <= value }) {
                $0.earlier.contains { $0[keyPath: single] <= value }
            }
            check(rows, "list \(name) > \(value)", { $0[dynamicMember: list] > value }) {
                $0[keyPath: list].contains { $0 > value }
            }
            check(rows, "map \(name) < \(value)", { $0[dynamicMember: map] < value }) {
                $0[keyPath: map].values.contains { $0 < value }
            }
            check(rows, "list \(name).min == \(value)", { $0[dynamicMember: list].min == value }) {
                $0[keyPath: list].lazy.map { $0 }.min() == value
            }
            check(rows, "list \(name).max >= \(value)", { $0[dynamicMember: list].max >= value }) {
                ($0[keyPath: list].lazy.map { $0 }.max()).map { $0 >= value } ?? false
            }
            check(rows, "map \(name).max == \(value)", { $0[dynamicMember: map].max == value }) {
                $0[keyPath: map].values.max() == value
            }
            check(rows, "earlier.\(name).min == \(value)", { $0.earlier[dynamicMember: single].min == value }) {
                $0.earlier.map { $0[keyPath: single] }.min() == value
            }
            for upper in kind.values where upper >= value {
                check(rows, "\(name) in \(value)...\(upper)", { $0[dynamicMember: single].contains(value...upper) }) {
                    (value...upper).contains($0[keyPath: single])
                }
                check(rows, "\(name) in \(value)..<\(upper)", { $0[dynamicMember: single].contains(value..<upper) }) {
                    (value..<upper).contains($0[keyPath: single])
                }
                check(
                    rows, "optional \(name) in \(value)...\(upper)",
                    { $0[dynamicMember: optional].contains(value...upper) }
                ) {
                    $0[keyPath: optional].map { (value...upper).contains($0) } ?? false
                }
            }
        }
    }

    @Test(
        "Query.== Query.!= Query.in(_:) Query.contains(element) Query.containsAny(in:) numbers and booleans, in every form"
    )
    func numbers() throws {
        try checkAll(Self.bool, "bool")
        try checkAll(Self.int, "int")
        try checkAll(Self.int8, "int8")
        try checkAll(Self.int16, "int16")
        try checkAll(Self.int32, "int32")
        try checkAll(Self.int64, "int64")
        try checkAll(Self.float, "float")
        try checkAll(Self.double, "double")
        try checkAll(Self.decimal, "decimal")
    }

    @Test(
        "Query.== Query.!= Query.in(_:) Query.contains(element) Query.containsAny(in:) other types, in every form")
    func others() throws {
        try checkAll(Self.string, "string")
        try checkAll(Self.data, "data")
        try checkAll(Self.date, "date")
        try checkAll(Self.objectId, "objectId")
        try checkAll(Self.uuid, "uuid")
        try checkAll(Self.size, "enum of int")
        try checkAll(Self.color, "enum of string")
        try checkAll(Self.code, "custom type")
    }

    @Test(
        "Query.{<,<=,>,>=,min,max} Query.contains(Range) Query.contains(ClosedRange) ordered types, in every form")
    func order() throws {
        try checkOrder(Self.int, "int")
        try checkOrder(Self.int8, "int8")
        try checkOrder(Self.int16, "int16")
        try checkOrder(Self.int32, "int32")
        try checkOrder(Self.int64, "int64")
        try checkOrder(Self.float, "float")
        try checkOrder(Self.double, "double")
        try checkOrder(Self.decimal, "decimal")
        try checkOrder(Self.date, "date")
    }
}
