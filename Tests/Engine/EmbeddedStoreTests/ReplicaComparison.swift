@testable import LMDBStorage
@testable import StorageEngine
@testable import EmbeddedStore
import ObjectModel
import QueryExecution
import QueryLanguage
import StoreContract
import StoreTesting

/// Compares two replicas of one log in everything that can be read, and in what is stored for it.
enum ReplicaComparison {
    static func requireEqual(_ one: EmbeddedStore, _ other: EmbeddedStore) throws {
        let (left, right) = (try one.snapshot(), try other.snapshot())
        try require(left.mark == right.mark, "the newest marks are \(left.mark) and \(right.mark)")
        try require(left.schema == right.schema, "the schemas differ")
        for objectClass in left.schema.classes { try compareObjects(objectClass, left, right) }
        try compareTrees(one, other)
        try compareLogs(one, other, left, right)
    }

    /// Keys, and all values in their order.
    private static func compareObjects(
        _ objectClass: ClassSchema, _ left: any Snapshot, _ right: any Snapshot
    ) throws {
        let all = BoundQuery(classID: objectClass.id)
        let keys = try left.select(all, .all)
        try require(try right.select(all, .all) == keys, "the keys of \(objectClass.name) differ")
        for key in keys {
            for property in objectClass.storedProperties {
                let (own, others) = (
                    try left.value(objectClass.id, key, property.id), try right.value(objectClass.id, key, property.id)
                )
                try require(
                    same(own, others), "\(objectClass.name).\(property.name) of \(key.rawValue): \(own) and \(others)")
            }
        }
    }

    /// Equal also where a number is not one.
    private static func same(_ left: Value, _ right: Value) -> Bool {
        left == right || String(describing: left) == String(describing: right)
    }

    /// Counters, indexes, words, backlinks and kept records, byte for byte.
    private static func compareTrees(_ one: EmbeddedStore, _ other: EmbeddedStore) throws {
        let (left, right) = (try one.file.current, try other.file.current)
        for (name, tree) in [
            ("classes", \Trees.classes), ("index", \.index), ("words", \.words), ("backlinks", \.backlinks),
            ("records", \.records),
        ] {
            let (own, others) = (try content(left, tree), try content(right, tree))
            try require(own == others, "the trees '\(name)' differ: \(own.count) and \(others.count) entries")
        }
    }

    private static func content(_ file: OpenFile, _ tree: KeyPath<Trees, LMDBDatabase>) throws -> [[UInt8]] {
        let transaction = try file.environment.begin(readOnly: true)
        var content: [[UInt8]] = []
        try transaction.scan(file.trees[keyPath: tree], prefix: []) { key, value in
            content.append(Array(key) + Array(value))
            return true
        }
        return content
    }

    /// Change sets, undo data, tags, and some of the past.
    private static func compareLogs(
        _ one: EmbeddedStore, _ other: EmbeddedStore, _ left: any Snapshot, _ right: any Snapshot
    ) throws {
        let floor = max(try one.changeLogFloor(), try other.changeLogFloor())
        let (own, others) = (try one.changes(after: floor) ?? [], try other.changes(after: floor) ?? [])
        try require(own.map(\.version) == others.map(\.version), "the versions of the change logs differ")
        for (own, others) in zip(own, others) where own != others {
            throw ConformanceFailure("the change sets of version \(own.version) differ: \(own) and \(others)")
        }
        var version = floor
        while version < left.version {
            let tags = (try one.tag(of: version), try other.tag(of: version))
            try require(tags.0 != nil && tags.0 == tags.1, "version \(version) has the tags \(tags)")
            let (own, others) = (try one.asOf(version, before: left), try other.asOf(version, before: right))
            try require((own == nil) == (others == nil), "only one has the past of version \(version)")
            if let own, let others {
                try require(own.changes == others.changes, "the changes since version \(version) differ")
                try require(own.reads.mark == others.reads.mark, "the marks of version \(version) differ")
                for objectClass in left.schema.classes {
                    for key in try left.select(BoundQuery(classID: objectClass.id), Window(limit: 20))
                    where try own.reads.exists(objectClass.id, key) {
                        for property in objectClass.storedProperties {
                            try require(
                                same(
                                    try own.reads.value(objectClass.id, key, property.id),
                                    try others.reads.value(objectClass.id, key, property.id)),
                                "\(objectClass.name).\(property.name) differs in the past")
                        }
                    }
                }
            }
            version = Version(version.rawValue + max(1, (left.version.rawValue - floor.rawValue) / 12))
        }
    }

    private static func require(_ condition: Bool, _ expectation: @autoclosure () -> String) throws {
        if !condition { throw ConformanceFailure(expectation()) }
    }
}
