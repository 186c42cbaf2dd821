import Foundation
import RealmSwift
import Synchronization
import TestBasics
import Testing

/// An object keeps a text that was read twice in a row, and all threads read a frozen object where one has found it.
/// Whatever was read before, a read returns the value of the object's version.
@Suite("Values that are read again")
struct RepeatedReadTests {
    /// What a dog has in the store.
    private struct Expected: Equatable {
        var name: String
        var nick: String?
        var age: Int
    }

    /// Of no length, within a string, allocated, longer than what an object keeps, and stored outside of the leaf.
    private static let lengths = [0, 3, 15, 16, 40, 255, 256, 257, 1000, 6000]

    private static func text(_ random: inout SeededRandom) -> String {
        let length = random.pick(lengths) ?? 0
        let letter = ["a", "é", "日"][random.below(3)]
        return String(String(repeating: letter, count: length).prefix(length))
    }

    private static func difference(_ dog: PlaceDog, _ expected: Expected) -> String? {
        if dog.name != expected.name { return "name of \(dog.id)" }
        if dog.nick != expected.nick { return "nick of \(dog.id)" }
        return dog.age == expected.age ? nil : "age of \(dog.id)"
    }

    @Test("each read returns the version's text, however often and in whatever order", arguments: 0..<6)
    func texts(_ round: Int) throws {
        let seed = TestSeed.of(round)
        var random = SeededRandom(seed: seed)
        let realm = try InPlaceTests.filled(12)
        realm.autorefresh = false
        var stored = (0..<12).map { Expected(name: "Rex", nick: nil, age: $0) }
        // Two instances of each object, which are read at different times.
        let dogs = (0..<24).compactMap { realm.object(ofType: PlaceDog.self, forPrimaryKey: $0 % 12) }
        try #require(dogs.count == 24)
        let queue = DispatchQueue(label: "elsewhere")
        let configuration = realm.configuration
        for step in 0..<600 {
            let index = random.below(12)
            switch random.below(12) {
            case 0...7:
                // The same property again and again, or others between.
                let dog = dogs[index + 12 * random.below(2)]
                for _ in 0..<1 + random.below(4) {
                    #expect(dog.name == stored[index].name, "step \(step), seed \(seed)")
                    if random.oneIn(3) { #expect(dog.nick == stored[index].nick, "step \(step), seed \(seed)") }
                }
            case 8, 9:
                let isKept = !random.oneIn(3)
                var changed = stored
                realm.beginWrite()
                for _ in 0..<1 + random.below(3) {
                    let target = random.below(12)
                    changed[target].name = Self.text(&random)
                    changed[target].nick = random.oneIn(3) ? nil : Self.text(&random)
                    dogs[target].name = changed[target].name
                    dogs[target + 12].nick = changed[target].nick
                    for _ in 0..<random.below(3) {
                        let difference = Self.difference(dogs[target], changed[target])
                        #expect(difference == nil, "step \(step), seed \(seed)")
                    }
                }
                if isKept {
                    try realm.commitWrite()
                    stored = changed
                } else {
                    realm.cancelWrite()
                }
            case 10:
                let (old, new) = (stored[index], Self.text(&random))
                try queue.sync {
                    let other = try Realm(configuration: configuration, queue: queue)
                    try other.write { other.object(ofType: PlaceDog.self, forPrimaryKey: index)?.name = new }
                }
                #expect(Self.difference(dogs[index], old) == nil, "step \(step), seed \(seed)")
                realm.refresh()
                stored[index].name = new
            default:
                let frozen = dogs[index].freeze()
                let expected = stored[index]
                try realm.write { dogs[index].name = "another" }
                stored[index].name = "another"
                for _ in 0..<3 { #expect(Self.difference(frozen, expected) == nil, "step \(step), seed \(seed)") }
            }
            let difference = Self.difference(dogs[index], stored[index])
            #expect(difference == nil, "step \(step), seed \(seed)")
        }
    }

    @Test("a text that an object keeps is not read after the object is gone, or on another thread")
    func misuse() async throws {
        let deleted = await exception {
            let realm = try InPlaceTests.filled()
            let dog = realm.objects(PlaceDog.self)[3]
            for _ in 0..<4 { #expect(dog.name == "Rex") }
            try realm.write { realm.delete(realm.objects(PlaceDog.self)) }
            _ = dog.name
        }
        #expect(deleted == "Object has been deleted or invalidated.")
        let realm = try InPlaceTests.filled()
        let dog = realm.objects(PlaceDog.self)[3]
        for _ in 0..<4 { #expect(dog.name == "Rex") }
        nonisolated(unsafe) let elsewhere = dog
        let told = await exception { _ = elsewhere.name }
        #expect(told?.contains("incorrect thread") == true, "\(told ?? "none")")
    }

    @Test("a thread that gets the memory of one that ended is another thread")
    func laterThreads() async throws {
        // Each is the first reader on a thread of its own, and the realm's own thread has ended.
        let kept = Mutex<[Unchecked]>([])
        let failure = await exception {
            let realm = try InPlaceTests.filled()
            let dog = realm.objects(PlaceDog.self)[3]
            #expect(dog.age == 3)
            kept.withLock { $0.append(Unchecked(dog: dog)) }
        }
        #expect(failure == nil)
        for _ in 0..<20 {
            let told = await exception {
                let place = kept.withLock { $0[0] }
                _ = place.dog.age
            }
            #expect(told?.contains("incorrect thread") == true, "\(told ?? "none")")
        }
    }

    private struct Unchecked: @unchecked Sendable { let dog: PlaceDog }

    @Test("threads that begin at the same time read frozen objects as they were stored", arguments: 0..<2)
    func frozen(_ round: Int) throws {
        let seed = TestSeed.of(round)
        var random = SeededRandom(seed: seed)
        // Several clusters, some with deleted objects.
        let realm = try InPlaceTests.filled(5000)
        var stored: [Int: Expected] = [:]
        try realm.write {
            for dog in realm.objects(PlaceDog.self) {
                if dog.id % 13 == 5 {
                    realm.delete(dog)
                    continue
                }
                let text = dog.id % 50 == 0 ? Self.text(&random) : "name \(dog.id), which is long enough"
                (dog.name, dog.nick) = (text, dog.id % 3 == 0 ? nil : "n\(dog.id)")
                stored[dog.id] = Expected(name: text, nick: dog.nick, age: dog.id)
            }
        }
        nonisolated(unsafe) let frozen = realm.freeze()
        // Those of the first half are shared, and every thread makes the others itself.
        let ids = stored.keys.sorted()
        nonisolated(unsafe) let shared = ids.compactMap { frozen.object(ofType: PlaceDog.self, forPrimaryKey: $0) }
        try realm.write { for dog in realm.objects(PlaceDog.self) { dog.name = "later" } }
        let expected = stored
        let faults = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 6) { thread in
            for step in 0..<2000 {
                let index = (step * (thread % 2 == 0 ? 7 : 11) + round) % ids.count
                let dog =
                    step % 4 == 0 ? frozen.object(ofType: PlaceDog.self, forPrimaryKey: ids[index]) : shared[index]
                guard let dog, let wanted = expected[ids[index]] else {
                    faults.withLock { $0.append("none at \(index)") }
                    continue
                }
                if let found = Self.difference(dog, wanted) { faults.withLock { $0.append(found) } }
            }
        }
        #expect(faults.withLock { $0 } == [], "seed \(seed)")
    }
}
