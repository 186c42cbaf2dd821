import Foundation
import RealmSwift
import Synchronization
import Testing

class PlaceDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = "Rex"
    @Persisted var age: Int
    @Persisted var nick: String?
    @Persisted var flag: Bool?
    @Persisted var born: Date?
    @Persisted var weight: Double
    @Persisted var token: UUID
    @Persisted var owner: PlaceOwner?
    @Persisted var tags: List<String>
}

class PlaceOwner: Object {
    @Persisted var name = "nobody"
    @Persisted var rank: Int
}

/// Direct access to values: the changes that it must notice nevertheless.
@Suite("Values in place")
struct InPlaceTests {
    static func configuration() -> Realm.Configuration {
        Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [PlaceDog.self, PlaceOwner.self])
    }

    static func empty() throws -> Realm { try Realm(configuration: configuration()) }

    static func filled(_ count: Int = 10) throws -> Realm {
        let realm = try empty()
        try realm.write {
            for number in 0..<count { realm.create(PlaceDog.self, value: ["id": number, "age": number]) }
        }
        return realm
    }

    @Test("an object shows each version of its realm, and the open write")
    func versions() throws {
        let realm = try Self.filled()
        let dog = try #require(realm.object(ofType: PlaceDog.self, forPrimaryKey: 3))
        let same = try #require(realm.object(ofType: PlaceDog.self, forPrimaryKey: 3))
        #expect(dog.age == 3 && dog.name == "Rex" && dog.nick == nil && dog.owner == nil)
        try realm.write {
            dog.age = 4
            dog.nick = "x"
            #expect(same.age == 4 && same.nick == "x" && same.name == "Rex")
            same.age += 1
            dog.nick = nil
            #expect(dog.age == 5 && same.nick == nil)
            #expect(realm.objects(PlaceDog.self).filter("age == 5 AND nick == nil").count == 2)
            dog.age = 6
            #expect(realm.objects(PlaceDog.self).filter("age == 6").count == 2)
        }
        #expect(dog.age == 6 && same.age == 6)
        realm.beginWrite()
        dog.age = 100
        dog.born = Date(timeIntervalSince1970: 5)
        dog.flag = true
        #expect(same.age == 100 && same.flag == true)
        realm.cancelWrite()
        #expect(dog.age == 6 && same.age == 6 && dog.born == nil && dog.flag == nil)
    }

    @Test("a commit from elsewhere shows after a refresh, not before")
    func elsewhere() async throws {
        let failure = await exception {
            let realm = try Self.filled()
            realm.autorefresh = false
            let dog = realm.objects(PlaceDog.self)[3]
            let frozen = dog.freeze()
            #expect(dog.age == 3)
            let configuration = realm.configuration
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let other = try? Realm(configuration: configuration)
                try? other?.write { other?.object(ofType: PlaceDog.self, forPrimaryKey: 3)?.age = 30 }
                done.signal()
            }
            done.wait()
            #expect(dog.age == 3)
            realm.refresh()
            #expect(dog.age == 30 && frozen.age == 3)
        }
        #expect(failure == nil)
    }

    @Test("deleted and cancelled objects cannot be read or assigned, also after they were in use")
    func gone() async throws {
        for isAssigned in [false, true] {
            let message = await exception {
                let realm = try Self.filled()
                let dog = realm.objects(PlaceDog.self)[3]
                #expect(dog.age == 3)
                realm.beginWrite()
                #expect(dog.age == 3)
                dog.age = 4
                realm.delete(dog)
                if isAssigned { dog.age = 5 } else { _ = dog.age }
            }
            #expect(message == "Object has been deleted or invalidated.")
        }
        let message = await exception {
            let realm = try Self.filled()
            realm.beginWrite()
            let dog = realm.create(PlaceDog.self, value: ["id": 100])
            dog.age = 7
            #expect(dog.age == 7)
            realm.cancelWrite()
            // Reuses the same place in the store.
            try realm.write { realm.create(PlaceDog.self, value: ["id": 101]) }
            _ = dog.age
        }
        #expect(message == "Object has been deleted or invalidated.")
        let invalidated = await exception {
            let realm = try Self.filled()
            let dog = realm.objects(PlaceDog.self)[3]
            #expect(dog.age == 3)
            realm.invalidate()
            _ = dog.age
        }
        #expect(invalidated == "Object has been deleted or invalidated.")
    }

    @Test("another thread is refused, also within a write and for an object that was read before")
    func threads() throws {
        for (isWriting, isAssigned) in [(false, false), (true, false), (true, true)] {
            let realm = try Self.filled()
            let dog = realm.objects(PlaceDog.self)[3]
            if isWriting { realm.beginWrite() }
            #expect(dog.age == 3)
            nonisolated(unsafe) let elsewhere = dog
            let message = LockedText()
            let told = DispatchSemaphore(value: 0)
            Task.detached {
                message.text = await exception { if isAssigned { elsewhere.age = 4 } else { _ = elsewhere.age } }
                told.signal()
            }
            wait(for: told)
            #expect(message.text?.contains("incorrect thread") == true, "\(message.text ?? "none")")
            if isWriting { realm.cancelWrite() }
        }
    }

    @Test("values of every length, in many objects, in writes that also read, create and delete others")
    func manyObjects() throws {
        let realm = try Self.filled(6000)
        let long = String(repeating: "long ", count: 1000)
        try realm.write {
            for dog in realm.objects(PlaceDog.self) {
                dog.name = dog.id % 7 == 0 ? long : "name \(dog.id)"
                dog.nick = dog.id % 3 == 0 ? nil : dog.name
                dog.weight = Double(dog.id) / 2
                if dog.id % 10 == 0 { realm.create(PlaceDog.self, value: ["id": 10_000 + dog.id, "age": dog.age]) }
                if dog.id % 11 == 0 { realm.delete(dog) }
            }
            for dog in realm.objects(PlaceDog.self) where dog.name == long { dog.name = "short" }
        }
        let dogs = realm.objects(PlaceDog.self)
        #expect(dogs.count == 6000 + 600 - 546)
        for dog in dogs {
            if dog.id >= 10_000 {
                #expect(dog.name == "Rex" && dog.age == dog.id - 10_000 && dog.nick == nil)
            } else {
                #expect(dog.name == (dog.id % 7 == 0 ? "short" : "name \(dog.id)"))
                #expect(dog.nick == (dog.id % 3 == 0 ? nil : dog.id % 7 == 0 ? long : "name \(dog.id)"))
                #expect(dog.weight == Double(dog.id) / 2)
            }
        }
    }

    @Test("objects made of plain values have the defaults of their class, and refuse what exists and does not fit")
    func creating() async throws {
        let realm = try Self.empty()
        let token = UUID()
        realm.beginWrite()
        let made = [
            realm.create(PlaceDog.self, value: ["id": 1, "token": token, "age": 2] as [String: Any]),
            realm.create(PlaceDog.self, value: [2, "Bo", 3, NSNull(), true] as [Any]),
            realm.create(PlaceDog.self, value: ["id": 3, "nick": String?.none as Any, "age": NSNumber(value: 4)]),
            realm.create(PlaceDog.self, value: ["id": 4, "owner": ["name": "Al"], "tags": ["a"]] as [String: Any]),
        ]
        let dog = PlaceDog()
        dog.id = 5
        dog.owner = PlaceOwner()
        dog.tags.append("b")
        realm.add(dog)
        let owner = PlaceOwner()
        owner.rank = 9
        realm.add(owner)
        try realm.commitWrite()
        #expect(made.map(\.name) == ["Rex", "Bo", "Rex", "Rex"])
        #expect(made.map(\.age) == [2, 3, 4, 0])
        #expect(made.map(\.flag) == [nil, true, nil, nil])
        #expect(made.allSatisfy { $0.nick == nil })
        #expect(made[0].token == token && made[1].token != made[2].token)
        #expect(made[3].owner?.name == "Al" && Array(made[3].tags) == ["a"])
        #expect(dog.owner?.name == "nobody" && Array(dog.tags) == ["b"] && dog.realm == realm)
        #expect(owner.rank == 9 && owner.name == "nobody" && owner.realm == realm)
        #expect(realm.objects(PlaceOwner.self).count == 3)
        let existing = await exception {
            let realm = try Self.filled()
            try realm.write { realm.create(PlaceDog.self, value: ["id": 3]) }
        }
        #expect(
            existing == "Attempting to create an object of type 'PlaceDog' with an existing primary key value '3'.")
        let mismatch = await exception {
            let realm = try Self.filled()
            try realm.write { realm.create(PlaceDog.self, value: ["id": "x"]) }
        }
        #expect(mismatch == "Invalid value 'x' of type 'String' for 'int' property 'PlaceDog.id'.")
    }

    @Test("several threads read the same frozen objects, each its first and all of them later")
    func frozenOnThreads() throws {
        let realm = try Self.filled(500)
        try realm.write {
            let owners = (0..<3).map { realm.create(PlaceOwner.self, value: ["rank": $0]) }
            for dog in realm.objects(PlaceDog.self) {
                dog.name = "name \(dog.id), long enough to be allocated"
                dog.nick = dog.id % 3 == 0 ? nil : "n\(dog.id)"
                dog.owner = dog.id % 4 == 0 ? nil : owners[dog.id % 3]
                dog.tags.append("t\(dog.id)")
            }
        }
        // Frozen objects may be read anywhere.
        nonisolated(unsafe) let dogs = Array(realm.objects(PlaceDog.self).sorted(byKeyPath: "id").freeze())
        // Later versions do not show.
        try realm.write {
            for dog in realm.objects(PlaceDog.self) { dog.name = "x" }
            realm.delete(realm.objects(PlaceOwner.self))
        }
        let faults = Mutex<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for pass in 0..<3 {
                for step in dogs.indices {
                    let index = (step * 7 + thread * 61 + pass) % dogs.count
                    let dog = dogs[index]
                    let isRight =
                        dog.id == index && dog.age == index && dog.name == "name \(index), long enough to be allocated"
                        && dog.nick == (index % 3 == 0 ? nil : "n\(index)") && dog.flag == nil
                        && dog.owner?.rank == (index % 4 == 0 ? nil : index % 3) && Array(dog.tags) == ["t\(index)"]
                        && dog.isFrozen && !dog.isInvalidated
                    if !isRight { faults.withLock { $0.append(index) } }
                }
            }
        }
        #expect(faults.withLock { $0 }.isEmpty && dogs.count == 500)
        // More threads than have caches of their own.
        nonisolated(unsafe) let dog = dogs[7]
        for _ in 0..<80 {
            let ended = DispatchSemaphore(value: 0)
            Thread {
                if dog.owner?.rank != 1 { faults.withLock { $0.append(7) } }
                ended.signal()
            }.start()
            wait(for: ended)
        }
        #expect(faults.withLock { $0 }.isEmpty)
    }

    @Test("an observer hears of each object that was assigned in place")
    func observed() async throws {
        let fixture = QueueFixture([PlaceDog.self, PlaceOwner.self])
        try fixture.run { realm in
            try realm.write {
                for number in 0..<100 { realm.create(PlaceDog.self, value: ["id": number, "age": number]) }
            }
            fixture.keep(
                realm.objects(PlaceDog.self).sorted(byKeyPath: "id").observe { change in
                    if case .update(_, _, _, let modifications) = change { fixture.note("\(modifications)") }
                })
            // The initial result is reported before the following write.
            realm.refresh()
        }
        try fixture.run { realm in
            try realm.write {
                for dog in realm.objects(PlaceDog.self) where dog.id % 9 == 0 {
                    dog.age += 1
                    dog.age += 1
                    dog.name = "x"
                }
            }
        }
        #expect(try await fixture.notes(1) == ["\(Array(stride(from: 0, to: 100, by: 9)))"])
        fixture.dropTokens()
    }
}

/// Blocks the test's thread meanwhile.
private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

private final class LockedText: Sendable {
    private let value = Mutex<String?>(nil)
    var text: String? {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
