import ObjectModel
import StoreContract
import TestBasics

extension StoreConformance {
    /// A walk from a snapshot passes every version that the model's log has, with its changes; the states around some of
    /// them, chosen at random, are the model's.
    static func checkWalk(
        from snapshot: any Snapshot, _ store: any Store, _ model: ModelStore, _ random: inout SeededRandom
    ) throws {
        let walk = try store.walk(from: snapshot)
        let floor = try store.changeLogFloor()
        // The log that stores share begins with a schema.
        let schema = try store.changes(after: floor)?.last(where: \.schemaChanged)?.version
        let logged = try model.changes(after: schema ?? floor) ?? []
        var kept: [(reads: any ObjectReads, version: Version)] = []
        for expected in logged.reversed() where expected.version <= snapshot.version {
            guard let version = try walk.next() else {
                throw ConformanceFailure("the walk ends at \(String(describing: walk.end)) before \(expected.version)")
            }
            try requireEqual(version.changes, expected, "changes of version \(expected.version)")
            try requireEqual(version.mark.version, expected.version, "its mark")
            guard random.oneIn(3), let before = expected.version.previous else { continue }
            // In any order, and not always both.
            if random.oneIn(2) { kept.append((try walk.before(), before)) }
            if random.oneIn(2) { kept.append((try walk.after(), expected.version)) }
            if random.oneIn(2) { kept.append((try walk.before(), before)) }
            try checkDeleted(expected, walk, try model.state(at: before))
        }
        guard try walk.next() == nil, try walk.next() == nil else { throw ConformanceFailure("the walk does not end") }
        let end = schema.map { WalkEnd($0, .schema) } ?? WalkEnd(floor, .log)
        try requireEqual(walk.end, end, "the end of the walk")
        // The states stay what they are when the walk is over.
        for (reads, version) in kept.shuffled(using: &random).prefix(6) {
            do {
                try requireEqual(reads.version, version, "version")
                try compare(reads, try model.state(at: version), newest: snapshot, queries: 1, &random)
            } catch {
                throw ConformanceFailure("version \(version) on a walk from \(snapshot.version): \(error)")
            }
        }
    }

    private static func checkDeleted(
        _ changes: ChangeSet, _ walk: any VersionWalk, _ before: ModelSnapshot
    ) throws {
        for objectClass in before.schema.classes {
            let keys = changes.classes[objectClass.id]?.deletions ?? []
            for property in objectClass.storedProperties where !property.type.isCollection {
                let given = try walk.deleted(of: objectClass.id, property.id)
                for key in keys.sorted() {
                    try requireEqual(
                        given.filter { $0.key == key }.map(\.value),
                        [try before.value(objectClass.id, key, property.id)],
                        "'\(objectClass.name).\(property.name)' of the deleted \(key.rawValue)")
                }
            }
        }
    }
}
