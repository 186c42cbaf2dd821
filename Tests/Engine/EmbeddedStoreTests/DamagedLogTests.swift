import EmbeddedTesting
import Columnar
import Foundation
import Glibc
import ObjectModel
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import StoredRecords
@testable import EmbeddedStore

/// Whatever is wrong with the entries of a log, a replica repeats none that it cannot trust, and says so.
@Suite("Replicas of a damaged log")
struct DamagedLogTests {
    /// A log with entries of each kind: a schema, creations, an assignment, a deletion, works of several steps.
    private func home() throws -> ReplicaImageTests.Home {
        let home = try ReplicaImageTests.Home()
        let pets = home.pets
        let (dog, name) = (pets.dog.id, pets.dog("name"))
        try home.first.write { transaction in
            let ada = try transaction.create(pets.person.id, [pets.person("id"): .int(1)])
            let rex = try transaction.create(dog, [name: .string("Rex"), pets.dog("owner"): .link(ada)])
            _ = try transaction.create(dog, [name: .string("Fido")])
            try transaction.set(dog, rex, [pets.dog("age"): .int(7)])
        }
        try home.write(3)
        try home.first.write { transaction in
            let rex = try transaction.key(of: dog, primaryKey: .string("Rex"))
            try transaction.delete(dog, try #require(rex))
        }
        return home
    }

    @Test("an entry in which any bit was changed, or that was cut anywhere, is not read")
    func bits() throws {
        let home = try home()
        #expect(home.log.entries.count == 6)
        for entry in home.log.entries {
            _ = try RedoRecord.decode(entry.body)
            for index in entry.body.indices {
                for bit in 0..<8 {
                    var bytes = entry.body
                    bytes[index] ^= 1 << UInt8(bit)
                    #expect(throws: DamagedRecord.self) { try RedoRecord.decode(bytes) }
                    // A newer format is told from damage.
                    #expect(RedoRecord.newerFormat(of: bytes) == nil)
                }
                #expect(throws: DamagedRecord.self) { try RedoRecord.decode(Array(entry.body.prefix(index))) }
            }
        }
    }

    enum Fault: CaseIterable { case byte, cut, missing, empty, ofAnother, repeatedAsNext, otherTag }

    @Test("a start on it fails, and leaves nothing of the faulty entry", arguments: Fault.allCases)
    func start(fault: Fault) throws {
        let home = try home()
        let entries = home.log.entries
        let middle = entries[entries.count - 2]
        let later = entries.filter { $0.version > middle.version }
        func replaceRest(_ made: [LogEntry]) {
            for entry in [middle] + later { home.log.remove(entry.version) }
            for entry in made { home.log.append(entry) }
        }
        switch fault {
        case .byte:
            home.log.damage(middle.version) { body in
                var body = body
                body[body.count / 2] ^= 0x20
                return body
            }
        case .cut: home.log.damage(middle.version) { Array($0.dropLast(3)) }
        case .missing: home.log.remove(middle.version)
        case .empty: home.log.damage(middle.version) { _ in [] }
        case .ofAnother:
            let body = later[0].body
            home.log.damage(middle.version) { _ in body }
        case .repeatedAsNext:
            let before = entries[entries.count - 3]
            replaceRest(
                [LogEntry(version: middle.version, tag: before.tag, body: before.body)]
                    + [middle].map { LogEntry(version: $0.version.next, tag: $0.tag, body: $0.body) })
        case .otherTag: replaceRest([LogEntry(version: middle.version, tag: .another(), body: later[0].body)])
        }
        let found = code { _ = try home.open("second") }
        #expect([.logDamaged, .historyLost, .diverged].contains(found), "\(String(describing: found))")
        // What was before the fault is whole.
        let prefix = home.log.prefix(upTo: Version(middle.version.rawValue - 1))
        let sound = try home.open("third", prefix.connect())
        #expect(try sound.snapshot().version.next == middle.version)
    }

    @Test("entries that come twice are repeated once")
    func doubled() throws {
        let home = try home()
        let entries = home.log.entries
        for entry in entries { home.log.remove(entry.version) }
        for entry in entries { for _ in 0..<2 { home.log.append(entry) } }
        for batch in [1, 3, 4096] {
            try home.requireEqual(try home.open("batch\(batch)", home.log.connect(LogFaults(batch: batch))))
        }
    }

    @Test("a replica that runs stops before it: reads go on, writes fail with the reason")
    func running() throws {
        let home = try home()
        let second = try home.open("second")
        let last = try second.snapshot().version
        home.log.append([1, 2, 3])
        for store in [home.first, second] {
            #expect(eventually { store.replicaFailure != nil })
            #expect(store.replicaFailure?.code == .logDamaged)
            #expect(try store.snapshot().version == last)
            let dog = home.pets.dog.id, name = home.pets.dog("name")
            #expect(code { try store.write { _ = try $0.create(dog, [name: .string("late")]) } } == .logDamaged)
        }
        #expect(home.log.entries.count == 7)
    }
}
