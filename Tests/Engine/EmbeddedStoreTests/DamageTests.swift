import EmbeddedTesting
@testable import LMDBStorage
@testable import StorageEngine
@testable import EmbeddedStore
import Foundation
import Glibc
import ObjectModel
import QueryLanguage
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing
import TestBasics

@Suite("Damaged, foreign and unusable files")
struct DamageTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    /// A file with every kind of data, a change log, free pages and long values, closed.
    static func wholeFile(seed: UInt64, steps: Int = 40) throws -> Data {
        let directory = try TestDirectory()
        var random = SeededRandom(seed: seed)
        do {
            let schema = RandomSchemas.schema(&random, kinds: .all)
            let store = try EmbeddedStore.open(path: directory.store, schema: schema, options: smallClusters())
            let numbered = try store.snapshot().schema
            var history = RandomHistory(numbered)
            for _ in 0..<steps {
                let operations = history.commit(count: 0, target: 60, &random)
                try store.write { transaction in
                    for operation in operations { try transaction.perform(operation) }
                }
            }
            let objectClass = ClassSchema(
                "Note", primaryKey: "id",
                properties: [
                    PropertySchema("id", PropertyType(.string)),
                    PropertySchema("text", PropertyType(.string), isIndexed: true),
                    PropertySchema("next", PropertyType(.link("Note"), isOptional: true)),
                ])
            try store.replaceSchema(with: Schema(version: 1, classes: numbered.classes + [objectClass]))
            let note = try #require(try store.snapshot().schema["Note"])
            let (id, text, next) = (note["id"]?.id, note["text"]?.id, note["next"]?.id)
            try store.write { transaction in
                guard let id, let text, let next else { return }
                var last: ObjectKey?
                for number in 0..<300 {
                    let long = String(repeating: "word \(number) ", count: number % 50 == 0 ? 1000 : 1)
                    last = try transaction.create(
                        note.id,
                        [id: .string("note \(number)"), text: .string(long), next: last.map { .link($0) } ?? .null])
                }
            }
            store.close()
        }
        return try Data(contentsOf: URL(fileURLWithPath: directory.store))
    }

    /// Opens the file and uses all of it. Any damage must show as a `StoreError`.
    private func use(_ path: String) throws {
        do {
            let store = try EmbeddedStore.open(path: path, options: smallClusters())
            defer { store.close() }
            let snapshot = try store.snapshot()
            var keys: [(ClassSchema, [ObjectKey])] = []
            for objectClass in snapshot.schema.classes {
                try attempt {
                    let all = try snapshot.select(BoundQuery(classID: objectClass.id), .all)
                    keys.append((objectClass, all))
                    for key in all {
                        for property in objectClass.storedProperties {
                            try attempt { _ = try snapshot.value(objectClass.id, key, property.id) }
                            if property.type.isCollection {
                                try attempt {
                                    let count = try snapshot.elementCount(objectClass.id, key, property.id)
                                    _ = try snapshot.elements(objectClass.id, key, property.id, 0..<min(count, 50))
                                }
                            }
                            if let target = property.targetClass {
                                try attempt { _ = try snapshot.backlinks(to: key, from: objectClass.id, property.id) }
                                try attempt { _ = try snapshot.exists(target, key) }
                            }
                        }
                    }
                }
                try attempt { _ = try snapshot.key(of: objectClass.id, primaryKey: .string("note 7")) }
                try attempt { _ = try snapshot.key(of: objectClass.id, primaryKey: .int(7)) }
            }
            try attempt { _ = try store.changes(after: Version(1)) }
            try attempt { _ = try store.changeLogFloor() }
            try attempt { _ = try store.sizes() }
            for (objectClass, keys) in keys where !objectClass.isEmbedded {
                try attempt {
                    try store.write { transaction in
                        for key in keys.prefix(20) { try transaction.delete(objectClass.id, key) }
                    }
                }
            }
            if let note = snapshot.schema["Note"], let id = note["id"]?.id, let text = note["text"]?.id {
                for number in 0..<3 {
                    try attempt {
                        try store.write { transaction in
                            for half in 0..<40 {
                                _ = try transaction.create(
                                    note.id,
                                    [
                                        id: .string("new \(number) \(half)"),
                                        text: .string(String(repeating: "x", count: half * 200)),
                                    ])
                            }
                        }
                    }
                }
            }
            try attempt { try store.compact() }
        } catch is StoreError {
        }
    }

    private func attempt(_ body: () throws -> Void) throws {
        do { try body() } catch is StoreError {}
    }

    private func damage(_ bytes: inout Data, _ random: inout SeededRandom) -> String {
        let pageSize = 4096
        let pages = bytes.count / pageSize
        func page(_ random: inout SeededRandom) -> Int { random.below(pages) * pageSize }
        switch pages < 2 ? 4 : random.below(9) {
        case 0:
            let count = 1 + random.below(8)
            for _ in 0..<count { bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8)) }
            return "\(count) flipped bits"
        case 1:
            let offset = page(&random) + random.below(32)
            bytes[offset] = UInt8(random.below(256))
            return "byte \(offset) of a page's header"
        case 2:
            let (from, to) = (page(&random), page(&random))
            bytes.replaceSubrange(to..<to + pageSize, with: Data(bytes[from..<from + pageSize]))
            return "page \(from / pageSize) in the place of \(to / pageSize)"
        case 3:
            let start = random.below(bytes.count)
            let end = min(bytes.count, start + 1 + random.below(3 * pageSize))
            bytes.replaceSubrange(start..<end, with: Data(count: end - start))
            return "zeros from \(start) to \(end)"
        case 4:
            let length = random.below(bytes.count)
            bytes = Data(bytes.prefix(length))
            return "only \(length) bytes"
        case 5:
            let start = page(&random) + random.below(pageSize - 64)
            for offset in start..<start + 64 { bytes[offset] = UInt8(random.below(256)) }
            return "noise from \(start) on"
        case 6:
            let offset = random.below(2) * pageSize + random.below(160)
            bytes[offset] ^= UInt8(1 << random.below(8))
            return "a bit of byte \(offset) of the first pages"
        case 7:
            // An offset where a number is likely to be a page, a length or an offset.
            let offset = page(&random) + 16 + 2 * random.below(60)
            bytes[offset] = UInt8(random.below(256))
            return "byte \(offset) of a page's offsets"
        default:
            let offset = page(&random) + pageSize / 2 + random.below(pageSize / 2 - 8)
            for index in offset..<offset + 8 { bytes[index] = random.oneIn(2) ? 0xFF : 0 }
            return "a number at \(offset)"
        }
    }

    @Test("a damaged file is rejected or read without a crash", arguments: 0..<4 * TestRun.length)
    func damaged(part: Int) throws {
        let whole = try Self.wholeFile(seed: TestSeed.of(part))
        for number in 0..<12 {
            let seed = TestSeed.of("\(part).\(number)")
            var random = SeededRandom(seed: seed)
            var bytes = whole
            let what = (0..<(1 + random.below(2))).map { _ in
                bytes.isEmpty ? "nothing" : damage(&bytes, &random)
            }
            let path = directory.path + "/damaged-\(number)"
            try bytes.write(to: URL(fileURLWithPath: path))
            // The last line before a crash gives the seed to repeat it.
            print("DamageTests seed \(seed): \(what.joined(separator: ", "))")
            try use(path)
        }
    }

    // MARK: Whole files

    @Test("files of random histories have no faults and lose no pages", arguments: 0..<3)
    func sound(_ round: Int) throws {
        try Self.wholeFile(seed: TestSeed.of(round), steps: 80).write(to: URL(fileURLWithPath: directory.store))
        let report = try EmbeddedStore.check(path: directory.store)
        #expect(report.faults == [])
        #expect(report.didCheckPages)
        #expect(report.leakedPages == 0)
        if TestRun.hasFixedSeeds { #expect(report.objects >= 300 && report.entries >= 600) }
        do {
            let store = try EmbeddedStore.open(path: directory.store)
            try store.compact()
            #expect(try store.snapshot().version == report.version)
            store.close()
        }
        let again = try EmbeddedStore.check(path: directory.store)
        #expect(again.faults == [])
        #expect(again.objects == report.objects)
        #expect(again.entries == report.entries)
    }

    /// Changes the file through LMDB, as no damage on the disk would.
    private func tamper(_ body: (LMDBTransaction, Trees) throws -> Void) throws {
        let file = try OpenFile(
            path: directory.store, try FilePresence.acquire(directory.store), schema: .empty,
            options: EmbeddedStoreOptions())
        let transaction = try file.environment.begin(readOnly: false)
        try body(transaction, file.trees)
        try transaction.commit()
    }

    private func tamperWithFirst(_ tree: (Trees) -> LMDBDatabase) throws {
        try tamper { transaction, trees in
            var first: [UInt8] = []
            try transaction.scan(tree(trees), prefix: []) { key, _ in
                first = Array(key)
                return false
            }
            try transaction.delete(tree(trees), first)
        }
    }

    @Test("a check finds missing and superfluous entries, and wrong counters")
    func inconsistent() throws {
        do {
            let (store, pets) = try openPets(directory.store)
            try store.write { transaction in
                let owner = try transaction.create(pets.person.id, [pets.person("id"): .int(7)])
                for number in 0..<100 {
                    let values: [PropertyID: Value] = [
                        pets.dog("name"): .string("dog \(number)"), pets.dog("owner"): .link(owner),
                    ]
                    _ = try transaction.create(pets.dog.id, values)
                }
            }
            store.close()
        }
        let whole = try Data(contentsOf: URL(fileURLWithPath: directory.store))
        #expect(try EmbeddedStore.check(path: directory.store).faults == [])
        func faults(_ change: () throws -> Void) throws -> String {
            try whole.write(to: URL(fileURLWithPath: directory.store))
            try change()
            return try EmbeddedStore.check(path: directory.store).faults.joined(separator: "\n")
        }
        #expect(try faults { try tamperWithFirst(\.backlinks) }.contains("backlinks"))
        #expect(try faults { try tamperWithFirst(\.index) }.contains("primary key"))
        #expect(try faults { try tamperWithFirst(\.classes) }.contains("objects"))
        let extra = try faults {
            try tamper { transaction, trees in
                var entry = TreeKey.backlinks(from: ClassID(2), PropertyID(5), to: ObjectKey(0))
                entry.append(ObjectKey(77_777))
                try transaction.put(trees.backlinks, entry.bytes, [])
            }
        }
        #expect(extra.contains("the backlinks of 'Dog.owner' should have 100 entries but have 101"))
    }

    // MARK: Files of other kinds

    private func refusal(_ path: String) -> StoreError? {
        do {
            _ = try EmbeddedStore.open(path: path)
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test("a file of another program is rejected, recognised as such and left unchanged")
    func foreignFiles() throws {
        let page = Data("SQLite format 3\0".utf8) + Data(repeating: 0x10, count: 8192 - 16)
        for (name, bytes) in [
            ("letter", Data("Dear Sir".utf8)), ("database", page), ("zeros", Data(count: 65_536)),
            ("one byte", Data([0xDE])),
        ] {
            let path = directory.path + "/" + name
            try bytes.write(to: URL(fileURLWithPath: path))
            let error = try #require(refusal(path))
            #expect(error.code == .invalidFile)
            #expect(error.message.contains("not a Realmgate file"), "\(error.message)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
            #expect(!FileManager.default.fileExists(atPath: path + "-lock"))
        }
    }

    /// Where a file has the number of LMDB's data format, and whether the error names another LMDB.
    struct OtherFormat: CustomTestStringConvertible {
        let testDescription: String
        /// The changed bytes, by offset.
        let changes: [Int: [UInt8]]
        let isOther: Bool

        static let all: [OtherFormat] = {
            let magic: [UInt8] = [0xDE, 0xC0, 0xEF, 0xBE]
            return [
                OtherFormat(testDescription: "format 2 in both pages", changes: [20: [2], 4116: [2]], isOther: true),
                OtherFormat(
                    testDescription: "contents that begin at offset 24",
                    changes: [16: [0, 0, 0, 0, 0, 0, 0, 0] + magic + [2, 0, 0, 0]], isOther: true),
                OtherFormat(testDescription: "one damaged page", changes: [20: [2]], isOther: false),
            ]
        }()
    }

    @Test("a file of another LMDB is named as such, and not called damaged", arguments: OtherFormat.all)
    func otherLMDB(format: OtherFormat) throws {
        do {
            let (store, pets) = try openPets(directory.store)
            try store.write { _ = try $0.create(pets.dog.id, [pets.dog("name"): .string("Rex")]) }
            store.close()
        }
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: directory.store)))
        for (offset, changed) in format.changes {
            bytes.replaceSubrange(offset..<offset + changed.count, with: changed)
        }
        try Data(bytes).write(to: URL(fileURLWithPath: directory.store))
        let error = try #require(refusal(directory.store))
        #expect(error.code == (format.isOther ? .unsupportedFormat : .invalidFile))
        #expect(error.message.contains("another LMDB") == format.isOther, "\(error.message)")
        #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: directory.store))) == bytes)
    }

    @Test("another program's LMDB file is rejected and left unchanged")
    func foreignLMDB() throws {
        do {
            let environment = try LMDBEnvironment(
                path: directory.store, try FilePresence.acquireDraft(directory.store), mapSize: 1 << 20,
                maximumReaders: 4)
            let transaction = try environment.begin(readOnly: false)
            let tree = try #require(try transaction.database("customers", create: true))
            try transaction.put(tree, Array("name".utf8), Array("Ann".utf8))
            try transaction.commit()
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: directory.store))
        let error = try #require(refusal(directory.store))
        #expect(error.code == .invalidFile)
        #expect(error.message.contains("not a Realmgate file"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.store)) == bytes)
    }

    @Test("a newer format is reported, whatever else is in the file")
    func newerFormat() throws {
        try openPets(directory.store).0.close()
        try tamper { transaction, trees in
            try transaction.put(trees.meta, FileFormat.formatKey, [0, 0, 0, 99])
        }
        let error = try #require(refusal(directory.store))
        #expect(error.code == .unsupportedFormat)
        #expect(error.message.contains("format 99"))
        #expect(code { _ = try EmbeddedStore.check(path: directory.store) } == .unsupportedFormat)
    }

    @Test("an empty file becomes a store")
    func emptyFile() throws {
        try Data().write(to: URL(fileURLWithPath: directory.store))
        let store = try EmbeddedStore.open(path: directory.store, schema: petSchema)
        #expect(try store.snapshot().schema["Dog"] != nil)
    }

    @Test("a path that is not a file, or cannot be written, is reported as such")
    func unusable() throws {
        let fifo = directory.path + "/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        for path in [fifo, directory.path, "/dev/null", directory.path + "/nowhere/store", fifo + "/store"] {
            #expect(refusal(path)?.code == .fileAccess, "\(path)")
        }
        guard geteuid() != 0 else { return }
        try openPets(directory.store).0.close()
        #expect(chmod(directory.store, 0o400) == 0)
        #expect(refusal(directory.store)?.code == .fileAccess)
    }

    @Test("opening waits for a process that checks or compacts the file; a file with a reader is not checked")
    func presence() throws {
        try openPets(directory.store).0.close()
        let first = try FilePresence.acquire(directory.store)
        let second = try FilePresence.acquire(directory.store)
        #expect(!first.becomeExclusive())
        #expect(!second.becomeExclusive())
        #expect(try FilePresence.acquireExclusively(directory.store) == nil)
        let report = try EmbeddedStore.check(path: directory.store)
        #expect(!report.didCheckPages)
        #expect(report.faults == [])
        withExtendedLifetime((first, second)) {}
    }
}
