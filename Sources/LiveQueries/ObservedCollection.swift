import ObjectModel
import StoreContract

/// One object's list, set or map, of values or links. Used by one thread at a time.
final class ObservedCollection: LiveSubject {
    init(_ object: ObjectReference, _ property: PropertyID, _ snapshot: any Snapshot) throws {
        throw StoreError(.unknownProperty, "Collections of values cannot be observed by this version.")
    }

    var watches: Set<LiveWatch> { [] }
    var isObserved: Bool { false }

    func add(
        _ subscriber: Subscriber<LiveCollectionEvent>, _ keyPaths: [LiveKeyPath], _ snapshot: any Snapshot,
        since version: Version?, _ past: PastVersions
    ) throws {}

    func advance(_ step: LiveStep, _ snapshot: any Snapshot) throws {}
    func prune() {}
    func fail(_ error: any Error) {}
}
