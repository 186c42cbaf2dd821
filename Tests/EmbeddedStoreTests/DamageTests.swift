import EmbeddedStore
import Foundation
import Glibc
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Testing

@Suite("Damaged, foreign and unusable files")
struct DamageTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A file with every kind of data, a change log, free pages and long values, closed.
    static func wholeFile(seed: UInt64, steps: Int = 40) throws -> Data {
        let directory = try TemporaryDirectory()
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

    /// Opens the file and uses all of it. Whatever is wrong must show as a `StoreError`.
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
            // A place in the file where a number is likely to be a page, a length or an offset.
            let offset = page(&random) + 16 + 2 * random.below(60)
            bytes[offset] = UInt8(random.below(256))
            return "byte \(offset) of a page's offsets"
        default:
            let offset = page(&random) + pageSize / 2 + random.below(pageSize / 2 - 8)
            for place in offset..<offset + 8 { bytes[place] = random.oneIn(2) ? 0xFF : 0 }
            return "a number at \(offset)"
        }
    }

    @Test("a damaged file is refused or read without a crash", arguments: 0..<8)
    func damaged(part: Int) throws {
        let whole = try Self.wholeFile(seed: UInt64(part))
        for number in 0..<12 {
            let seed = UInt64(part * 1000 + number)
            var random = SeededRandom(seed: seed)
            var bytes = whole
            let what = (0..<(1 + random.below(2))).map { _ in
                bytes.isEmpty ? "nothing" : damage(&bytes, &random)
            }
            let path = directory.path + "/damaged-\(number)"
            try bytes.write(to: URL(fileURLWithPath: path))
            // The last line before a crash says how to repeat it.
            print("DamageTests seed \(seed): \(what.joined(separator: ", "))")
            try use(path)
        }
    }
}
