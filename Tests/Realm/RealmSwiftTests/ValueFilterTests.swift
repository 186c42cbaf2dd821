import Foundation
import RealmSwift
import TestBasics
import Testing

/// Conditions on collections of plain values.
@Suite("Conditions on plain values")
struct ValueFilterTests {
    private static func stored(_ fill: (NamedNumbers) -> Void) throws -> (Realm, NamedNumbers) {
        let (realm, object) = try ValuesByNameTests.stored()
        try realm.write { fill(object) }
        return (realm, object)
    }

    private static func fill(_ object: NamedNumbers) {
        object.list8.removeAll()
        object.list8.append(objectsIn: [3, 5, 1, 5])
        object.set16.removeAll()
        object.set16.insert(objectsIn: [4, 2])
        object.optionals["a"] = 1
        object.optionals["b"] = .some(nil)
        object.mixed.append(objectsIn: [.int(3), .string("a"), .none, .double(7), .fromArray([.int(1)])])
        object.texts.append(objectsIn: ["a", "Bc"])
    }

    @Test("filter and where of lists, sets and maps of values, in the order of the collection")
    func collections() throws {
        let (_, object) = try Self.stored(Self.fill)
        #expect(Array(object.list8.filter("self > 2")) == [3, 5, 5])
        #expect(Array(object.list8.filter("SELF > %@ AND self < 5", 2)) == [3])
        #expect(Array(object.list8.filter("NOT self IN %@", [5, 1])) == [3])
        #expect(Array(object.list8.filter("self BETWEEN {1, 3}")) == [3, 1])
        #expect(Array(object.list8.where { $0 > 2 && $0 < 5 }) == [3])
        #expect(Array(object.list8.where { $0.in([1, 3]) }) == [3, 1])
        #expect(Array(object.list8.filter(NSPredicate(value: true))) == [3, 5, 1, 5])
        #expect(object.list8.filter("FALSEPREDICATE").isEmpty)
        #expect(Array(object.set16.filter("self >= 4")) == [4] && Array(object.set16.where { $0 != 4 }) == [2])
        #expect(Array(object.optionals.filter("self == nil")) == [nil])
        #expect(Array(object.optionals.where { $0 == 1 }) == [1])
        #expect(Array(object.texts.where { $0.contains("b", options: .caseInsensitive) }) == ["Bc"])
        #expect(Array(object.texts.filter("self BEGINSWITH 'a' OR self LIKE '?c'")) == ["a", "Bc"])
        #expect(Array(object.mixed.filter("self > 2")) == [.int(3), .double(7)])
        #expect(Array(object.mixed.where { $0 == .string("a") }) == [.string("a")])
    }

    @Test("such results are live, can be sorted, made distinct, filtered again and frozen, and are asked for sums")
    func live() throws {
        let (realm, object) = try Self.stored(Self.fill)
        let large = object.list8.filter("self > 2")
        let sorted = object.list8.sorted(ascending: false).where { $0 < 5 }
        let distinct = object.list8.distinct().filter("self > 2")
        #expect(Array(sorted) == [3, 1] && Array(distinct) == [3, 5] && large.sum() == 13 && large.max() == 5)
        #expect(Array(large.filter("self < 5")) == [3] && Array(large.sorted()) == [3, 5, 5])
        #expect(large.index(of: 5) == 1 && large[0] == 3 && large.last == 5)
        let frozen = large.freeze()
        try realm.write { object.list8.append(objectsIn: [4, 0]) }
        #expect(Array(large) == [3, 5, 5, 4] && Array(sorted) == [4, 3, 1, 0] && Array(frozen) == [3, 5, 5])
        #expect(large.count == 4 && frozen.count == 3 && frozen.thaw()?.count == 4)
    }

    @Test("an observer of filtered values is told of what came and went among them")
    func observed() async throws {
        let fixture = QueueFixture(ValuesByNameTests.types)
        try fixture.run { realm in
            let object = try realm.write { realm.create(NamedNumbers.self, value: ["list8": [1, 5]]) }
            fixture.keep(
                object.list8.filter("self > 2").observe { change in
                    switch change {
                    case .initial(let values): fixture.note("initial \(Array(values))")
                    case .update(let values, let deletions, let insertions, _):
                        fixture.note("\(Array(values)) \(deletions) \(insertions)")
                    case .error: fixture.note("error")
                    }
                })
        }
        _ = try await fixture.notes(1)
        try fixture.run { realm in
            let object = try #require(realm.objects(NamedNumbers.self).first)
            try realm.write { object.list8.append(0) }
            try realm.write {
                object.list8.removeAll()
                object.list8.append(objectsIn: [7, 2, 5])
            }
        }
        // The value that came again is another element.
        #expect(try await fixture.notes(2) == ["initial [5]", "[7, 5] [0] [0, 1]"])
    }

    @Test("index(matching:) of managed and unmanaged lists of values")
    func positions() throws {
        let unmanaged = NamedNumbers()
        Self.fill(unmanaged)
        for object in [unmanaged, try Self.stored(Self.fill).1] {
            #expect(object.list8.index(matching: "self == 1") == 2)
            #expect(object.list8.index(matching: NSPredicate(value: true)) == 0)
            #expect(object.list8.index(matching: NSPredicate(value: false)) == nil)
            #expect(object.list8.index(matching: { $0 == 5 }) == 1)
            #expect(object.texts.index(matching: "self ==[c] %@", "BC") == 1)
            #expect(object.mixed.index(matching: "self == 'a'") == 1)
            #expect(object.mixed.index(matching: { $0 == .double(7) }) == 3)
        }
        #expect(List<Int>().index(matching: "TRUEPREDICATE") == nil)
        #expect(List<Int?>(unmanagedFor: [1, nil]).index(matching: "self == nil") == 1)
    }

    @Test("conditions that do not fit the values are misuse")
    func misuse() async {
        func message(_ format: String) async -> String? {
            await exception { _ = try Self.stored(Self.fill).1.list8.filter(format) }
        }
        #expect(await message("x > 2")?.contains("'SELF' is one of them") == true)
        #expect(await message("self CONTAINS 'a'")?.isEmpty == false)
        #expect(await message("self ==")?.hasPrefix("Unable to parse the format string") == true)
        #expect(
            await exception { _ = NamedNumbers().list8.filter("self > 2") }
                == "This method may only be called on RLMArray instances retrieved from an RLMRealm")
    }
}

extension List {
    fileprivate convenience init(unmanagedFor elements: [Element]) {
        self.init()
        append(objectsIn: elements)
    }
}
