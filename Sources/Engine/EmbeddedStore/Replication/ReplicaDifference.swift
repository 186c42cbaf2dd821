import StorageEngine
import LMDBStorage
import ObjectModel
import QueryExecution
import QueryLanguage
import StoreContract

/// Compares two replicas of one log that are at the same version.
enum ReplicaDifference {
    /// The first difference, as part of a sentence; nil when they are equal. Cost: reads both.
    static func first(between one: EmbeddedStore, and other: EmbeddedStore) throws -> String? {
        let (left, right) = (try one.snapshot(), try other.snapshot())
        guard left.mark == right.mark else { return "their newest marks are \(left.mark) and \(right.mark)" }
        guard left.schema == right.schema else { return "their schemas differ" }
        for (name, tree) in [
            ("the counters", \Trees.classes), ("the indexes", \.index), ("the words of full-text indexes", \.words),
            ("the backlinks", \.backlinks), ("the kept records", \.records),
        ] where try checksum(one, tree) != checksum(other, tree) {
            return "\(name) differ"
        }
        for objectClass in left.schema.classes {
            if let difference = try objects(objectClass, left, right) { return difference }
        }
        return nil
    }

    private static func objects(
        _ objectClass: ClassSchema, _ left: any Snapshot, _ right: any Snapshot
    ) throws -> String? {
        let all = BoundQuery(classID: objectClass.id)
        let keys = try left.select(all, .all)
        guard try right.select(all, .all) == keys else { return "class '\(objectClass.name)' has other objects" }
        for key in keys {
            for property in objectClass.storedProperties {
                let own = try left.value(objectClass.id, key, property.id)
                let others = try right.value(objectClass.id, key, property.id)
                // A number that is none is not equal to itself.
                guard own == others || String(describing: own) == String(describing: others) else {
                    return
                        "property '\(property.name)' of object \(key.rawValue) of class '\(objectClass.name)' differs"
                }
            }
        }
        return nil
    }

    private static func checksum(_ store: EmbeddedStore, _ tree: KeyPath<Trees, LMDBDatabase>) throws -> [UInt64] {
        let file = try store.file.current
        let transaction = try file.environment.begin(readOnly: true)
        var (count, sum): (UInt64, UInt64) = (0, 14_695_981_039_346_656_037)
        func add(_ byte: UInt8) { sum = (sum ^ UInt64(byte)) &* 1_099_511_628_211 }
        try transaction.scan(file.trees[keyPath: tree], prefix: []) { key, value in
            for byte in key { add(byte) }
            add(0xFF)
            for byte in value { add(byte) }
            add(0xFE)
            count += 1
            return true
        }
        return [count, sum]
    }
}
