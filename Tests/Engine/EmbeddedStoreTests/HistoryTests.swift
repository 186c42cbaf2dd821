import EmbeddedTesting
import LMDBStorage
@testable import StorageEngine
@testable import EmbeddedStore
import Foundation
import ObjectModel
import QueryLanguage
import RepositoryFiles
import StoreContract
import StoreTesting
import Synchronization
import Testing
import TestBasics

/// The history that the versions of a file belong to, after every operation on the file.
@Suite("Histories of files")
struct HistoryTests {
    let directory: TestDirectory
    private let people = People()

    /// Numbers them.
    private final class People: Sendable {
        private let count = Atomic<Int64>(0)
        func next() -> Int64 { count.add(1, ordering: .relaxed).newValue }
    }

    init() throws { directory = try TestDirectory() }

    private func path(_ name: String) -> String { directory.path + "/" + name }

    private func open(_ name: String) throws -> EmbeddedStore {
        try EmbeddedStore.open(path: path(name), schema: petSchema, options: smallClusters())
    }

    private func mark(of name: String) throws -> Mark {
        let store = try open(name)
        defer { store.close() }
        return try store.snapshot().mark
    }

    /// Makes a version that differs from those of other files: no two of a test have the same number.
    @discardableResult
    private func write(_ store: EmbeddedStore) throws -> Mark {
        let person = try Pets(store).person
        let name = try #require(person["name"]).id
        let id = try #require(person["id"]).id
        let number = people.next()
        return try store.write { transaction in
            _ = try transaction.create(person.id, [id: .int(number), name: .string("person \(number)")])
            return transaction.mark
        }
    }

    @Test("a restored file has a history of its own: no mark of the backup or of the former file is known")
    func restored() throws {
        var store = try open("file")
        var abandoned: [Mark] = []
        for _ in 0..<3 { abandoned.append(try write(store)) }
        try store.writeCopy(to: path("backup"))
        for _ in 0..<3 { abandoned.append(try write(store)) }
        store.close()
        try EmbeddedStore.restore(path("file"), from: path("backup"), replaces: true)
        store = try open("file")
        #expect(try store.snapshot().version == abandoned[2].version)
        for mark in abandoned { #expect(try !store.knows(mark)) }
        let restored = try store.snapshot().mark
        for _ in 0..<5 { #expect(try write(store).shownTag == restored.shownTag) }
        for mark in abandoned { #expect(try !store.knows(mark)) }
        #expect(try store.knows(restored))
        store.close()
        // The backup is unchanged, and another restoration begins another history.
        #expect(try mark(of: "backup") == abandoned[2])
        try EmbeddedStore.restore(path("file"), from: path("backup"), replaces: true)
        #expect(try mark(of: "file").shownTag != restored.shownTag)
        try EmbeddedStore.restore(path("new"), from: path("backup"), replaces: false)
        #expect(try Set([mark(of: "new"), mark(of: "file"), abandoned[2]]).count == 3)
        #expect(try EmbeddedStore.check(path: path("file")).faults.isEmpty)
    }

    @Test("a copy has the marks of its original until it is written to, the original always")
    func copies() throws {
        let store = try open("file")
        let shared = try write(store)
        try store.writeCopy(to: path("copy"))
        try store.writeCopy(to: path("other"))
        #expect(try EmbeddedStore.check(path: path("copy")).faults.isEmpty)
        let copy = try open("copy")
        #expect(try copy.snapshot().mark == shared)
        #expect(try copy.knows(shared))
        var before: (any Snapshot)? = try copy.snapshot()
        let (seen, made) = try copy.write { ($0.before, $0.mark) }
        #expect(seen == shared && made.shownTag != shared.shownTag && made.version == shared.version.next)
        #expect(before?.mark == shared)
        before = nil
        #expect(try !copy.knows(shared))
        let next = try write(copy)
        #expect(next.shownTag == made.shownTag)
        #expect(try copy.knows(made))
        copy.close()
        #expect(try mark(of: "copy") == next)
        #expect(try write(store).shownTag == shared.shownTag)
        #expect(try mark(of: "other") == shared)
        store.close()
    }

    @Test("failed work in a copy leaves it a copy")
    func failure() throws {
        let store = try open("file")
        let shared = try write(store)
        try store.writeCopy(to: path("copy"))
        store.close()
        let copy = try open("copy")
        #expect(throws: StoreError.self) { try copy.write { _ in throw StoreError(.invalidValue, "no") } }
        #expect(try copy.snapshot().mark == shared)
        copy.close()
        #expect(try mark(of: "copy") == shared)
    }

    @Test("compaction changes no state, and keeps the marks")
    func compaction() throws {
        let store = try open("file")
        let first = try write(store)
        let second = try write(store)
        try store.compact()
        #expect(try store.snapshot().mark == second)
        #expect(try store.knows(first))
        #expect(try write(store).shownTag == first.shownTag)
        store.close()
    }

    @Test("a file from before there were tags gets one when it is opened")
    func old() throws {
        let store = try open("file")
        let before = try write(store)
        do {
            let file = try store.file.current
            let transaction = try file.environment.begin(readOnly: false)
            try transaction.delete(file.trees.meta, FileFormat.historyKey)
            try transaction.commit()
        }
        store.close()
        let mark = try mark(of: "file")
        #expect(mark.version == before.version && mark.shownTag != before.shownTag)
        #expect(try self.mark(of: "file") == mark)
        #expect(try EmbeddedStore.check(path: path("file")).faults.isEmpty)
    }

    @Test(
        "whatever is written, copied and restored, no two states have the same mark", arguments: 0..<3 * TestRun.length)
    func random(_ run: Int) throws {
        var random = SeededRandom.ofTest(run)
        // The content of the states, by their marks: the people's names.
        var states: [Mark: Set<String>] = [:]
        var files = ["file"]
        var backups: [String] = []
        func look(_ store: EmbeddedStore) throws {
            let snapshot = try store.snapshot()
            let person = try Pets(store).person
            let name = try #require(person["name"]).id
            let names = Set(
                try snapshot.select(BoundQuery(classID: person.id), .all).map {
                    "\(try snapshot.value(person.id, $0, name))"
                })
            let known = states.updateValue(names, forKey: snapshot.mark)
            #expect(known == nil || known == names, "seed \(random.seed): \(snapshot.mark) is two states")
        }
        for step in 0..<40 {
            let name = files[random.below(files.count)]
            switch random.below(5) {
            case 0 where !backups.isEmpty:
                let target = random.oneIn(2) ? name : "restored-\(step)"
                try EmbeddedStore.restore(
                    path(target), from: path(backups[random.below(backups.count)]), replaces: true)
                if !files.contains(target) { files.append(target) }
            case 1:
                let store = try open(name)
                try look(store)
                try store.writeCopy(to: path("backup-\(step)"))
                store.close()
                backups.append("backup-\(step)")
            case 2 where !backups.isEmpty:
                // A backup that is served directly from now on, or copied over a file by hand.
                let backup = backups[random.below(backups.count)]
                if random.oneIn(2) {
                    files.append(backup)
                    backups.removeAll { $0 == backup }
                } else {
                    try FileManager.default.removeItem(atPath: path(name))
                    try FileManager.default.copyItem(atPath: path(backup), toPath: path(name))
                }
            default:
                let store = try open(name)
                try look(store)
                for _ in 0..<random.below(3) + 1 {
                    try write(store)
                    try look(store)
                }
                if random.oneIn(5) { try store.compact() }
                try look(store)
                store.close()
            }
        }
        if TestRun.hasFixedSeeds { #expect(states.count > 5, "seed \(random.seed)") }
    }
}
