import ObjectModel
import StoreContract

/// See `Store.walk`: the states that a model store keeps, one after the other.
final class ModelWalk: VersionWalk {
    private let snapshot: any Snapshot
    private let states: [Version: ModelState]
    private var log: [ChangeSet]
    private var step: ChangeSet?
    private(set) var end: WalkEnd?

    init(from snapshot: any Snapshot, _ log: [ChangeSet], _ states: [Version: ModelState]) {
        self.snapshot = snapshot
        self.log = log.filter { $0.version <= snapshot.version }
        self.states = states
    }

    func next() throws -> LoggedVersion? {
        guard end == nil else { return nil }
        let reached = step?.version.previous ?? snapshot.version
        step = nil
        guard let changes = log.popLast() else {
            end = WalkEnd(reached, .log)
            return nil
        }
        if changes.schemaChanged {
            end = WalkEnd(changes.version, .schema)
            return nil
        }
        guard let before = changes.version.previous, states[before] != nil else {
            end = WalkEnd(changes.version, .values)
            return nil
        }
        step = changes
        return LoggedVersion(changes, mark: Mark(changes.version, snapshot.tag), time: nil)
    }

    func after() throws -> any ObjectReads { try state(step?.version) }

    func before() throws -> any ObjectReads { try state(step?.version.previous) }

    private func state(_ version: Version?) throws -> any ObjectReads {
        guard let version, version != snapshot.version else { return snapshot }
        guard let state = states[version] else {
            throw StoreError(.versionGone, "Version \(version) is not kept any more.")
        }
        return ModelSnapshot(state)
    }

    func deleted(of classID: ClassID, _ property: PropertyID) throws -> [(key: ObjectKey, value: Value)] {
        let before = try before()
        return try (step?.classes[classID]?.deletions ?? []).sorted().map {
            ($0, try before.value(classID, $0, property))
        }
    }
}
