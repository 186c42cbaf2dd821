import ObjectModel
import QueryLanguage
import StoreContract

/// One query's result, kept current for all who observe the query. Used by one thread at a time.
final class MaintainedResult: LiveSubject {
    /// Observers with the same key paths, which are told the same.
    private struct Audience {
        let keyPaths: [LiveKeyPath]
        /// Nil when everything within reach counts.
        let filter: KeyPathFilter?
        var subscribers: [Subscriber<LiveEvent>] = []
    }

    let query: BoundQuery
    /// The query with the objects that it names looked up at the version that the result is at.
    private var resolved: BoundQuery
    private(set) var keys: KeySequence
    private var route: QueryRoute
    private var reach: LinkReach
    private var audiences: [Audience] = []

    /// Runs the query. Throws what the store throws, and `unknownClass` or `unknownProperty` when the query does not
    /// fit the snapshot's schema.
    ///
    /// - Parameter keys: what the query gives at the snapshot, where that is known already.
    init(_ query: BoundQuery, _ snapshot: any Snapshot, keys: KeySequence? = nil) throws {
        self.query = query
        route = try QueryRoute(query, schema: snapshot.schema)
        reach = LinkReach(from: query.classID, schema: snapshot.schema)
        resolved = try Self.resolve(query, snapshot)
        self.keys = try keys ?? KeySequence(snapshot.select(resolved, .all))
    }

    private static func resolve(_ query: BoundQuery, _ snapshot: any ObjectReads) throws -> BoundQuery {
        try query.namingObjects { try snapshot.key(of: $0, primaryKey: $1) }
    }

    var isObserved: Bool { !audiences.isEmpty }

    var watches: Set<LiveWatch> {
        Set(
            (route.classes.union(reach.classes).union(audiences.flatMap { $0.filter?.classes ?? [] }))
                .map { .objects(of: $0) })
    }

    /// Adds an observer and tells it the present result, which must be that of `snapshot`.
    func add(
        _ subscriber: Subscriber<LiveEvent>, _ keyPaths: [LiveKeyPath], _ snapshot: any Snapshot,
        since version: Version?, _ past: PastVersions
    ) throws {
        if let index = audiences.firstIndex(where: { $0.keyPaths == keyPaths }) {
            audiences[index].subscribers.append(subscriber)
        } else {
            var audience = Audience(keyPaths: keyPaths, filter: try filter(keyPaths, snapshot))
            audience.subscribers.append(subscriber)
            audiences.append(audience)
        }
        subscriber.send(.initial(snapshot: snapshot, keys: keys))
    }

    /// Forgets the observers that have left.
    func prune() {
        for index in audiences.indices { audiences[index].subscribers.removeAll { !$0.isActive } }
        audiences.removeAll { $0.subscribers.isEmpty }
    }

    /// Tells all observers that this is the end.
    func fail(_ error: any Error) {
        for audience in audiences { Self.fail(audience, error) }
        audiences = []
    }

    func advance(_ step: LiveStep, _ snapshot: any Snapshot) throws {
        let changes = step.changes
        if changes.schemaChanged { try adopt(snapshot.schema) }
        let old = keys
        let touched = try reach.modifiedRoots(by: step)
        var indices = IndexChanges()
        let before = resolved
        if changes.schemaChanged || route.mayRename(changes) { resolved = try Self.resolve(query, snapshot) }
        if changes.schemaChanged || resolved != before {
            indices = try selectAnew(modified: touched, snapshot)
        } else if route.isTouched(by: changes) {
            indices = try update(changes, modified: touched, snapshot)
        }
        for audience in audiences {
            let modified: Set<ObjectKey>
            if let filter = audience.filter {
                modified = try filter.modifiedRoots(by: step)
            } else {
                modified = touched
            }
            var change = indices
            for index in positions(of: modified, in: old) {
                guard let new = indices.newIndex(ofOld: index) else { continue }
                change.modifications.append(index)
                change.modificationsNew.append(new)
            }
            guard !change.isEmpty else { continue }
            let event = LiveEvent.update(LiveChange(snapshot: snapshot, indices: change, newKeys: keys))
            for subscriber in audience.subscribers { subscriber.send(event) }
        }
    }

    private func filter(_ keyPaths: [LiveKeyPath], _ snapshot: any Snapshot) throws -> KeyPathFilter? {
        guard !keyPaths.isEmpty else { return nil }
        for path in keyPaths {
            guard path.classID == query.classID else {
                throw StoreError(.unknownProperty, "The key paths belong to another class than the query.")
            }
            if let fault = path.fault(under: snapshot.schema) { throw fault }
        }
        return KeyPathFilter(keyPaths)
    }

    private static func fail(_ audience: Audience, _ error: any Error) {
        for subscriber in audience.subscribers { subscriber.finish(.failed(error)) }
    }

    /// Looks everything up again that depends on the schema. Observers whose key paths are gone fail on their own.
    private func adopt(_ schema: Schema) throws {
        route = try QueryRoute(query, schema: schema)
        reach = LinkReach(from: query.classID, schema: schema)
        for audience in audiences {
            for fault in audience.keyPaths.compactMap({ $0.fault(under: schema) }).prefix(1) {
                Self.fail(audience, fault)
            }
        }
        prune()
    }

    /// Positions of those of the objects that are in the list, ascending. Cost: a binary search for each object, or
    /// a pass over the keys when they are sorted by something else.
    private func positions(of objects: Set<ObjectKey>, in list: KeySequence) -> [Int] {
        guard let lowest = objects.min(), let highest = objects.max() else { return [] }
        guard isInCreationOrder else {
            // The range spares most look-ups in the set: what changes together was often made together.
            return list.indices.filter { list[$0] >= lowest && list[$0] <= highest && objects.contains(list[$0]) }
        }
        return objects.compactMap { key in
            let index = list.partitioningIndex { $0 >= key }
            return index < list.count && list[index] == key ? index : nil
        }.sorted()
    }

    private var isInCreationOrder: Bool {
        query.scope == .all
            && !query.steps.contains {
                if case .sort = $0 { return true }
                return false
            }
    }
}

extension MaintainedResult {
    /// Testing objects one by one pays while they are fewer than this part of the result, and some more.
    private static let retestShare = 64
    private static let retestMinimum = 256

    private func update(
        _ changes: ChangeSet, modified: Set<ObjectKey>, _ snapshot: any Snapshot
    ) throws -> IndexChanges {
        if route.isLocal {
            let suspects = route.suspects(in: changes)
            if suspects.count <= Self.retestMinimum + keys.count / Self.retestShare {
                return try retest(suspects, modified: modified, snapshot)
            }
        }
        return try selectAnew(modified: modified, snapshot)
    }

    private func selectAnew(modified: Set<ObjectKey>, _ snapshot: any Snapshot) throws -> IndexChanges {
        let old = keys
        keys = KeySequence(try snapshot.select(resolved, .all))
        return KeyDiff.between(Array(old), Array(keys), isModified: modified.contains)
    }

    /// Takes the suspects out and puts those that match back in where they belong now. Cost: a look-up of sort values
    /// for each suspect and step of a binary search, and a pass over the keys.
    private func retest(
        _ suspects: Set<ObjectKey>, modified: Set<ObjectKey>, _ snapshot: any Snapshot
    ) throws -> IndexChanges {
        let old = keys
        let removed = positions(of: suspects, in: old)
        let removedKeys = Dictionary(
            removed.map { (old[$0], $0) }, uniquingKeysWith: { first, _ in first })
        let untouched = ResultEdit.Untouched(old: Array(old), removed: removed)
        var arrivals: [(arrival: ResultEdit.Arrival, place: SortPlace)] = []
        for key in suspects where try snapshot.matches(resolved, key) {
            let place = try SortPlace(key, route.sortKeys, query.classID, snapshot)
            let rank = try untouched.partitioningIndex {
                try place.isBefore(SortPlace($0, route.sortKeys, query.classID, snapshot), by: route.sortKeys)
            }
            arrivals.append((ResultEdit.Arrival(key: key, rank: rank, oldIndex: removedKeys[key]), place))
        }
        guard !(removed.isEmpty && arrivals.isEmpty) else { return IndexChanges() }
        arrivals.sort { a, b in
            a.arrival.rank != b.arrival.rank
                ? a.arrival.rank < b.arrival.rank : a.place.isBefore(b.place, by: route.sortKeys)
        }
        let edit = ResultEdit(old: Array(old), removed: removed, arrivals: arrivals.map(\.arrival))
        let indices = edit.indexChanges(modified: positions(of: modified, in: old))
        if !indices.deletions.isEmpty || !indices.insertions.isEmpty { keys = KeySequence(edit.applied()) }
        return indices
    }
}

/// Where an object belongs in a sorted result.
private struct SortPlace {
    let key: ObjectKey
    let values: [Value?]

    init(_ key: ObjectKey, _ sort: [SortKey], _ classID: ClassID, _ snapshot: any Snapshot) throws {
        self.key = key
        values = sort.isEmpty ? [] : try snapshot.sortValues(sort, of: key, in: classID)
    }

    /// By the sort's values, then by creation. A null link on the way is above every value.
    func isBefore(_ other: SortPlace, by sort: [SortKey]) -> Bool {
        for (index, key) in sort.enumerated() {
            let order: Int
            switch (values[index], other.values[index]) {
            case (nil, nil): order = 0
            case (nil, _?): order = 1
            case (_?, nil): order = -1
            case (let a?, let b?): order = Value.order(a, b)
            }
            if order != 0 { return key.isAscending ? order < 0 : order > 0 }
        }
        return key < other.key
    }
}
