import EmbeddedTesting
import LMDBStorage
@testable import StoredRecords
@testable import StorageEngine
@testable import EmbeddedStore
import Foundation
import ObjectModel
import QueryExecution
import QuerySyntax
import QueryLanguage
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing
import TestBasics

@Suite("Earlier versions")
struct AsOfTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func open(_ change: (inout EmbeddedStoreOptions) -> Void = { _ in }) throws -> (EmbeddedStore, Pets) {
        var options = smallClusters()
        change(&options)
        let store = try EmbeddedStore.open(path: directory.store, schema: petSchema, options: options)
        return (store, try Pets(store))
    }

    @discardableResult
    private func setName(_ store: EmbeddedStore, _ pets: Pets, _ id: Int64, _ name: String) throws -> Version {
        try store.write { transaction in
            let key =
                try transaction.key(of: pets.person.id, primaryKey: .int(id))
                ?? transaction.create(pets.person.id, [pets.person("id"): .int(id)])
            try transaction.set(pets.person.id, key, [pets.person("name"): .string(name)])
        }
        return try store.snapshot().version
    }

    private func name(_ reads: any ObjectReads, _ pets: Pets, _ id: Int64) throws -> Value? {
        try reads.key(of: pets.person.id, primaryKey: .int(id)).map {
            try reads.value(pets.person.id, $0, pets.person("name"))
        }
    }

    @Test("the snapshot's own version is the snapshot, a later one is nil")
    func ownVersion() throws {
        let (store, pets) = try open()
        let before = try store.snapshot()
        let version = try setName(store, pets, 1, "a")
        let same = try #require(try store.asOf(before.version, before: before))
        #expect(same.reads === before && same.changes.classes.isEmpty)
        #expect(try store.asOf(version, before: before) == nil)
        #expect(try store.asOf(Version(0), before: before) == nil)
    }

    @Test("a version older than the change log is nil", arguments: [true, false])
    func tooOld(byVersions: Bool) throws {
        let (store, pets) = try open {
            if byVersions { $0.changeLogVersions = 5 } else { $0.changeLogBytes = 64 << 10 }
        }
        let text = String(repeating: "x", count: 5000)
        for number in 0..<60 { try setName(store, pets, 1, "\(number) \(text)") }
        let snapshot = try store.snapshot()
        let floor = try store.changeLogFloor()
        #expect(floor > Version(20) && floor < snapshot.version)
        let past = try #require(try store.asOf(floor, before: snapshot))
        #expect(try name(past.reads, pets, 1) == .string("\(floor.rawValue - 2) \(text)"))
        #expect(try store.asOf(Version(floor.rawValue - 1), before: snapshot) == nil)
        // One that is too large to be undone is still in the log.
        let large = String(repeating: "y", count: 100_000)
        try setName(store, pets, 1, large)
        try setName(store, pets, 1, "")
        let newest = try store.snapshot()
        #expect(
            try name(#require(try store.asOf(Version(newest.version.rawValue - 1), before: newest)).reads, pets, 1)
                == .string(large))
    }

    @Test("old values beyond the limit are not kept, but the changes are")
    func limit() throws {
        let (store, pets) = try open { $0.undoLimit = 1000 }
        let small = try setName(store, pets, 1, "a")
        let large = try setName(store, pets, 1, String(repeating: "x", count: 2000))
        #expect(try store.asOf(small, before: try store.snapshot()) != nil)
        let after = try setName(store, pets, 1, "b")
        let snapshot = try store.snapshot()
        #expect(try store.asOf(large, before: snapshot) == nil)
        #expect(try store.asOf(small, before: snapshot) == nil)
        #expect(try store.changes(after: small)?.map(\.version) == [large, after])
        try setName(store, pets, 1, "c")
        let past = try #require(try store.asOf(after, before: try store.snapshot()))
        #expect(try name(past.reads, pets, 1) == .string("b"))
        // Many small ones are as much as a large one.
        try store.write { transaction in
            for number in 0..<300 { _ = try transaction.create(pets.dog.id, [pets.dog("name"): .string("\(number)")]) }
        }
        let full = try store.snapshot().version
        try store.write { transaction in
            for key in try transaction.select(BoundQuery(classID: pets.dog.id), .all) {
                try transaction.delete(pets.dog.id, key)
            }
        }
        #expect(try store.asOf(full, before: try store.snapshot()) == nil)
        #expect(try store.asOf(after, before: try store.snapshot()) == nil)
    }

    @Test("a version before another schema is nil")
    func schemaChange() throws {
        let (store, pets) = try open()
        let before = try setName(store, pets, 1, "a")
        let more = ClassSchema("More", properties: [PropertySchema("x", PropertyType(.int))])
        try store.replaceSchema(with: Schema(version: 1, classes: petSchema.classes + [more]))
        #expect(try store.asOf(before, before: try store.snapshot()) == nil)
        let after = try setName(store, pets, 1, "b")
        try setName(store, pets, 1, "c")
        let past = try #require(try store.asOf(after, before: try store.snapshot()))
        #expect(try name(past.reads, pets, 1) == .string("b"))
    }

    @Test("a walk ends where the log, another schema or missing old values end it", arguments: [0, 1, 2])
    func walkEnd(_ kind: Int) throws {
        let (store, pets) = try open {
            $0.undoLimit = 1000
            if kind == 0 { $0.changeLogVersions = 3 }
        }
        try setName(store, pets, 1, "a")
        let more = ClassSchema("More", properties: [PropertySchema("x", PropertyType(.int))])
        if kind == 1 { try store.replaceSchema(with: Schema(version: 1, classes: petSchema.classes + [more])) }
        let large = try setName(store, pets, 1, String(repeating: "x", count: kind == 2 ? 2000 : 1))
        let last = kind == 2 ? try setName(store, pets, 1, "b") : large
        for number in 0..<3 { try setName(store, pets, 1, "\(number)") }
        let walk = try store.walk(from: try store.snapshot())
        var versions: [Version] = []
        var names: [Value?] = []
        while let logged = try walk.next() {
            versions.append(logged.mark.version)
            names.append(try name(try walk.before(), pets, 1))
        }
        #expect(
            try versions == Array(versions.indices.map { Version(try store.snapshot().version.rawValue - UInt64($0)) }))
        #expect(names.prefix(3) == [.string("1"), .string("0"), .string(kind == 2 ? "b" : "x")])
        let floor = try store.changeLogFloor()
        switch kind {
        case 0: #expect(walk.end == WalkEnd(floor, .log) && floor == last)
        case 1: #expect(walk.end == WalkEnd(Version(large.rawValue - 1), .schema) && versions.last == large)
        // The version that replaced the long name has it as an old value.
        default: #expect(walk.end == WalkEnd(last, .values) && versions.last == last.next)
        }
        #expect(try walk.next() == nil)
    }

    @Test("failed work does not matter")
    func rolledBack() throws {
        let (store, pets) = try open()
        let before = try setName(store, pets, 1, "a")
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try store.write { transaction in
                let key = try #require(try transaction.key(of: pets.person.id, primaryKey: .int(1)))
                try transaction.set(pets.person.id, key, [pets.person("name"): .string("failed")])
                throw Failure()
            }
        }
        try setName(store, pets, 1, "b")
        let past = try #require(try store.asOf(before, before: try store.snapshot()))
        #expect(try name(past.reads, pets, 1) == .string("a"))
    }

    @Test("a primary key that another object got leads to its former object")
    func sameKeyAgain() throws {
        let (store, pets) = try open()
        let before = try setName(store, pets, 1, "first")
        let first = try #require(try store.snapshot().key(of: pets.person.id, primaryKey: .int(1)))
        try store.write { try $0.delete(pets.person.id, first) }
        let between = try store.snapshot().version
        try setName(store, pets, 1, "second")
        let snapshot = try store.snapshot()
        let past = try #require(try store.asOf(before, before: snapshot))
        #expect(try past.reads.key(of: pets.person.id, primaryKey: .int(1)) == first)
        #expect(try name(past.reads, pets, 1) == .string("first"))
        #expect(try past.reads.select(BoundQuery(classID: pets.person.id), .all) == [first])
        let none = try #require(try store.asOf(between, before: snapshot))
        #expect(try none.reads.key(of: pets.person.id, primaryKey: .int(1)) == nil)
        #expect(try none.reads.select(BoundQuery(classID: pets.person.id), .all).isEmpty)
    }

    @Test("a long list with many edits equals its former state, wherever it is read")
    func longList() throws {
        let schema = Schema(
            version: 1,
            classes: [
                ClassSchema("Box", properties: [PropertySchema("numbers", PropertyType(.int, collection: .list))])
            ])
        let store = try EmbeddedStore.open(path: directory.store, schema: schema, options: smallClusters())
        let box = try #require(try store.snapshot().schema["Box"])
        let numbers = try #require(box["numbers"]).id
        let key = try store.write { try $0.create(box.id, [numbers: .list((0..<9000).map { .int(Int64($0)) })]) }
        let before = try store.snapshot()
        var random = SeededRandom.ofTest()
        print("AsOfTests longList seed \(random.seed)")
        let positions = (0..<4000).map { _ in random.below(8000) }
        try store.write { transaction in
            for (number, position) in positions.enumerated() {
                switch number % 4 {
                case 0: _ = try transaction.edit(box.id, key, numbers, .insert(.int(-1), at: position))
                case 1: _ = try transaction.edit(box.id, key, numbers, .remove(at: position))
                case 2: _ = try transaction.edit(box.id, key, numbers, .replace(.int(-2), at: position))
                default: _ = try transaction.edit(box.id, key, numbers, .append(.int(-3)))
                }
            }
        }
        try store.write { _ = try $0.edit(box.id, key, numbers, .removeAll) }
        let past = try #require(try store.asOf(before.version, before: try store.snapshot())).reads
        #expect(try past.value(box.id, key, numbers) == before.value(box.id, key, numbers))
        #expect(try past.elementCount(box.id, key, numbers) == 9000)
        #expect(try past.elements(box.id, key, numbers, 4000..<4003) == [.int(4000), .int(4001), .int(4002)])
        // The executor reads it in blocks.
        for (number, isThere) in [(8999, true), (9000, false), (-2, false)] as [(Int64, Bool)] {
            let path = BoundPath(
                end: .property(numbers, PropertyType(.int, collection: .list)), steps: [.elements(.all)])
            let query = BoundQuery(
                classID: box.id, predicate: .comparison(BoundComparison(.path(path), .equal, .constant(.int(number)))))
            #expect(try past.matches(query, key) == isThere)
            #expect(try past.select(query, .all) == (isThere ? [key] : []))
        }
    }

    @Test("old values that are damaged or do not fit are rejected, but the changes are still there")
    func damaged() throws {
        let (store, pets) = try open()
        let before = try setName(store, pets, 1, "a")
        let version = try setName(store, pets, 1, "b")
        let file = try store.file.current
        let key = Catalogue.versionRecord(version)
        let snapshot = try store.snapshot()
        let changes = try #require(try store.changes(after: before)?.first)
        let person = pets.person.id
        let name = pets.person("name")
        let steps: [UndoStep] = [
            UndoStep(person, ObjectKey(0), .assigned(name, old: .int(1))),
            UndoStep(person, ObjectKey(0), .assigned(PropertyID(99), old: .int(1))),
            UndoStep(person, ObjectKey(0), .inserted(name, 0..<1)),
            UndoStep(person, ObjectKey(0), .deleted([.null])),
            UndoStep(ClassID(99), ObjectKey(0), .deleted([])),
        ]
        var sections = try steps.map { try #require(UndoRecord.encode([$0])) }
        sections.append([2, 0])
        sections.append([1, 7])
        for section in sections {
            let transaction = try file.environment.begin(readOnly: false)
            try transaction.put(file.trees.log, key, ChangeSetRecord.encode(changes, undo: section, at: 1))
            try transaction.commit()
            #expect(try store.changes(after: before) == [changes])
            // The version is the same, so that a new snapshot of it is made only after this one is released.
            let (now, _) = try store.file.snapshot()
            #expect(code { _ = try store.asOf(before, before: now) } == .invalidFile)
        }
        #expect(try self.name(snapshot, pets, 1) == .string("b"))
    }

    @Test("records of earlier builds have no old values")
    func withoutUndo() throws {
        let (store, pets) = try open()
        let before = try setName(store, pets, 1, "a")
        let version = try setName(store, pets, 1, "b")
        let file = try store.file.current
        let changes = try #require(try store.changes(after: before)?.first)
        let transaction = try file.environment.begin(readOnly: false)
        try transaction.put(
            file.trees.log, Catalogue.versionRecord(version),
            ChangeSetRecord.encode(changes, at: Timestamp.now().seconds))
        try transaction.commit()
        #expect(try store.asOf(before, before: try store.file.snapshot().snapshot) == nil)
        #expect(try store.changes(after: before) == [changes])
    }

    @Test("a bulk load takes no undo data in the log, an update little")
    func cost() throws {
        let (store, pets) = try open()
        func logSize(_ work: @escaping @Sendable (any WriteTransaction) throws -> Void) throws -> Int {
            try store.write(work)
            let file = try store.file.current
            let transaction = try file.environment.begin(readOnly: true)
            let version = try store.snapshot().version
            return try #require(try transaction.get(file.trees.log, Catalogue.versionRecord(version))).count
        }
        let load = try logSize { transaction in
            for number in Int64(0)..<5000 {
                let key = try transaction.create(pets.person.id, [pets.person("id"): .int(number)])
                try transaction.set(pets.person.id, key, [pets.person("name"): .string("name \(number)")])
            }
        }
        #expect(load < 30)
        let update = try logSize { transaction in
            try transaction.set(pets.person.id, ObjectKey(7), [pets.person("name"): .string("x")])
        }
        #expect(update < 40)
    }
}
