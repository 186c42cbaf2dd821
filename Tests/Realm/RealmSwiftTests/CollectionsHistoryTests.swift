import Foundation
import RealmSwift
import StoreTesting
import Testing
import TestBasics

/// Compares random histories of edits with a plain Swift collection, over all types of elements.
@Suite("Collections: histories")
struct CollectionsHistoryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let run: @Sendable (_ isManaged: Bool, _ seed: UInt64) throws -> Void
        var testDescription: String { name }
    }

    /// Calls the body with an object; each edit is in a write if the object is managed.
    static func with(_ isManaged: Bool, _ body: (CollectionsAll, (() -> Void) throws -> Void) throws -> Void) throws {
        let object = CollectionsAll()
        guard isManaged else { return try body(object) { $0() } }
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [CollectionsAll.self]))
        try realm.write { realm.add(object) }
        try body(object) { edit in try realm.write { edit() } }
    }

    // MARK: Lists

    static func list<E: CollectionsSamples>(
        _ name: String, _ list: @escaping @Sendable (CollectionsAll) -> List<E>
    ) -> Case {
        Case(name: name) { isManaged, seed in
            try with(isManaged) { object, write in
                var random = SeededRandom(seed: seed)
                var expected: [E] = []
                let list = list(object)
                for step in 0..<30 * TestRun.length {
                    var one: E { E.samples[random.below(E.samples.count)] }
                    var some: [E] { (0..<random.below(4)).map { _ in one } }
                    let count = expected.count
                    var what = ""
                    try write {
                        switch random.below(count == 0 ? 4 : 17) {
                        case 0, 1:
                            what = "append"
                            let element = one
                            list.append(element)
                            expected.append(element)
                        case 2:
                            what = "append(objectsIn:)"
                            let elements = some
                            list.append(objectsIn: elements)
                            expected += elements
                        case 3:
                            what = "insert(contentsOf:at:)"
                            let elements = some
                            let position = random.below(count + 1)
                            list.insert(contentsOf: elements, at: position)
                            expected.insert(contentsOf: elements, at: position)
                        case 4:
                            what = "insert"
                            let element = one
                            let position = random.below(count + 1)
                            list.insert(element, at: position)
                            expected.insert(element, at: position)
                        case 5:
                            what = "replace"
                            let element = one
                            let position = random.below(count)
                            list.replace(index: position, object: element)
                            expected[position] = element
                        case 6:
                            what = "subscript"
                            let element = one
                            let position = random.below(count)
                            list[position] = element
                            expected[position] = element
                        case 7:
                            what = "remove"
                            let position = random.below(count)
                            list.remove(at: position)
                            expected.remove(at: position)
                        case 8:
                            what = "removeFirst"
                            let number = random.below(min(count, 3) + 1)
                            list.removeFirst(number)
                            expected.removeFirst(number)
                        case 9:
                            what = "removeLast"
                            let number = random.below(min(count, 3) + 1)
                            list.removeLast(number)
                            expected.removeLast(number)
                        case 10:
                            what = "removeSubrange"
                            let range = random.range(in: count)
                            list.removeSubrange(range)
                            expected.removeSubrange(range)
                        case 11:
                            what = "move"
                            let from = random.below(count)
                            let to = random.below(count)
                            list.move(from: from, to: to)
                            expected.insert(expected.remove(at: from), at: to)
                        case 12:
                            what = "swapAt"
                            let a = random.below(count)
                            let b = random.below(count)
                            list.swapAt(a, b)
                            expected.swapAt(a, b)
                        case 13:
                            what = "move(fromOffsets:toOffset:)"
                            let offsets = IndexSet((0..<count).filter { _ in random.below(3) == 0 })
                            let to = random.below(count + 1)
                            list.move(fromOffsets: offsets, toOffset: to)
                            let moved = offsets.map { expected[$0] }
                            let before = offsets.filter { $0 < to }.count
                            for offset in offsets.reversed() { expected.remove(at: offset) }
                            expected.insert(contentsOf: moved, at: to - before)
                        case 14:
                            what = "remove(atOffsets:)"
                            let offsets = IndexSet((0..<count).filter { _ in random.below(4) == 0 })
                            list.remove(atOffsets: offsets)
                            for offset in offsets.reversed() { expected.remove(at: offset) }
                        case 15:
                            what = "replaceSubrange"
                            let range = random.range(in: count)
                            let elements = some
                            list.replaceSubrange(range, with: elements)
                            expected.replaceSubrange(range, with: elements)
                        default:
                            what = "removeAll"
                            guard random.below(4) == 0 else { return }
                            list.removeAll()
                            expected.removeAll()
                        }
                        #expect(Array(list) == expected, "within: seed \(seed), step \(step), \(what)")
                    }
                    #expect(Array(list) == expected, "seed \(seed), step \(step), \(what)")
                    #expect(list.count == expected.count && list.isEmpty == expected.isEmpty)
                    #expect(list.first == expected.first && list.last == expected.last)
                    let element = one
                    #expect(list.index(of: element) == expected.firstIndex(of: element), "seed \(seed), step \(step)")
                    if Array(list) != expected { break }
                }
            }
        }
    }

    static let lists: [Case] = [
        list("intList") { $0.intList },
        list("intOptionalList") { $0.intOptionalList },
        list("int8List") { $0.int8List },
        list("int8OptionalList") { $0.int8OptionalList },
        list("int16List") { $0.int16List },
        list("int16OptionalList") { $0.int16OptionalList },
        list("int32List") { $0.int32List },
        list("int32OptionalList") { $0.int32OptionalList },
        list("int64List") { $0.int64List },
        list("int64OptionalList") { $0.int64OptionalList },
        list("boolList") { $0.boolList },
        list("boolOptionalList") { $0.boolOptionalList },
        list("floatList") { $0.floatList },
        list("floatOptionalList") { $0.floatOptionalList },
        list("doubleList") { $0.doubleList },
        list("doubleOptionalList") { $0.doubleOptionalList },
        list("stringList") { $0.stringList },
        list("stringOptionalList") { $0.stringOptionalList },
        list("dataList") { $0.dataList },
        list("dataOptionalList") { $0.dataOptionalList },
        list("dateList") { $0.dateList },
        list("dateOptionalList") { $0.dateOptionalList },
        list("decimalList") { $0.decimalList },
        list("decimalOptionalList") { $0.decimalOptionalList },
        list("objectIdList") { $0.objectIdList },
        list("objectIdOptionalList") { $0.objectIdOptionalList },
        list("uuidList") { $0.uuidList },
        list("uuidOptionalList") { $0.uuidOptionalList },
        list("colorList") { $0.colorList },
        list("colorOptionalList") { $0.colorOptionalList },
        list("wrappedList") { $0.wrappedList },
        list("wrappedOptionalList") { $0.wrappedOptionalList },
        list("mixedList") { $0.mixedList },
    ]

    @Test("List: random edits of every type of element, as an array does them", arguments: lists, [false, true])
    func randomLists(_ list: Case, _ isManaged: Bool) throws {
        try list.run(isManaged, TestSeed.of("\(list.name) \(isManaged)"))
    }

    // MARK: Sets

    static func set<E: CollectionsSamples>(
        _ name: String, _ set: @escaping @Sendable (CollectionsAll) -> MutableSet<E>
    ) -> Case {
        Case(name: name) { isManaged, seed in
            try with(isManaged) { object, write in
                var random = SeededRandom(seed: seed)
                var expected: Set<E> = []
                let set = set(object)
                for step in 0..<20 * TestRun.length {
                    var one: E { E.samples[random.below(E.samples.count)] }
                    try write {
                        switch random.below(8) {
                        case 0...2:
                            let element = one
                            set.insert(element)
                            expected.insert(element)
                        case 3:
                            let elements = [one, one, one]
                            set.insert(objectsIn: elements)
                            expected.formUnion(elements)
                        case 4...6:
                            let element = one
                            set.remove(element)
                            expected.remove(element)
                        default:
                            guard random.below(4) == 0 else { return }
                            set.removeAll()
                            expected.removeAll()
                        }
                    }
                    #expect(Set(set) == expected && set.count == expected.count, "seed \(seed), step \(step)")
                    for element in E.samples {
                        #expect(set.contains(element) == expected.contains(element), "seed \(seed), step \(step)")
                    }
                    guard Set(set) == expected else { break }
                }
            }
        }
    }

    static let sets: [Case] = [
        set("intSet") { $0.intSet },
        set("intOptionalSet") { $0.intOptionalSet },
        set("int8Set") { $0.int8Set },
        set("int8OptionalSet") { $0.int8OptionalSet },
        set("int16Set") { $0.int16Set },
        set("int16OptionalSet") { $0.int16OptionalSet },
        set("int32Set") { $0.int32Set },
        set("int32OptionalSet") { $0.int32OptionalSet },
        set("int64Set") { $0.int64Set },
        set("int64OptionalSet") { $0.int64OptionalSet },
        set("boolSet") { $0.boolSet },
        set("boolOptionalSet") { $0.boolOptionalSet },
        set("floatSet") { $0.floatSet },
        set("floatOptionalSet") { $0.floatOptionalSet },
        set("doubleSet") { $0.doubleSet },
        set("doubleOptionalSet") { $0.doubleOptionalSet },
        set("stringSet") { $0.stringSet },
        set("stringOptionalSet") { $0.stringOptionalSet },
        set("dataSet") { $0.dataSet },
        set("dataOptionalSet") { $0.dataOptionalSet },
        set("dateSet") { $0.dateSet },
        set("dateOptionalSet") { $0.dateOptionalSet },
        set("decimalSet") { $0.decimalSet },
        set("decimalOptionalSet") { $0.decimalOptionalSet },
        set("objectIdSet") { $0.objectIdSet },
        set("objectIdOptionalSet") { $0.objectIdOptionalSet },
        set("uuidSet") { $0.uuidSet },
        set("uuidOptionalSet") { $0.uuidOptionalSet },
        set("colorSet") { $0.colorSet },
        set("colorOptionalSet") { $0.colorOptionalSet },
        set("wrappedSet") { $0.wrappedSet },
        set("wrappedOptionalSet") { $0.wrappedOptionalSet },
        set("mixedSet") { $0.mixedSet },
    ]

    @Test("MutableSet: random edits of every type of element, as a set does them", arguments: sets, [false, true])
    func randomSets(_ set: Case, _ isManaged: Bool) throws {
        try set.run(isManaged, TestSeed.of("\(set.name) \(isManaged)"))
    }

    // MARK: Maps

    static func map<E: CollectionsSamples>(
        _ name: String, _ map: @escaping @Sendable (CollectionsAll) -> Map<String, E>
    ) -> Case {
        Case(name: name) { isManaged, seed in
            try with(isManaged) { object, write in
                var random = SeededRandom(seed: seed)
                let keys = ["", "a", "b", "aa", "Z", "é", "😀", "key"]
                var expected: [String: E] = [:]
                let map = map(object)
                for step in 0..<20 * TestRun.length {
                    let key = keys[random.below(keys.count)]
                    var one: E { E.samples[random.below(E.samples.count)] }
                    try write {
                        switch random.below(9) {
                        case 0, 1:
                            let value = one
                            map[key] = value
                            expected[key] = .some(value)
                        case 2, 3:
                            let value = one
                            map.updateValue(value, forKey: key)
                            expected.updateValue(value, forKey: key)
                        case 4:
                            map[key] = nil
                            expected.removeValue(forKey: key)
                        case 5:
                            map.removeObject(for: key)
                            expected.removeValue(forKey: key)
                        case 6:
                            let value = one
                            map.setValue(value, forKey: key)
                            if isNil(value) {
                                expected.removeValue(forKey: key)
                            } else {
                                expected.updateValue(value, forKey: key)
                            }
                        case 7:
                            let other = Dictionary(keys.prefix(3).map { ($0, one) }) { $1 }
                            let keepsOld = random.below(2) == 0
                            map.merge(other) { old, new in keepsOld ? old : new }
                            expected.merge(other) { old, new in keepsOld ? old : new }
                        default:
                            guard random.below(4) == 0 else { return }
                            map.removeAll()
                            expected.removeAll()
                        }
                    }
                    let ordered = expected.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                    #expect(map.keys == ordered && map.count == expected.count, "seed \(seed), step \(step)")
                    #expect(map.values == ordered.compactMap { expected[$0] }, "seed \(seed), step \(step)")
                    for key in keys { #expect(map[key] == expected[key], "seed \(seed), step \(step)") }
                    guard map.keys == ordered else { break }
                }
            }
        }
    }

    static let maps: [Case] = [
        map("intMap") { $0.intMap },
        map("intOptionalMap") { $0.intOptionalMap },
        map("int8Map") { $0.int8Map },
        map("int8OptionalMap") { $0.int8OptionalMap },
        map("int16Map") { $0.int16Map },
        map("int16OptionalMap") { $0.int16OptionalMap },
        map("int32Map") { $0.int32Map },
        map("int32OptionalMap") { $0.int32OptionalMap },
        map("int64Map") { $0.int64Map },
        map("int64OptionalMap") { $0.int64OptionalMap },
        map("boolMap") { $0.boolMap },
        map("boolOptionalMap") { $0.boolOptionalMap },
        map("floatMap") { $0.floatMap },
        map("floatOptionalMap") { $0.floatOptionalMap },
        map("doubleMap") { $0.doubleMap },
        map("doubleOptionalMap") { $0.doubleOptionalMap },
        map("stringMap") { $0.stringMap },
        map("stringOptionalMap") { $0.stringOptionalMap },
        map("dataMap") { $0.dataMap },
        map("dataOptionalMap") { $0.dataOptionalMap },
        map("dateMap") { $0.dateMap },
        map("dateOptionalMap") { $0.dateOptionalMap },
        map("decimalMap") { $0.decimalMap },
        map("decimalOptionalMap") { $0.decimalOptionalMap },
        map("objectIdMap") { $0.objectIdMap },
        map("objectIdOptionalMap") { $0.objectIdOptionalMap },
        map("uuidMap") { $0.uuidMap },
        map("uuidOptionalMap") { $0.uuidOptionalMap },
        map("colorMap") { $0.colorMap },
        map("colorOptionalMap") { $0.colorOptionalMap },
        map("wrappedMap") { $0.wrappedMap },
        map("wrappedOptionalMap") { $0.wrappedOptionalMap },
        map("mixedMap") { $0.mixedMap },
    ]

    @Test(
        "Map: random edits of every type of value, as a dictionary does them",
        arguments: maps, [false, true])
    func randomMaps(_ map: Case, _ isManaged: Bool) throws {
        try map.run(isManaged, TestSeed.of("\(map.name) \(isManaged)"))
    }
}

/// Whether an optional is nil.
private func isNil<T>(_ value: T) -> Bool {
    (value as? any OptionalProtocol).map { isMissing($0) } ?? false
}

private func isMissing<O: OptionalProtocol>(_ value: O) -> Bool { value._wrapped == nil }
