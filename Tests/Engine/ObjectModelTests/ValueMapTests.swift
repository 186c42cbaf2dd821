import ObjectModel
import StoreTesting
import Testing
import TestBasics

/// A map against an array of pairs that is searched from its end.
struct ValueMapTests {
    private static let keys = ["", "a", "A", "ab", "é", "e\u{301}", "日", "\u{0}", "z"]

    @Test("a map has each key once, with the last value given for it, in the order of the keys' bytes")
    func construction() {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let pairs = (0..<random.next() % 8).map { number in
                (Self.keys[Int(random.next() % UInt64(Self.keys.count))], Value.int(Int64(number)))
            }
            let map = ValueMap(pairs)
            check(map, pairs, seed)
            var assigned = ValueMap()
            for (key, value) in pairs { assigned[key] = value }
            #expect(assigned == map && assigned.hashValue == map.hashValue, "seed \(seed)")
        }
    }

    @Test("entries are assigned and removed one by one")
    func editing() {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            var map = ValueMap()
            var pairs: [(String, Value)] = []
            for number in 0..<20 {
                let key = Self.keys[Int(random.next() % UInt64(Self.keys.count))]
                pairs.removeAll { $0.0.utf8.elementsEqual(key.utf8) }
                if random.next() % 3 == 0 {
                    map[key] = nil
                } else {
                    map[key] = .int(Int64(number))
                    pairs.append((key, .int(Int64(number))))
                }
                check(map, pairs, seed)
            }
            let doubled = map.mapValues { .list([$0, $0]) }
            #expect(doubled.entries.map(\.key) == map.entries.map(\.key), "seed \(seed)")
            #expect(doubled.entries.map(\.value) == map.entries.map { .list([$0.value, $0.value]) }, "seed \(seed)")
        }
    }

    private func check(_ map: ValueMap, _ pairs: [(String, Value)], _ seed: UInt64) {
        let distinct = Set(pairs.map { MapKey($0.0) }).sorted()
        #expect(map.entries.map { MapKey($0.key) } == distinct, "seed \(seed)")
        #expect(map.count == distinct.count && map.isEmpty == distinct.isEmpty, "seed \(seed)")
        for key in Self.keys {
            let expected = pairs.last { $0.0.utf8.elementsEqual(key.utf8) }?.1
            #expect(map[key] == expected, "seed \(seed), key \(key)")
            #expect(map.position(of: key) == distinct.filter { $0 < MapKey(key) }.count, "seed \(seed), key \(key)")
        }
    }
}
