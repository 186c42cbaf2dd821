import EmbeddedTesting
import LMDBStorage
import ObjectModel
import RepositoryFiles
import StoreContract
import Testing

@testable import StorageEngine
@testable import EmbeddedStore

@Suite("Files of older formats")
struct FormatTests {
    @Test("a file of format 1 is upgraded when it is opened, and nothing is lost")
    func upgrade() throws {
        let directory = try TestDirectory()
        let path = directory.path + "/store"
        let schema = Schema(
            version: 3,
            classes: [
                ClassSchema(
                    "Dog", primaryKey: "id",
                    properties: [
                        PropertySchema("id", PropertyType(.int)), PropertySchema("name", PropertyType(.string)),
                    ]),
                ClassSchema(
                    "Tag", primaryKey: "id",
                    properties: [
                        PropertySchema("id", PropertyType(.int, isOptional: true)),
                        PropertySchema("text", PropertyType(.string), isIndexed: true),
                    ]),
            ])
        let (dog, tag, id) = (ClassID(1), ClassID(2), PropertyID(1))
        do {
            let store = try EmbeddedStore.open(path: path, schema: schema, options: smallClusters())
            try store.write { transaction in
                for number in 0..<300 {
                    _ = try transaction.create(
                        dog, [id: .int(Int64(number * 3)), PropertyID(2): .string("d\(number)")])
                }
                for number in 0..<50 { try transaction.delete(dog, ObjectKey(Int64(number * 2))) }
                _ = try transaction.create(tag, [PropertyID(2): .string("none")])
                _ = try transaction.create(tag, [id: .int(-5), PropertyID(2): .string("five")])
            }
            store.close()
        }
        try makeFormat1(path, dogs: dog, tags: tag, id)
        for _ in 0..<2 {
            let store = try EmbeddedStore.open(path: path)
            let snapshot = try store.snapshot()
            #expect(snapshot.count(of: dog) == 250)
            for number in 0..<300 {
                let key = try snapshot.key(of: dog, primaryKey: .int(Int64(number * 3)))
                let expected = number < 100 && number % 2 == 0 ? nil : ObjectKey(Int64(number))
                #expect(key == expected)
            }
            #expect(try snapshot.key(of: tag, primaryKey: .null) == ObjectKey(0))
            #expect(try snapshot.key(of: tag, primaryKey: .int(-5)) == ObjectKey(1))
            #expect(throws: StoreError.self) { try store.write { _ = try $0.create(dog, [id: .int(897)]) } }
            store.close()
        }
    }

    @Test("a big-endian machine is refused before the file is touched, and this one is not")
    func byteOrder() throws {
        #expect(ByteOrder.isLittle == (1.littleEndian == 1))
        try ByteOrder.check("/nowhere/store", isLittle: true)
        do throws(StoreError) {
            try ByteOrder.check("/nowhere/store", isLittle: false)
            Issue.record("not refused")
        } catch {
            #expect(error.code == .unsupportedFormat)
            #expect(error.message.contains("'/nowhere/store'") && error.message.contains("little-endian machine"))
        }
    }

    /// Removes what format 1 did not have, and adds the index entries that it had.
    private func makeFormat1(_ path: String, dogs: ClassID, tags: ClassID, _ id: PropertyID) throws {
        let file = try StoreFile(path: path, schema: .empty, options: smallClusters())
        let transaction = try file.environment.begin(readOnly: false)
        let trees = try file.trees
        let session = try WriteSession(transaction, trees, try Catalogue(transaction, trees), path: path)
        for classID in [dogs, tags] {
            let objectClass = try #require(session.objectClass(classID))
            let column = try #require(objectClass.primaryKey)
            let keys = try (0..<objectClass.state.nextKey).map { ObjectKey($0) }.filter {
                try session.exists(objectClass, $0)
            }
            let values = try keys.map { try session.value(objectClass, $0, column) }
            try transaction.deleteAll(trees.index, prefix: TreeKey.entries(of: classID, id).bytes)
            for (key, value) in zip(keys, values) {
                var entry = TreeKey.entries(of: classID, id)
                entry.append(contentsOf: try #require(IndexKey.encode(value)))
                entry.append(key)
                try transaction.put(trees.index, entry.bytes, [])
            }
        }
        var format = TreeKey(capacity: 4)
        format.append(UInt32(1))
        try transaction.put(trees.meta, FileFormat.formatKey, format.bytes)
        try transaction.commit()
    }
}
