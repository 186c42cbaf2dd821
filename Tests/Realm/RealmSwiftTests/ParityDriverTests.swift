import Foundation
import RealmSwift
import StoreTesting
import TestBasics
import Testing

class DriverItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(originProperty: "links") var owners: LinkingObjects<DriverObject>
}

class DriverObject: Object {
    @Persisted var ints: List<Int>
    @Persisted var texts: List<String?>
    @Persisted var values: List<AnyRealmValue>
    @Persisted var links: List<DriverItem>
    @Persisted var intSet: MutableSet<Int>
    @Persisted var textSet: MutableSet<String?>
    @Persisted var intMap: Map<String, Int>
    @Persisted var textMap: Map<String, String?>
}

/// Random edits of collections, managed and unmanaged, in whole properties and by name, each of which is done to plain
/// Swift collections, too.
@Suite("Parity with Realm: random edits")
struct ParityDriverTests {
    /// The expected content of the collections.
    struct Plain: Equatable {
        var ints: [Int] = []
        var texts: [String?] = []
        var values: [AnyRealmValue] = []
        var links: [Int] = []
        var intSet: Set<Int> = []
        var textSet: Set<String?> = []
        var intMap: [String: Int] = [:]
        var textMap: [String: String?] = [:]
    }

    private static let texts: [String?] = [nil, "", "a", "b", "é", "zz"]
    private static let keys = ["a", "b", "", "key", "é"]
    private static var values: [AnyRealmValue] {
        [
            .none, .int(1), .int(-5), .double(1.5), .string("x"), .bool(true), .data(Data([1])), .uuid(UUID()),
            .fromArray([.int(1), .none]), .fromDictionary(["k": .fromArray([])]),
        ]
    }

    // MARK: Edits

    private func edit<Element: RealmCollectionValue & Hashable>(
        _ list: List<Element>, _ plain: inout [Element], _ random: inout SeededRandom,
        _ new: (inout SeededRandom) -> Element
    ) {
        let count = plain.count
        let position = random.below(count)
        let other = random.below(count)
        let added = (0..<random.below(4)).map { _ in new(&random) }
        switch random.below(22) {
        case 0, 1, 2:
            let element = new(&random)
            list.append(element)
            plain.append(element)
        case 3, 4:
            list.append(objectsIn: added)
            plain += added
        case 5:
            let element = new(&random)
            let end = random.below(count + 1)
            list.insert(element, at: end)
            plain.insert(element, at: end)
        case 6:
            let end = random.below(count + 1)
            list.insert(contentsOf: added, at: end)
            plain.insert(contentsOf: added, at: end)
        case 7 where count > 0:
            list.remove(at: position)
            plain.remove(at: position)
        case 8 where count > 0:
            let element = new(&random)
            list[position] = element
            plain[position] = element
        case 9 where count > 0:
            let element = new(&random)
            list.replace(index: position, object: element)
            plain[position] = element
        case 10 where count > 0:
            list.swapAt(position, other)
            plain.swapAt(position, other)
        case 11 where count > 0:
            list.move(from: position, to: other)
            plain.insert(plain.remove(at: position), at: other)
        case 12:
            let number = random.below(count + 1)
            list.removeFirst(number)
            plain.removeFirst(number)
        case 13:
            let number = random.below(count + 1) / 2
            list.removeLast(number)
            plain.removeLast(number)
        case 14:
            let range = Swift.min(position, other)..<Swift.max(position, other)
            list.removeSubrange(range)
            plain.removeSubrange(range)
        case 15:
            let range = Swift.min(position, other)..<Swift.max(position, other)
            list.replaceSubrange(range, with: added)
            plain.replaceSubrange(range, with: added)
        case 16:
            let places = IndexSet((0..<count).filter { _ in random.oneIn(3) })
            list.remove(atOffsets: places)
            plain = plain.enumerated().filter { !places.contains($0.offset) }.map(\.element)
        case 17:
            let places = IndexSet((0..<count).filter { _ in random.oneIn(3) })
            let end = random.below(count + 1)
            list.move(fromOffsets: places, toOffset: end)
            let moved = places.map { plain[$0] }
            let before = places.filter { $0 < end }.count
            plain = plain.enumerated().filter { !places.contains($0.offset) }.map(\.element)
            plain.insert(contentsOf: moved, at: end - before)
        case 18:
            var elements = list
            elements.reverse()
            plain.reverse()
        case 19 where count < 20:
            // A list's own elements.
            list.append(objectsIn: list)
            plain += plain
        case 20:
            list.insert(contentsOf: Array(list.prefix(3)), at: 0)
            plain.insert(contentsOf: Array(plain.prefix(3)), at: 0)
        case 21 where random.oneIn(4):
            list.removeAll()
            plain.removeAll()
        default: break
        }
        if plain.count > 30 {
            list.removeSubrange(10..<plain.count)
            plain.removeSubrange(10..<plain.count)
        }
    }

    private func edit<Element: RealmCollectionValue & Hashable>(
        _ set: MutableSet<Element>, _ other: MutableSet<Element>, _ plain: inout Set<Element>,
        _ random: inout SeededRandom, _ new: (inout SeededRandom) -> Element
    ) {
        let added = (0..<random.below(4)).map { _ in new(&random) }
        let element = new(&random)
        switch random.below(10) {
        case 0, 1:
            set.insert(element)
            plain.insert(element)
        case 2:
            set.insert(objectsIn: added)
            plain.formUnion(added)
        case 3, 4:
            set.remove(element)
            plain.remove(element)
        case 5:
            other.removeAll()
            other.insert(objectsIn: added)
            #expect(set.intersects(other) == !plain.isDisjoint(with: added))
            #expect(set.isSubset(of: other) == plain.isSubset(of: added))
            switch random.below(3) {
            case 0:
                set.formUnion(other)
                plain.formUnion(added)
            case 1:
                set.subtract(other)
                plain.subtract(added)
            default:
                set.formIntersection(other)
                plain.formIntersection(added)
            }
        case 6:
            set.formUnion(set)
            set.formIntersection(set)
        case 7 where random.oneIn(3):
            set.subtract(set)
            plain.removeAll()
        case 8 where random.oneIn(3):
            set.removeAll()
            plain.removeAll()
        default: #expect(set.contains(element) == plain.contains(element))
        }
    }

    private func edit<Value: RealmCollectionValue & Hashable>(
        _ map: Map<String, Value>, _ plain: inout [String: Value], _ random: inout SeededRandom,
        _ new: (inout SeededRandom) -> Value
    ) {
        let key = random.pick(Self.keys) ?? ""
        let value = new(&random)
        switch random.below(8) {
        case 0, 1:
            map[key] = value
            plain[key] = .some(value)
        case 2:
            map.updateValue(value, forKey: key)
            plain.updateValue(value, forKey: key)
        case 3:
            map.removeObject(for: key)
            plain.removeValue(forKey: key)
        case 4:
            map[key] = Value?.none
            plain.removeValue(forKey: key)
        case 5:
            let other = Dictionary(uniqueKeysWithValues: Self.keys.prefix(random.below(4)).map { ($0, value) })
            let keepsOld = random.oneIn(2)
            map.merge(other) { keepsOld ? $0 : $1 }
            plain.merge(other) { keepsOld ? $0 : $1 }
        case 6 where random.oneIn(4):
            map.removeAll()
            plain.removeAll()
        default: #expect(map[key] == plain[key])
        }
    }

    private func edit(
        _ object: DriverObject, _ scratch: DriverObject, _ plain: inout Plain, _ items: [DriverItem],
        _ random: inout SeededRandom
    ) {
        switch random.below(10) {
        case 0, 1: edit(object.ints, &plain.ints, &random) { $0.below(7) }
        case 2: edit(object.texts, &plain.texts, &random) { ($0.pick(Self.texts) ?? nil) }
        case 3: edit(object.values, &plain.values, &random) { $0.pick(Self.values) ?? .none }
        case 4:
            // Objects by what they are, and their numbers beside them.
            var links = plain.links.compactMap { id in items.first { $0.id == id } }
            edit(object.links, &links, &random) { items[$0.below(items.count)] }
            plain.links = links.map(\.id)
        case 5: edit(object.intSet, scratch.intSet, &plain.intSet, &random) { $0.below(9) - 4 }
        case 6: edit(object.textSet, scratch.textSet, &plain.textSet, &random) { ($0.pick(Self.texts) ?? nil) }
        case 7: edit(object.intMap, &plain.intMap, &random) { $0.below(5) }
        case 8: edit(object.textMap, &plain.textMap, &random) { ($0.pick(Self.texts) ?? nil) }
        default: assign(object, &plain, items, &random)
        }
    }

    /// Whole properties, by name and by assignment.
    private func assign(
        _ object: DriverObject, _ plain: inout Plain, _ items: [DriverItem], _ random: inout SeededRandom
    ) {
        let ints = (0..<random.below(5)).map { _ in random.below(9) }
        switch random.below(8) {
        case 0:
            object.setValue(ints, forKey: "ints")
            plain.ints = ints
        case 1:
            let list = List<Int>()
            list.append(objectsIn: ints)
            object.ints = list
            plain.ints = ints
        case 2:
            object.ints = object.ints
            object["texts"] = object["texts"]
            object.setValue(object.value(forKey: "textMap"), forKey: "textMap")
        case 3:
            object.setValue(ints, forKey: "intSet")
            plain.intSet = Set(ints)
        case 4:
            object["intMap"] = ["a": 1, "z": 2]
            plain.intMap = ["a": 1, "z": 2]
        case 5:
            object["texts"] = ["a", nil] as [String?]
            plain.texts = ["a", nil]
        case 6:
            object["links"] = [items[0], items[1], items[0]]
            plain.links = [items[0].id, items[1].id, items[0].id]
        default:
            object["values"] = [1, "a", NSNull(), [2]] as [Any]
            plain.values = [.int(1), .string("a"), .none, .fromArray([.int(2)])]
        }
    }

    // MARK: Checks

    /// The value with the elements of collections, of which stored and unmanaged ones are never equal.
    private func text(_ value: AnyRealmValue) -> String {
        switch value {
        case .list(let list): "[\(list.map(text).joined(separator: ", "))]"
        case .dictionary(let map): "[\(map.asKeyValueSequence().map { "\($0.key): \(text($0.value))" }.sorted())]"
        default: "\(value)"
        }
    }

    private func check(_ object: DriverObject, _ plain: Plain, _ context: String) {
        let isManaged = object.realm != nil
        #expect(Array(object.ints) == plain.ints, "\(context)")
        #expect(Array(object.texts) == plain.texts && object.values.map(text) == plain.values.map(text), "\(context)")
        #expect(object.links.map(\.id) == plain.links, "\(context)")
        #expect(Set(object.intSet) == plain.intSet && object.intSet.count == plain.intSet.count, "\(context)")
        #expect(Set(object.textSet) == plain.textSet && object.textSet.count == plain.textSet.count, "\(context)")
        #expect(
            Dictionary(uniqueKeysWithValues: object.intMap.map { ($0.key, $0.value) }) == plain.intMap, "\(context)")
        #expect(
            Dictionary(uniqueKeysWithValues: object.textMap.asKeyValueSequence().map { ($0.key, $0.value) })
                == plain.textMap, "\(context)")
        #expect(object.ints.first == plain.ints.first && object.ints.last == plain.ints.last, "\(context)")
        #expect(object.ints.indices.map { object.ints[$0] } == plain.ints, "\(context)")
        #expect(object.texts.index(of: nil) == plain.texts.firstIndex(of: nil), "\(context)")
        #expect(object.ints.sum() == plain.ints.reduce(0, +) && object.ints.max() == plain.ints.max(), "\(context)")
        #expect(object.intSet.min() == plain.intSet.min(), "\(context)")
        #expect(object.intMap.keys.sorted() == plain.intMap.keys.sorted(), "\(context)")
        #expect(object.value(forKeyPath: "links.@count") as? Int == plain.links.count, "\(context)")
        #expect(
            (object.links.value(forKey: "id") as [AnyObject]).compactMap { $0 as? Int } == plain.links, "\(context)")
        #expect(!object.description.isEmpty, "\(context)")
        guard isManaged else { return }
        #expect(Array(object.intSet) == plain.intSet.sorted(), "\(context)")
        #expect(Array(object.ints.sorted(ascending: false)) == plain.ints.sorted(by: >), "\(context)")
        #expect(Array(object.ints.distinct()).count == Set(plain.ints).count, "\(context)")
        #expect(
            object.links.where { $0.id < 2 }.map(\.id) == plain.links.filter { $0 < 2 }
                || Set(object.links.where { $0.id < 2 }.map(\.id)) == Set(plain.links.filter { $0 < 2 }), "\(context)")
        #expect(
            object.links.sorted(byKeyPath: "id").last?.id == plain.links.max()
                && object.links.max(of: \.id) == plain.links.max(), "\(context)")
    }

    @Test(
        "List MutableSet Map random edits, also cancelled ones, do what they do to Swift's collections",
        arguments: [true, false])
    func edits(isManaged: Bool) throws {
        var random = SeededRandom.ofTest(isManaged)
        let realm = try ParityRealm.open([DriverObject.self, DriverItem.self])
        let (object, scratch) = (DriverObject(), DriverObject())
        var items = (0..<5).map { DriverItem(value: ["id": $0]) }
        if isManaged {
            try realm.write {
                realm.add(items)
                realm.add([object, scratch])
            }
        }
        var plain = Plain()
        var frozen: [(DriverObject, Plain)] = []
        for step in 0..<300 {
            let context = "seed \(random.seed), step \(step)"
            let before = plain
            if isManaged { realm.beginWrite() }
            for _ in 0..<random.below(4) + 1 {
                edit(object, scratch, &plain, items, &random)
                check(object, plain, context)
            }
            if isManaged {
                if random.oneIn(20) {
                    let index = random.below(items.count)
                    let id = items[index].id
                    realm.delete(items[index])
                    plain.links.removeAll { $0 == id }
                    items[index] = realm.create(DriverItem.self, value: ["id": id])
                }
                if random.oneIn(5) {
                    realm.cancelWrite()
                    plain = before
                    items = (0..<5).compactMap { realm.object(ofType: DriverItem.self, forPrimaryKey: $0) }
                } else {
                    try realm.commitWrite()
                }
                if random.oneIn(30) { frozen.append((object.freeze(), plain)) }
            }
            check(object, plain, context)
        }
        for (object, plain) in frozen { check(object, plain, "frozen, seed \(random.seed)") }
        for item in items where isManaged {
            #expect(item.owners.count == plain.links.count { $0 == item.id }, "seed \(random.seed)")
        }
        // A copy has the same elements.
        check(DriverObject(value: object), plain, "a copy, seed \(random.seed)")
    }
}
