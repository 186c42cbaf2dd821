import ViewMaintenance
import ObjectModel
import QueryLanguage
import StoreContract

/// One query's sectioned result, maintained for all of its observers. Used by one thread at a time.
///
/// The result is maintained as any other is; its difference gives the elements to remove from their sections and those
/// to insert. A change of the section's key alone does not change the result, so those objects are searched for as
/// well.
final class MaintainedSections: MaintainedView {
    private let query: BoundQuery
    private let key: SectionKey
    private let reader: SectionKeyReader
    private var dependencies: QueryDependencies
    private var reach: DeepChangeChecker
    private var result: ResultState
    private var sections: SectionList
    var subscriberGroups: [SubscriberGroup<LiveSectionEvent, SectionMemory>] = []

    /// Runs the query. Throws the store's errors, and `unknownClass` or `unknownProperty` when the query or the key
    /// does not fit the snapshot's schema.
    init(_ query: BoundQuery, by key: SectionKey, _ snapshot: any Snapshot) throws {
        self.query = query
        self.key = key
        reader = SectionKeyReader(key, of: query.classID)
        dependencies = try QueryDependencies(query, alsoReading: [key.path], schema: snapshot.schema)
        reach = DeepChangeChecker(from: query.classID, schema: snapshot.schema)
        result = try ResultState(
            query.resolved(snapshot), isOrdered: dependencies.maintenance == .incremental, snapshot)
        sections = SectionList(try snapshot.sections(result.query, by: key), in: key.order)
    }

    var watches: Set<LiveWatch> { watches(of: query, dependencies, reach) }

    func add(
        _ subscriber: Subscriber<LiveSectionEvent>, _ interest: LiveInterest, _ snapshot: any Snapshot,
        since known: Resumption?
    ) throws {
        // An observer that joins knows the present sections.
        let index = try subscriberGroup(interest, snapshot.schema, new: SectionMemory()) { $0.reported == nil }
        subscriberGroups[index].subscribers.append(subscriber)
        guard let known, let step = try known.step(for: watches), try query.scope.exists(in: step.before) else {
            subscriber.send(.initial(snapshot: snapshot, LiveSections(sections)))
            return
        }
        let missed = try missed(step, by: index, snapshot)
        subscriber.send(.resumed(snapshot: snapshot, LiveSections(sections)))
        if let missed { subscriber.send(.update(missed)) }
    }

    func filter(_ keyPaths: [LiveKeyPath], _ schema: Schema) throws -> KeyPathFilter? {
        try KeyPathFilter(keyPaths, from: query.classID, schema, else: "the query")
    }

    /// Looks up again everything that depends on the schema. Observers whose key paths no longer exist fail on their
    /// own.
    private func adopt(_ schema: Schema) throws {
        dependencies = try QueryDependencies(query, alsoReading: [key.path], schema: schema)
        reach = DeepChangeChecker(from: query.classID, schema: schema)
        adoptKeyPaths(schema)
    }
}

// MARK: Steps

extension MaintainedSections {
    func advance(_ step: VersionDelta, _ snapshot: any Snapshot) throws {
        if step.changes.schemaChanged { try adopt(snapshot.schema) }
        let before = result
        // Computed once, for the result and for its sections.
        let affectedKeys = try affectedKeys(of: step)
        let (after, indices) = try result.advanced(
            by: step, of: query, along: dependencies, classCount: step.objectCount(of: query.classID),
            affectedKeys: { affectedKeys }
        ) { [self] in try touched(by: step) }
        let difference = try SectionStep(
            sections, step, from: before, to: after, indices, affectedKeys: affectedKeys, reader
        ) { SectionList(try snapshot.sections(after.query, by: key), in: key.order) }
        result = after
        sections = difference.new
        var last: LiveSectionChange?
        for index in subscriberGroups.indices {
            let change = try adding(modifiedBy: step, for: subscriberGroups[index].criteria, to: indices)
            guard let changes = try subscriberGroups[index].memory.report(difference, change, before.keys) else {
                continue
            }
            let event: LiveSectionChange
            if let last, last.changes == changes.0, last.isSince(changes.old) {
                event = last
            } else {
                event = LiveSectionChange(
                    snapshot: snapshot, changes: changes.0, oldSections: LiveSections(changes.old),
                    newSections: LiveSections(sections))
            }
            last = event
            subscriberGroups[index].send(.update(event))
        }
    }

    /// The objects whose membership, position or section may differ; nil where they cannot be determined.
    private func affectedKeys(of step: VersionDelta) throws -> AffectedKeys? {
        guard !step.changes.schemaChanged else { return nil }
        return try VersionDelta.ifRetained { try dependencies.affectedKeys(in: step) }
    }

    /// The objects that count as modified without key paths.
    private func touched(by step: VersionDelta) throws -> Set<ObjectKey> {
        try reach.modifiedRoots(by: step)
    }

    /// The difference together with the modified elements. `indices` lead to the present result.
    private func adding(
        modifiedBy step: VersionDelta, for criteria: LiveCriteria,
        to indices: IndexChanges
    ) throws -> IndexChanges {
        let modified = try criteria.modifiedRoots(by: step) { try touched(by: step) }
        return try result.adding(modified, to: indices, step.after)
    }

    /// The difference by a step to the present, computed by reversing the step.
    private func missed(
        _ step: VersionDelta, by index: Int, _ snapshot: any Snapshot
    ) throws -> LiveSectionChange? {
        let (changes, old) = try missedChanges(step, by: index, snapshot)
        return changes.isEmpty
            ? nil
            : LiveSectionChange(
                snapshot: snapshot, changes: changes, oldSections: LiveSections(old),
                newSections: LiveSections(sections))
    }

    private func missedChanges(
        _ step: VersionDelta, by index: Int, _ snapshot: any Snapshot
    ) throws -> (changes: SectionChanges, old: SectionList) {
        let version = step.before.version
        if subscriberGroups[index].memory.resumed?.version != snapshot.version {
            subscriberGroups[index].memory.resumed = (snapshot.version, [:])
        }
        if let known = subscriberGroups[index].memory.resumed?.changes[version] { return known }
        let back = step.reversed
        let affectedKeys = try affectedKeys(of: back)
        // Reading earlier versions costs more, and running the query there much more.
        let (then, indices) = try result.advanced(
            by: back, of: query, along: dependencies, classCount: step.objectCount(of: query.classID) * 8,
            affectedKeys: { affectedKeys }
        ) { [self] in try touched(by: back) }
        let away = try SectionStep(
            sections, back, from: result, to: then, indices, affectedKeys: affectedKeys, reader
        ) { try SectionList(then.keys, by: reader, step.before) }
        let forth = away.reversed(indices)
        let whole = try adding(modifiedBy: step, for: subscriberGroups[index].criteria, to: indices.inverted)
        let changes = try SectionDiff(forth.old, forth.oldPaths, forth.new, forth.newPaths)
            .changes(whole, silent: forth.rekeyed.keys)
        subscriberGroups[index].memory.resumed?.changes[version] = (changes, forth.old)
        return (changes, forth.old)
    }
}

/// The record of the events that observers with the same key paths got.
struct SectionMemory {
    /// The sections that they know, where these are not the present ones: elements moved from one to another, which is
    /// not reported unless something that their key paths name changed.
    fileprivate private(set) var reported: SectionList?
    /// The positions of those elements, with the forms of the keys of the sections that the observers know them in.
    private var silent: [Int: Value] = [:]
    /// The differences since earlier versions, and the sections there, for observers that resume from them; as seen
    /// from one version, which this does not pin.
    fileprivate var resumed: (version: Version, changes: [Version: (changes: SectionChanges, old: SectionList)])?

    /// The changes to report after a step, and the sections that they are relative to; nil when there is nothing to
    /// report. `indices` are the difference of the result with the modifications that count here.
    fileprivate mutating func report(
        _ step: SectionStep, _ indices: IndexChanges, _ oldKeys: KeySequence
    ) throws -> (SectionChanges, old: SectionList)? {
        guard !indices.isEmpty else {
            // Positions do not change while nothing is reported, for insertions and deletions are always reported.
            guard !step.rekeyed.isEmpty else { return nil }
            reported = reported ?? step.old
            silent.merge(step.rekeyed) { first, _ in first }
            return nil
        }
        let old = reported ?? step.old
        let oldPaths = reported == nil ? step.oldPaths : earlierPaths(step, oldKeys)
        let moved = silent.merging(step.rekeyed) { first, _ in first }
        reported = nil
        silent = [:]
        let changes = try SectionDiff(old, oldPaths, step.new, step.newPaths).changes(indices, silent: moved.keys)
        return changes.isEmpty ? nil : (changes, old)
    }

    /// The paths of elements in the sections that were reported last.
    private func earlierPaths(_ step: SectionStep, _ oldKeys: KeySequence) -> SectionPathFinder {
        guard let reported else { return step.oldPaths }
        let silent = silent
        let search = step.earlierSearch.map { search in
            SectionPathFinder.Search(order: search.order, position: search.position) { position, key in
                try silent[position] ?? search.form(position, key)
            }
        }
        return SectionPathFinder(reported, of: oldKeys, search)
    }
}
