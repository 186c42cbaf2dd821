import Foundation
import RealmSwift
import StoreTesting
import Testing
import TestBasics

@Suite("Collections: maps and mixed values")
struct CollectionsMapTests {
    @Test("a map is iterated in the order of its keys")
    func entries() throws {
        let (realm, person) = try CollectionsRealm.person()
        try realm.write { person.scores.merge(["b": 2, "a": 1, "": nil, "Z": 4] as [String: Int?]) { $1 } }
        func keys<M: RealmKeyedCollection>(_ map: M) -> [M.Key] { map.keys }
        #expect(keys(person.scores) == ["", "Z", "a", "b"] && person.scores.map(\.key) == ["", "Z", "a", "b"])
        #expect(person.scores.asKeyValueSequence().map { $0.value } == [nil, 4, 1, 2])
        #expect(person.scores.contains { key, value in key == "a" && value == 1 })
        #expect(!person.scores.contains { key, value in key == "a" && value == 2 })
        #expect(!person.named.contains { _, _ in true })
        var asked = 0
        func isFirst(_ key: String, _ value: Int?) -> Bool {
            asked += 1
            return true
        }
        #expect(person.scores.contains(where: { isFirst($0, $1) }) && asked == 1)
        try realm.write { person.scores.merge(person.scores) { old, _ in old.map { $0 + 1 } } }
        #expect(person.scores["b"] == 3 && person.scores[""] == .some(nil))
    }

    @Test("keys and nulls")
    func keys() async throws {
        do {
            let (realm, person) = try CollectionsRealm.person()
            try realm.write {
                person.scores["null"] = .some(nil)
                person.scores["one"] = 1
                person.scores["one"] = nil
                person.scores.removeObject(for: "absent")
            }
            #expect(person.scores.keys == ["null"] && person.scores["null"] == .some(nil) && person.scores["x"] == nil)
        }
        for key in ["$a", "a.b"] {
            let message = await exception {
                let (realm, person) = try CollectionsRealm.person()
                try realm.write { person.scores[key] = 1 }
            }
            #expect(message?.contains(key == "$a" ? "key must not start with '$'" : "key must not contain '.'") == true)
        }
    }

    @Test("values by key and path")
    func keyValue() async throws {
        do {
            let (realm, person) = try CollectionsRealm.person()
            try realm.write {
                person.setMaps()
            }
            #expect(person.scores.value(forKey: "a") as? Int == 3 && person.scores.value(forKey: "null") is NSNull)
            #expect(person.scores.value(forKey: "absent") == nil)
            #expect(person.named.value(forKeyPath: "x.name") as? String == "a")
            #expect(person.named.value(forKeyPath: "x.tags.@count") as? Int == 0)
            #expect(person.named.value(forKeyPath: "@sum.age") as? Int == 3)
            #expect(person.named.value(forKeyPath: "@max.age") as? Int == 2)
            #expect(person.scores.value(forKeyPath: "@avg.self") as? Double == 3.5)
            #expect(person.scores.value(forKeyPath: "@count") as? Int == 3)
            try realm.write {
                person.scores.setValue(nil, forKey: "a")
                person.scores.setValue(8.0, forKey: "c")
                person.named.setValue(["name": "built"], forKey: "z")
            }
            #expect(person.scores.keys == ["b", "c", "null"] && person.scores["c"] == 8)
            #expect(person.named["z"]??.name == "built")
        }
        #expect(
            await exception {
                let (realm, person) = try CollectionsRealm.person()
                try realm.write { person.scores.setValue("text", forKey: "a") }
            } != nil)
    }

    @Test("AnyRealmValue tells what it holds")
    func accessors() throws {
        let (_, person) = try CollectionsRealm.person()
        let date = Date()
        let (id, uuid) = (ObjectId.generate(), UUID())
        #expect(AnyRealmValue.int(1).intValue == 1 && AnyRealmValue.int(1).doubleValue == nil)
        #expect(AnyRealmValue.bool(true).boolValue == true && AnyRealmValue.float(1).floatValue == 1)
        #expect(AnyRealmValue.double(1).doubleValue == 1 && AnyRealmValue.string("a").stringValue == "a")
        #expect(AnyRealmValue.data(Data([1])).dataValue == Data([1]) && AnyRealmValue.date(date).dateValue == date)
        #expect(AnyRealmValue.objectId(id).objectIdValue == id && AnyRealmValue.uuid(uuid).uuidValue == uuid)
        #expect(AnyRealmValue.decimal128(2).decimal128Value == 2 && AnyRealmValue.none.intValue == nil)
        let object = AnyRealmValue.object(person.dogs[0])
        #expect(object.object(CollectionsDog.self)?.name == "a" && object.object(CollectionsPerson.self) == nil)
        #expect(object.dynamicObject?.name as? String == "a" && object.stringValue == nil)
        #expect(AnyRealmValue.int(1) != .double(1))
        #expect(AnyRealmValue.fromArray([.int(1)]) == .fromArray([.int(1)]))
        #expect(AnyRealmValue.fromArray([.int(1)]) != .fromArray([.int(2)]))
        #expect(AnyRealmValue.fromDictionary(["a": .none]).dictionaryValue?.keys == ["a"])
        #expect(
            Set<AnyRealmValue>([.fromDictionary(["a": .int(1)]), .fromDictionary(["a": .int(1)]), .int(1)]).count == 2)
    }

    @Test("lists and dictionaries within mixed values are edited in place, at any depth")
    func nested() throws {
        let (realm, person) = try CollectionsRealm.person()
        try realm.write {
            person.any = .fromDictionary([
                "list": .fromArray([.int(1), .fromDictionary(["deep": .fromArray([])])]),
                "dog": .object(CollectionsDog("z")),
            ])
        }
        let map = try #require(person.any.dictionaryValue)
        let list = try #require(map["list"]?.listValue)
        let deep = try #require(list[1].dictionaryValue?["deep"]?.listValue)
        #expect(map.realm == realm && list.realm == realm && list.count == 2 && deep.isEmpty)
        #expect(map["dog"]?.object(CollectionsDog.self)?.realm == realm && person.any.dictionaryValue == map)
        try realm.write {
            deep.append(.string("x"))
            deep.append(.object(person.dogs[0]))
            list[0] = .int(2)
            map["new"] = .fromArray([.int(9)])
            map["new"]?.listValue?.insert(.int(8), at: 0)
        }
        #expect(deep.count == 2 && deep[1].object(CollectionsDog.self)?.name == "a" && list[0] == .int(2))
        #expect(map["new"]?.listValue.map { Array($0) } == [.int(8), .int(9)])
        #expect(person.any.dictionaryValue?["list"]?.listValue?[1].dictionaryValue?["deep"]?.listValue?.count == 2)
        // In collections of mixed values, too.
        try realm.write {
            person.anyList.append(.fromArray([.int(1)]))
            person.anyMap["m"] = .fromDictionary(["k": .fromArray([.none])])
            person.anyList[0].listValue?.append(.int(2))
            person.anyMap["m"]?.dictionaryValue?["k"]?.listValue?.removeAll()
            for value in person.anyList { value.listValue?.append(.int(3)) }
        }
        #expect(person.anyList[0].listValue.map { Array($0) } == [.int(1), .int(2), .int(3)])
        #expect(person.anyMap["m"]?.dictionaryValue?["k"]?.listValue?.count == 0)
        try realm.write { person.any = .int(3) }
        #expect(map.isInvalidated && list.isInvalidated && deep.isInvalidated && !person.dogs.isInvalidated)
        // Unmanaged collections are kept in memory unchanged.
        let plain = CollectionsPerson(7)
        plain.any = .fromArray([.int(1)])
        plain.any.listValue?.append(.fromArray([]))
        try realm.write { realm.add(plain) }
        #expect(plain.any.listValue?.count == 2 && plain.any.listValue?.realm == realm)
    }

    @Test("random edits of nested lists and dictionaries")
    func nestedHistory() throws {
        indirect enum Model: Equatable {
            case int(Int), list([Model]), map([String: Model])

            var value: AnyRealmValue {
                switch self {
                case .int(let number): .int(number)
                case .list(let elements): .fromArray(elements.map(\.value))
                case .map(let map): .fromDictionary(map.mapValues(\.value))
                }
            }
            init(_ value: AnyRealmValue) {
                switch value {
                case .int(let number): self = .int(number)
                case .list(let list): self = .list(list.map { Model($0) })
                case .dictionary(let map):
                    self = .map(Dictionary(map.asKeyValueSequence().map { ($0.key, Model($0.value)) }) { $1 })
                default: self = .int(-1)
                }
            }
            static func random(_ random: inout SeededRandom, _ depth: Int) -> Model {
                switch random.below(depth > 3 ? 1 : 3) {
                case 0: return .int(random.below(100))
                case 1: return .list((0..<random.below(3)).map { _ in .random(&random, depth + 1) })
                default:
                    return .map(
                        Dictionary((0..<random.below(3)).map { ("k\($0)", .random(&random, depth + 1)) }) { $1 })
                }
            }
            /// Makes the same edit to both.
            mutating func edit(_ value: AnyRealmValue, _ random: inout SeededRandom, _ depth: Int) {
                switch (self, value) {
                case (.list(var elements), .list(let list)):
                    let isDescending = !elements.isEmpty && random.below(2) == 0
                    if isDescending {
                        let position = random.below(elements.count)
                        elements[position].edit(list[position], &random, depth + 1)
                    } else if random.below(3) > 0 || elements.isEmpty {
                        let new = Model.random(&random, depth + 1)
                        let position = random.below(elements.count + 1)
                        list.insert(new.value, at: position)
                        elements.insert(new, at: position)
                    } else {
                        let position = random.below(elements.count)
                        list.remove(at: position)
                        elements.remove(at: position)
                    }
                    self = .list(elements)
                case (.map(var entries), .dictionary(let map)):
                    let key = "k\(random.below(3))"
                    if var inner = entries[key], let value = map[key], random.below(2) == 0 {
                        inner.edit(value, &random, depth + 1)
                        entries[key] = inner
                    } else if random.below(3) > 0 {
                        let new = Model.random(&random, depth + 1)
                        map[key] = new.value
                        entries[key] = new
                    } else {
                        map[key] = nil
                        entries[key] = nil
                    }
                    self = .map(entries)
                default: break
                }
            }
        }
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        let (realm, person) = try CollectionsRealm.person()
        var model = Model.list([.map([:]), .list([])])
        try realm.write { person.any = model.value }
        for step in 0..<60 * TestRun.length {
            try realm.write { model.edit(person.any, &random, 0) }
            #expect(Model(person.any) == model, "seed \(seed), step \(step)")
            guard Model(person.any) == model else { break }
        }
    }

    @Test("Decimal128 counts, compares and reads texts")
    func decimals() throws {
        var number: Decimal128 = 1.5
        number += 2
        number *= 2
        #expect(number == 7 && number / 2 == 3.5 && -number == -7 && (-number).magnitude == 7 && number - 8 < 0)
        #expect(Decimal128.min < Decimal128.max && Decimal128(value: "NaN").isNaN && Decimal128() == .zero)
        #expect(try Decimal128(string: "1.10").description == "1.10" && Decimal128(number: 2.5) == 2.5)
        #expect(try Decimal128(string: "text").isNaN)
        #expect(Decimal128(exactly: Int64.max)?.description == "9223372036854775807")
        #expect(try JSONDecoder().decode([Decimal128].self, from: Data(#"["1.5", 2, 2.5]"#.utf8)) == [1.5, 2, 2.5])
        #expect(String(decoding: try JSONEncoder().encode([number]), as: UTF8.self) == #"["7"]"#)
        #expect([1, 2.5].reduce(Decimal128.zero, +) == 3.5 && Set<Decimal128>([1, "1.00"]).count == 1)
    }

    @Test("ObjectId has a time, a text and an order")
    func objectIds() throws {
        let id = ObjectId("00000001000000000000000a")
        #expect(id.timestamp == Date(timeIntervalSince1970: 1) && id.stringValue == "00000001000000000000000a")
        #expect(try ObjectId(string: id.stringValue) == id && id < ObjectId.generate() && ObjectId() < id)
        #expect(throws: (any Error).self) { try ObjectId(string: "12") }
        let made = ObjectId(timestamp: Date(timeIntervalSince1970: 256), machineId: 10, processId: 20)
        #expect(made.stringValue.hasPrefix("0000010000000a0014"))
        #expect(try JSONDecoder().decode([ObjectId].self, from: JSONEncoder().encode([id])) == [id])
        #expect(ObjectId.generate() != ObjectId.generate())
    }
}

extension CollectionsPerson {
    fileprivate func setMaps() {
        scores["a"] = 3
        scores["b"] = 4
        scores["null"] = .some(nil)
        named["x"] = dogs[0]
        named["y"] = dogs[1]
        named["null"] = .some(nil)
    }
}
