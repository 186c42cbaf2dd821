import Foundation
import RealmSwift
import Testing

enum OrderedText: String, PersistableEnum { case low = "alpha", middle = "beta", high = "gamma" }

enum OrderedNumber: Int, PersistableEnum { case one = 1, two, nine = 9 }

struct OrderedWrapped: CustomPersistable, Hashable, Comparable {
    typealias PersistedType = String
    var text: String
    init(_ text: String) { self.text = text }
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
    static func < (a: OrderedWrapped, b: OrderedWrapped) -> Bool { a.text < b.text }
}

class OrderedObject: Object {
    @Persisted var int: Int
    @Persisted var optInt: Int?
    @Persisted var int8: Int8
    @Persisted var float: Float
    @Persisted var optDouble: Double?
    @Persisted var decimal: Decimal128
    @Persisted var optDecimal: Decimal128?
    @Persisted var date: Date
    @Persisted var optDate: Date?
    @Persisted var text: String
    @Persisted var optText: String?
    @Persisted var other: String
    @Persisted var data: Data
    @Persisted var optData: Data?
    @Persisted var textEnum: OrderedText
    @Persisted var optTextEnum: OrderedText?
    @Persisted var intEnum: OrderedNumber
    @Persisted var wrapped: OrderedWrapped
    @Persisted var optWrapped: OrderedWrapped?
    @Persisted var any: AnyRealmValue
    @Persisted var texts: List<String>
    @Persisted var textsByName: Map<String, String>
}

/// `<` and its siblings and ranges in closures, for every type that has an order, against Swift's own order.
@Suite("Ordered types in queries")
struct QueryOrderedTests {
    static let texts = ["alpha", "beta", "gamma", "", "b", "Beta", "é"]

    private static func filled() throws -> Results<OrderedObject> {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [OrderedObject.self]))
        try realm.write {
            for (index, text) in texts.enumerated() {
                let object = OrderedObject()
                object.int = index - 3
                object.optInt = index == 2 ? nil : index
                object.int8 = Int8(index)
                object.float = Float(index) / 2
                object.optDouble = index == 3 ? nil : Double(index) * 1.5
                object.decimal = Decimal128(value: index * 10)
                object.optDecimal = index == 1 ? nil : Decimal128(value: index)
                object.date = Date(timeIntervalSince1970: Double(index) * 60)
                object.optDate = index == 4 ? nil : Date(timeIntervalSince1970: Double(index))
                object.text = text
                object.optText = index == 5 ? nil : text
                object.other = texts[(index + 3) % texts.count]
                object.data = Data(text.utf8)
                object.optData = index == 0 ? nil : Data(text.utf8)
                object.textEnum = OrderedText.allCases[index % 3]
                object.optTextEnum = index == 1 ? nil : OrderedText.allCases[index % 3]
                object.intEnum = OrderedNumber.allCases[index % 3]
                object.wrapped = OrderedWrapped(text)
                object.optWrapped = index == 6 ? nil : OrderedWrapped(text)
                object.any = index == 0 ? .int(5) : .string(text)
                object.texts.append(objectsIn: texts[...index])
                object.textsByName["k"] = text
                realm.add(object)
            }
        }
        return realm.objects(OrderedObject.self)
    }

    /// Compares the database's answer with that of a filter in Swift.
    private func check(
        _ objects: Results<OrderedObject>, _ condition: (Query<OrderedObject>) -> Query<Bool>,
        _ expected: (OrderedObject) -> Bool, _ line: Int = #line
    ) {
        let found = Array(objects.where(condition)).map(\.int)
        let wanted = Array(objects).filter(expected).map(\.int)
        if found != wanted { Issue.record("line \(line): \(found) instead of \(wanted)") }
    }

    /// All comparisons of one property with one value; null compares as nothing.
    private func compare<V: _HasPersistedType & _Persistable>(
        _ objects: Results<OrderedObject>, _ path: KeyPath<OrderedObject, V>, _ value: V,
        _ order: @escaping (V, V) -> Int?, _ line: Int = #line
    ) where V.PersistedType: _QueryOrdered {
        func test(_ wanted: @escaping (Int) -> Bool) -> (OrderedObject) -> Bool {
            { order($0[keyPath: path], value).map(wanted) ?? false }
        }
        check(objects, { $0[dynamicMember: path] < value }, test { $0 < 0 }, line)
        check(objects, { $0[dynamicMember: path] <= value }, test { $0 <= 0 }, line)
        check(objects, { $0[dynamicMember: path] > value }, test { $0 > 0 }, line)
        check(objects, { $0[dynamicMember: path] >= value }, test { $0 >= 0 }, line)
        check(objects, { !($0[dynamicMember: path] < value) }, { !test { $0 < 0 }($0) }, line)
        check(objects, { $0[dynamicMember: path] == value }, { order($0[keyPath: path], value) == 0 }, line)
        check(objects, { $0[dynamicMember: path] != value }, { order($0[keyPath: path], value) != 0 }, line)
    }

    private func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }

    private func order<T: Comparable>(_ a: T?, _ b: T?) -> Int? {
        guard let a, let b else { return nil }
        return order(a, b) as Int
    }

    private func bytes(_ a: String?, _ b: String?) -> Int? {
        guard let a, let b else { return nil }
        return a.utf8.elementsEqual(b.utf8) ? 0 : a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
    }

    private func bytes(_ a: Data?, _ b: Data?) -> Int? {
        guard let a, let b else { return nil }
        return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }

    @Test("Query.{<,<=,>,>=} of numbers, dates, strings, data, enums, custom types, and optionals of these")
    func comparisons() throws {
        let objects = try Self.filled()
        compare(objects, \.int, 0) { order($0, $1) }
        compare(objects, \.optInt, 3) { order($0, $1) }
        compare(objects, \.int8, 3) { order($0, $1) }
        compare(objects, \.float, 1.5) { order($0, $1) }
        compare(objects, \.optDouble, 3) { order($0, $1) }
        compare(objects, \.decimal, 30) { order($0, $1) }
        compare(objects, \.optDecimal, 3) { order($0, $1) }
        compare(objects, \.date, Date(timeIntervalSince1970: 120)) { order($0, $1) }
        compare(objects, \.optDate, Date(timeIntervalSince1970: 3)) { order($0, $1) }
        for text in Self.texts {
            compare(objects, \.text, text) { bytes($0, $1) }
            compare(objects, \.optText, text) { bytes($0, $1) }
            compare(objects, \.data, Data(text.utf8)) { bytes($0, $1) }
            compare(objects, \.optData, Data(text.utf8)) { bytes($0, $1) }
            compare(objects, \.wrapped, OrderedWrapped(text)) { bytes($0.text, $1.text) }
            compare(objects, \.optWrapped, OrderedWrapped(text)) { bytes($0?.text, $1?.text) }
        }
        for text in OrderedText.allCases {
            compare(objects, \.textEnum, text) { bytes($0.rawValue, $1.rawValue) }
            compare(objects, \.optTextEnum, text) { bytes($0?.rawValue, $1?.rawValue) }
        }
        compare(objects, \.intEnum, .two) { order($0.rawValue, $1.rawValue) }
        check(objects, { $0.any > .string("b") }) { bytes($0.any.stringValue, "b") ?? -1 > 0 }
        check(objects, { $0.text < $0.other }) { bytes($0.text, $0.other) ?? 0 < 0 }
        check(objects, { $0.texts > "f" }) { $0.texts.contains { bytes($0, "f") ?? 0 > 0 } }
        check(objects, { $0.textsByName >= "b" }) { $0.textsByName.values.contains { bytes($0, "b") ?? -1 >= 0 } }
    }

    @Test("Query.contains(Range) and Query.contains(ClosedRange) of everything that Swift compares")
    func ranges() throws {
        let objects = try Self.filled()
        func isIn(_ text: String?, _ low: String, _ high: String) -> Bool {
            (bytes(text, low) ?? -1) >= 0 && (bytes(text, high) ?? 0) < 0
        }
        check(objects, { $0.text.contains("a"..<"c") }) { isIn($0.text, "a", "c") }
        check(objects, { $0.optText.contains("a"..<"c") }) { isIn($0.optText, "a", "c") }
        check(objects, { $0.text.contains("alpha"..."beta") }) { isIn($0.text, "alpha", "beta\u{1}") }
        check(objects, { $0.optText.contains("alpha"..."beta") }) { isIn($0.optText, "alpha", "beta\u{1}") }
        check(objects, { $0.textEnum.contains(.low ..< .high) }) { $0.textEnum != .high }
        check(objects, { $0.optTextEnum.contains(.middle ... .high) }) { $0.optTextEnum.map { $0 != .low } ?? false }
        check(objects, { $0.intEnum.contains(.one ... .two) }) { $0.intEnum != .nine }
        check(objects, { $0.wrapped.contains(OrderedWrapped("a")..<OrderedWrapped("c")) }) {
            isIn($0.wrapped.text, "a", "c")
        }
        check(objects, { $0.int.contains(-1..<2) }) { (-1..<2).contains($0.int) }
        check(objects, { $0.optInt.contains(1...4) }) { $0.optInt.map { (1...4).contains($0) } ?? false }
        check(objects, { $0.decimal.contains(10..<30) }) { $0.decimal >= 10 && $0.decimal < 30 }
        check(objects, { $0.date.contains(Date(timeIntervalSince1970: 60)...Date(timeIntervalSince1970: 120)) }) {
            (60...120).contains($0.date.timeIntervalSince1970)
        }
        let condition = Query<OrderedObject>._constructForTesting().text.contains("a"..<"c")
        #expect(condition._constructPredicate().0 == "((text >= %@) && (text < %@))")
    }

    @Test("strings and data have the same operators, so generic code may use either")
    func binary() throws {
        func starts<T: _HasPersistedType & _Persistable>(
            _ path: KeyPath<OrderedObject, T>, _ value: T
        ) throws -> Int where T.PersistedType: _QueryBinary {
            try Self.filled().where { $0[dynamicMember: path].starts(with: value) }.count
        }
        #expect(try starts(\.text, "b") == 2 && starts(\.data, Data("b".utf8)) == 2)
        #expect(try starts(\.optText, "a") == 1 && starts(\.wrapped, OrderedWrapped("g")) == 1)
        let objects = try Self.filled()
        #expect(objects.where { $0.text.contains("ET", options: .caseInsensitive) }.count == 2)
        #expect(objects.where { $0.data.contains(Data("et".utf8)) }.count == 2)
        #expect(objects.where { $0.data.ends(with: Data("a".utf8)) }.count == 4)
        #expect(objects.where { $0.any.starts(with: .string("b")) }.count == 2)
        #expect(objects.where { $0.text.like("*ta") }.count == 2 && objects.where { $0.text.equals("b") }.count == 1)
    }
}
