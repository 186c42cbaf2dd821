import EmbeddedTesting
import EmbeddedStore
import Foundation
import ObjectModel
import QuerySyntax
import QueryLanguage
import RepositoryFiles
import StoreContract
import Synchronization
import TestBasics
import Testing

@Suite("The writer and its groups")
struct WriterTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private struct Refused: Error {}

    @Test("each of many concurrent writes has an outcome and a version of its own")
    func groups() throws {
        let (store, pets) = try openPets(directory.store)
        let before = try store.snapshot().version
        let outcomes = Mutex<[Int: Result<Version, any Error>]>([:])
        let done = DispatchGroup()
        for number in 0..<300 {
            done.enter()
            store.submit({ transaction in
                let key = try transaction.create(pets.dog.id, [pets.dog("name"): .string("dog \(number)")])
                try transaction.set(pets.dog.id, key, [pets.dog("age"): .int(Int64(number))])
                if number % 3 == 0 { throw Refused() }
            }) { result in
                outcomes.withLock { $0[number] = result }
                done.leave()
            }
        }
        done.wait()
        let snapshot = try store.snapshot()
        #expect(snapshot.version.rawValue == before.rawValue + 200)
        #expect(snapshot.count(of: pets.dog.id) == 200)
        var versions: [Version] = []
        for (number, outcome) in outcomes.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            let key = try snapshot.key(of: pets.dog.id, primaryKey: .string("dog \(number)"))
            switch outcome {
            case .success(let version):
                versions.append(version)
                #expect(try snapshot.value(pets.dog.id, try #require(key), pets.dog("age")) == .int(Int64(number)))
            case .failure(let error):
                #expect(error is Refused)
                #expect(key == nil)
            }
        }
        #expect(versions == versions.sorted() && Set(versions).count == 200)
    }

    @Test("a failed write leaves objects, keys, indexes, links and counts unchanged")
    func rollBack() throws {
        let (store, pets) = try openPets(directory.store)
        let (owner, dog) = try store.write { transaction in
            let owner = try transaction.create(
                pets.person.id, [pets.person("id"): .int(1), pets.person("name"): .string("Ann")])
            let dog = try transaction.create(
                pets.dog.id,
                [pets.dog("name"): .string("Rex"), pets.dog("age"): .int(3), pets.dog("owner"): .link(owner)])
            return (owner, dog)
        }
        #expect(throws: Refused.self) {
            try store.write { transaction in
                try transaction.delete(pets.person.id, owner)
                try transaction.set(pets.dog.id, dog, [pets.dog("age"): .null])
                try transaction.delete(pets.dog.id, dog)
                _ = try transaction.create(pets.dog.id, [pets.dog("name"): .string("Rex")])
                throw Refused()
            }
        }
        let snapshot = try store.snapshot()
        #expect(snapshot.count(of: pets.dog.id) == 1)
        #expect(try snapshot.key(of: pets.dog.id, primaryKey: .string("Rex")) == dog)
        #expect(try snapshot.value(pets.dog.id, dog, pets.dog("age")) == .int(3))
        #expect(try snapshot.value(pets.dog.id, dog, pets.dog("owner")) == .link(owner))
        #expect(try snapshot.backlinks(to: owner, from: pets.dog.id, pets.dog("owner")) == [dog])
        try store.write { try $0.delete(pets.person.id, owner) }
        #expect(try store.snapshot().value(pets.dog.id, dog, pets.dog("owner")) == .null)
    }

    @Test("work whose last step, a creation, outgrows the journal leaves nothing behind", arguments: [0, 150, 300])
    func creationBeyondTakingBack(_ limit: Int) throws {
        var options = smallClusters()
        options.journalLimit = limit
        let (store, pets) = try openPets(directory.store, options: options)
        try store.write { _ = try $0.create(pets.person.id, [pets.person("id"): .int(1)]) }
        // As many assignments before the creation as the journal has room for, and one more or less.
        for assignments in 0..<6 {
            let done = DispatchGroup()
            for number in 0..<6 {
                done.enter()
                store.submit({ transaction in
                    guard number % 2 == 0 else {
                        return _ = try transaction.create(
                            pets.dog.id, [pets.dog("name"): .string("\(assignments) \(number)")])
                    }
                    for step in 0..<assignments {
                        try transaction.set(pets.person.id, ObjectKey(0), [pets.person("name"): .string("\(step)")])
                    }
                    _ = try transaction.create(pets.dog.id, [pets.dog("name"): .string("refused")])
                    throw Refused()
                }) { _ in done.leave() }
            }
            done.wait()
            let snapshot = try store.snapshot()
            #expect(snapshot.count(of: pets.dog.id) == 3 * (assignments + 1), "\(assignments)")
            #expect(try snapshot.value(pets.person.id, ObjectKey(0), pets.person("name")) == .string(""))
        }
    }

    @Test("work too large to be rolled back step by step leaves nothing behind, and other work is kept")
    func beyondTakingBack() throws {
        var options = smallClusters()
        options.journalLimit = 2000
        let (store, pets) = try openPets(directory.store, options: options)
        try store.write { transaction in
            for number in 0..<100 {
                _ = try transaction.create(pets.person.id, [pets.person("id"): .int(Int64(number))])
            }
        }
        let outcomes = Mutex<[Int: Result<Version, any Error>]>([:])
        let done = DispatchGroup()
        for number in 0..<30 {
            done.enter()
            store.submit({ transaction in
                _ = try transaction.create(pets.dog.id, [pets.dog("name"): .string("dog \(number)")])
                guard number % 3 == 0 else { return }
                for key in 0..<100 {
                    try transaction.set(
                        pets.person.id, ObjectKey(Int64(key)), [pets.person("name"): .string("nobody \(number)")])
                }
                throw Refused()
            }) { result in
                outcomes.withLock { $0[number] = result }
                done.leave()
            }
        }
        done.wait()
        let snapshot = try store.snapshot()
        #expect(snapshot.count(of: pets.dog.id) == 20)
        for (number, outcome) in outcomes.withLock({ $0 }) {
            let key = try snapshot.key(of: pets.dog.id, primaryKey: .string("dog \(number)"))
            #expect((key == nil) == (number % 3 == 0))
            if case .failure(let error) = outcome { #expect(error is Refused && number % 3 == 0) }
        }
        for key in 0..<100 {
            #expect(try snapshot.value(pets.person.id, ObjectKey(Int64(key)), pets.person("name")) == .string(""))
        }
    }

    @Test("an object that links to itself can be deleted and the deletion rolled back")
    func selfLink() throws {
        let schema = Schema(
            version: 1,
            classes: [
                ClassSchema("Node", properties: [PropertySchema("next", PropertyType(.link("Node"), isOptional: true))])
            ])
        let store = try EmbeddedStore.open(path: directory.store, options: smallClusters())
        try store.replaceSchema(with: schema)
        let node = try #require(try store.snapshot().schema["Node"])
        let next = node.properties[0].id
        let key = try store.write { transaction in
            let key = try transaction.create(node.id, [:])
            try transaction.set(node.id, key, [next: .link(key)])
            return key
        }
        #expect(throws: Refused.self) {
            try store.write { transaction in
                try transaction.delete(node.id, key)
                throw Refused()
            }
        }
        #expect(try store.snapshot().backlinks(to: key, from: node.id, next) == [key])
        try store.write { try $0.delete(node.id, key) }
        #expect(try store.snapshot().backlinks(to: key, from: node.id, next).isEmpty)
    }

    @Test("a snapshot keeps showing its version while others write")
    func isolation() throws {
        let (store, pets) = try openPets(directory.store)
        let key = try store.write {
            try $0.create(pets.dog.id, [pets.dog("name"): .string("Rex"), pets.dog("age"): .int(1)])
        }
        let old = try store.snapshot()
        for age in 2..<200 {
            try store.write { transaction in
                try transaction.set(pets.dog.id, key, [pets.dog("age"): .int(Int64(age))])
                _ = try transaction.create(pets.dog.id, [pets.dog("name"): .string("dog \(age)")])
            }
        }
        #expect(try old.value(pets.dog.id, key, pets.dog("age")) == .int(1))
        #expect(old.count(of: pets.dog.id) == 1)
        #expect(try old.key(of: pets.dog.id, primaryKey: .string("dog 5")) == nil)
        #expect(try store.snapshot().value(pets.dog.id, key, pets.dog("age")) == .int(199))
    }

    @Test("the change log returns every version after the given one, also when the store was opened again")
    func changeLog() throws {
        let start: Version
        do {
            let (store, pets) = try openPets(directory.store)
            start = try store.snapshot().version
            let key = try store.write { try $0.create(pets.dog.id, [pets.dog("name"): .string("Rex")]) }
            try store.write { try $0.set(pets.dog.id, key, [pets.dog("age"): .int(1)]) }
            try store.write { try $0.delete(pets.dog.id, key) }
            store.close()
        }
        let (store, pets) = try openPets(directory.store)
        let changes = try #require(try store.changes(after: start))
        #expect(changes.map(\.version.rawValue) == (1...3).map { start.rawValue + $0 })
        #expect(changes[0].classes[pets.dog.id]?.insertions == [ObjectKey(0)])
        #expect(changes[1].classes[pets.dog.id]?.modifications == [ObjectKey(0): PropertySet([pets.dog("age")])])
        #expect(changes[2].classes[pets.dog.id]?.deletions == [ObjectKey(0)])
        #expect(try store.changes(after: Version(start.rawValue + 3)) == [])
    }

    @Test("the change log drops versions beyond its limit, and reports that")
    func changeLogFloor() throws {
        var options = smallClusters()
        options.changeLogVersions = 10
        let store = try EmbeddedStore.open(path: directory.store, options: options)
        try store.replaceSchema(with: petSchema)
        let pets = try Pets(store)
        for number in 0..<50 {
            try store.write { _ = try $0.create(pets.dog.id, [pets.dog("name"): .string("\(number)")]) }
        }
        let newest = try store.snapshot().version.rawValue
        #expect(try store.changes(after: Version(newest - 30)) == nil)
        #expect(try store.changes(after: Version(newest - 9))?.count == 9)
    }

    @Test("queries inside a write include its changes")
    func queriesInside() throws {
        let (store, pets) = try openPets(directory.store)
        let counts = try store.write { transaction in
            var counts: [Int] = []
            for number in 0..<130 {
                _ = try transaction.create(
                    pets.dog.id, [pets.dog("name"): .string("\(number)"), pets.dog("age"): .int(Int64(number % 2))])
            }
            let age = BoundPath(end: .property(pets.dog("age"), PropertyType(.int, isOptional: true)))
            let odd = BoundQuery(
                classID: pets.dog.id, predicate: .comparison(BoundComparison(.path(age), .equal, .constant(.int(1)))))
            counts.append(try transaction.select(odd, .all).count)
            for key in try transaction.select(odd, .all).prefix(20) { try transaction.delete(pets.dog.id, key) }
            counts.append(try transaction.select(odd, .all).count)
            return counts
        }
        #expect(counts == [65, 45])
        #expect(try store.snapshot().count(of: pets.dog.id) == 110)
    }

    @Test("work that closes its own store is kept, and the file closes after it", arguments: [true, false])
    func closedWithin(isInCompletion: Bool) throws {
        let (store, pets) = try openPets(directory.store)
        let done = DispatchSemaphore(value: 0)
        store.submit({ transaction in
            _ = try transaction.create(pets.dog.id, [pets.dog("name"): .string("last")])
            if !isInCompletion { store.close() }
        }) { _ in
            if isInCompletion { store.close() }
            done.signal()
        }
        done.wait()
        #expect(throws: StoreError.self) { try store.snapshot() }
        // A file that is still open cannot be opened again.
        var reopened: EmbeddedStore?
        #expect(
            eventually {
                reopened = try? EmbeddedStore.open(path: directory.store)
                return reopened != nil
            })
        #expect(try reopened?.snapshot().count(of: pets.dog.id) == 1)
        reopened?.close()
    }

    @Test("long strings with a common start are distinguished by the key and the index")
    func longStrings() throws {
        let (store, pets) = try openPets(directory.store)
        let start = String(repeating: "long ", count: 500)
        let names = [
            "", "\0", "\0\u{1}", "a", "a\0", "a\0b", start, start + "a", start + "b", String(start.dropLast()),
        ]
        try store.write { transaction in
            for name in names { _ = try transaction.create(pets.dog.id, [pets.dog("name"): .string(name)]) }
        }
        let snapshot = try store.snapshot()
        for (number, name) in names.enumerated() {
            #expect(
                try snapshot.key(of: pets.dog.id, primaryKey: .string(name)) == ObjectKey(Int64(number)),
                "\(name.prefix(9))")
        }
        #expect(try snapshot.key(of: pets.dog.id, primaryKey: .string(start + "c")) == nil)
        #expect(
            code { try store.write { _ = try $0.create(pets.dog.id, [pets.dog("name"): .string(start + "b")]) } }
                == .duplicateKey)
    }
}
