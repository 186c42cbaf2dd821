import ObjectModel
import QueryLanguage
import StoreContract

/// One query's result in sections, kept current for all who observe it. Used by one thread at a time.
final class MaintainedSections: LiveSubject {
    init(_ query: BoundQuery, by key: SectionKey, _ snapshot: any Snapshot) throws {
        throw StoreError(.unknownProperty, "Sections cannot be observed by this version.")
    }

    var watches: Set<LiveWatch> { [] }
    var isObserved: Bool { false }

    func add(
        _ subscriber: Subscriber<LiveSectionEvent>, _ keyPaths: [LiveKeyPath], _ snapshot: any Snapshot,
        since version: Version?, _ past: PastVersions
    ) throws {}

    func advance(_ step: LiveStep, _ snapshot: any Snapshot) throws {}
    func prune() {}
    func fail(_ error: any Error) {}
}
