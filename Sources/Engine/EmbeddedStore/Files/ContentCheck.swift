import StorageEngine
import LMDBStorage
import Columnar
import ObjectModel
import StoreContract

/// Reads every value of the newest version and compares it with the data derived from it: indexes, words, backlinks,
/// owners. It looks up every expected entry; the number of entries then shows that there are no others.
final class ContentCheck {
    private let file: OpenFile
    private let transaction: LMDBTransaction
    private let snapshot: EmbeddedSnapshot
    private let progress: (Int) throws -> Void
    private var faults: [String] = []
    private var objects = 0
    private var entries = 0
    /// The number of objects that own an embedded one.
    private var owners: [ObjectReference: Int] = [:]

    init(_ file: OpenFile, path: String, progress: @escaping (Int) throws -> Void) throws {
        self.file = file
        self.progress = progress
        transaction = try file.environment.begin(readOnly: true)
        snapshot = EmbeddedSnapshot(transaction, file.trees, try Catalogue(transaction, file.trees), path: path)
    }

    /// Adds its findings to the report.
    func run(_ report: inout FileReport) throws {
        for objectClass in snapshot.schema.classes {
            try check(MutableClass(objectClass, snapshot.classes[objectClass.id] ?? ClassState()))
        }
        for objectClass in snapshot.schema.classes where objectClass.isEmbedded {
            try forEachObject(of: objectClass.id) { key in
                let count = owners[ObjectReference(objectClass.id, key)] ?? 0
                if count != 1 { fail("'\(objectClass.name)' \(key.rawValue) is embedded in \(count) objects") }
            }
        }
        report.version = snapshot.version
        report.schemaVersion = snapshot.schema.version
        report.classes = snapshot.schema.classes.map { objectClass in
            CopyReport.Class(
                name: objectClass.name, isEmbedded: objectClass.isEmbedded,
                count: snapshot.classes[objectClass.id]?.objectCount ?? 0)
        }
        report.objects = objects
        report.entries = entries
        report.faults += faults
    }

    // MARK: Objects

    private func check(_ objectClass: MutableClass) throws {
        var expected = Expected(objectClass)
        var count = 0
        try forEachObject(of: objectClass.schema.id) { key in
            count += 1
            objects += 1
            if objects % 1000 == 0 { try progress(objects) }
            for column in objectClass.columns { try check(objectClass, key, column, &expected) }
        }
        if count != objectClass.state.objectCount {
            fail(
                "class '\(objectClass.schema.name)' should have \(objectClass.state.objectCount) objects but has \(count)"
            )
        }
        try compare(expected, objectClass)
    }

    /// Calls `body` with the key of every object, in order.
    private func forEachObject(of classID: ClassID, _ body: (ObjectKey) throws -> Void) throws {
        for cluster in 0..<snapshot.clusterCount(of: classID) {
            guard let mask = try snapshot.liveMask(of: classID, cluster: cluster) else { continue }
            for slot in 0..<mask.slotCount where mask.isLive(slot) {
                try body(ObjectKey(Int64(cluster * snapshot.clusterCapacity + slot)))
            }
        }
    }

    private func check(
        _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ expected: inout Expected
    ) throws {
        func name() -> String { "'\(objectClass.schema.name).\(column.property.name)' of object \(key.rawValue)" }
        let value: Value
        do {
            value = try snapshot.value(objectClass.schema.id, key, column.id)
        } catch {
            return fail("\(name()) cannot be read")
        }
        if !column.property.type.accepts(value) { fail("\(name()) has a value of another type") }
        try checkIndex(objectClass, key, column, value, name(), &expected)
        guard column.holdsLinks else { return }
        var links: [ObjectReference: Int] = [:]
        value.forEachLink(column) { links[$0, default: 0] += 1 }
        for (target, count) in links {
            if try !snapshot.exists(target.classID, target.key) {
                fail("\(name()) links to object \(target.key.rawValue), which does not exist")
            }
            if column.ownsTarget { owners[target, default: 0] += count }
            let entry = References.backlinkEntry(objectClass, key, column, target)
            if try transaction.get(file.trees.backlinks, entry)?.linkCount != count {
                fail("\(name()) links to object \(target.key.rawValue), whose backlinks disagree")
            }
            expected.backlinks[column.position] += 1
        }
    }

    private func checkIndex(
        _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value, _ name: String,
        _ expected: inout Expected
    ) throws {
        if column.isFullTextIndexed {
            try References.words(of: value, objectClass, key, column) { entry in
                expected.words[column.position] += 1
                if try transaction.get(file.trees.words, entry) == nil { fail("\(name) is not in the full-text index") }
            }
        }
        guard column.isIndexed else { return }
        if column.usesKeyBlocks {
            expected.index[column.position] += 1
            let found = try? snapshot.key(of: objectClass.schema.id, primaryKey: value)
            if found != key { fail("\(name), the primary key, does not lead to the object") }
        } else if let entry = References.indexEntry(objectClass, key, column, value) {
            expected.index[column.position] += 1
            if try transaction.get(file.trees.index, entry) == nil { fail("\(name) is not in the index") }
        }
    }

    // MARK: Entries beside the objects

    /// The number of entries that a class has, by the positions of its columns.
    private struct Expected {
        var index: [Int]
        var words: [Int]
        var backlinks: [Int]

        init(_ objectClass: MutableClass) {
            index = [Int](repeating: 0, count: objectClass.columns.count)
            words = index
            backlinks = index
        }
    }

    private func compare(_ expected: Expected, _ objectClass: MutableClass) throws {
        for column in objectClass.columns {
            let name = "'\(objectClass.schema.name).\(column.property.name)'"
            let prefix = TreeKey.entries(of: objectClass.schema.id, column.id).bytes
            for (what, tree, count) in [
                ("the index", file.trees.index, expected.index[column.position]),
                ("the words", file.trees.words, expected.words[column.position]),
                ("the backlinks", file.trees.backlinks, expected.backlinks[column.position]),
            ] {
                var found = 0
                var isReadable = true
                let hasBlocks = column.usesKeyBlocks && what == "the index"
                try transaction.scan(tree, prefix: prefix) { key, value in
                    guard hasBlocks, key.count == prefix.count + 8 else {
                        found += 1
                        return true
                    }
                    let block = (key.bigEndian(at: prefix.count, as: Int64.self) << 8) >> 8 ^ (-1 << 55)
                    do {
                        found += try KeyBlock(decoding: value, block: block).count
                    } catch {
                        isReadable = false
                    }
                    return true
                }
                entries += found
                if !isReadable {
                    fail("an entry in \(what) of \(name) cannot be read")
                } else if found != count {
                    fail("\(what) of \(name) should have \(count) entries but have \(found)")
                }
            }
        }
    }

    private func fail(_ fault: String) {
        if faults.count < EmbeddedStore.checkLimit { faults.append(fault) }
    }
}
