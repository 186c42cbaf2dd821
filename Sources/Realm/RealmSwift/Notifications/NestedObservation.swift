import ViewMaintenance
import LiveQueries
import ObjectModel
import RealmInstances

/// Observes a list or dictionary within a mixed value. The store reports only that the whole value was assigned; this
/// class finds the changes by comparing the collection with that of the last call.
final class NestedObservation {
    private let collection: NestedAccessor
    private let deliver: (CollectionNotification) -> Void
    /// The collection at the last call, empty if it no longer existed; nil before the first call.
    private var before: Value?

    private init(_ collection: NestedAccessor, _ deliver: @escaping (CollectionNotification) -> Void) {
        self.collection = collection
        self.deliver = deliver
    }

    /// Throws wherever `observe` of a collection traps.
    static func begin(
        _ collection: NestedAccessor, _ deliver: @escaping (CollectionNotification) -> Void
    ) throws -> InstanceToken {
        let observation = NestedObservation(collection, deliver)
        let token = try observation.begin()
        collection.realm.onSkip(token) { [weak observation] in observation?.skip() }
        return token
    }

    private func begin() throws -> InstanceToken {
        let (realm, location) = (collection.realm, collection.location)
        guard location.property.type.collection == .single else {
            return try realm.live.observeCollection(location.owner, location.property.id) { [self] event in
                switch CollectionNotification(event) {
                case nil: break
                case .initial?: tellFirst()
                case .update?: tell()
                }
            }
        }
        let keyPaths = try realm.keyPaths([location.property.name], of: location.owner.classID)
        let token = try realm.live.observeObject(location.owner, keyPaths: keyPaths) { [self] _ in tell() }
        // The observation of an object has no first call, so the first call is made here.
        let (first, kept) = (Transferred(self), Transferred(WeakToken(token: token)))
        try realm.live.scheduler.run { if kept.value.token?.isValid == true { first.value.tellFirst() } }
        return token
    }

    private struct WeakToken {
        weak var token: InstanceToken?
    }

    private var present: Value { (try? collection.current()) ?? .null }

    private func skip() { if before != nil { before = present } }

    private func tellFirst() {
        guard before == nil else { return }
        before = present
        deliver(.initial)
    }

    private func tell() {
        guard let before else { return }
        let after = present
        self.before = after
        if let news = CollectionNotification(from: before, to: after, isList: collection.isList) { deliver(news) }
    }
}

extension CollectionNotification {
    /// Compares two states of a list or dictionary; nil if they are equal.
    fileprivate init?(from before: Value, to after: Value, isList: Bool) {
        guard before != after else { return nil }
        if isList {
            self = .update(.positions(IndexChanges(from: before.listElements, to: after.listElements)))
        } else {
            let (old, new) = (before.mapEntries, after.mapEntries)
            func keys(_ entries: [(key: String, value: Value)], _ isReported: (String) -> Bool) -> [String] {
                entries.map(\.key).filter(isReported)
            }
            let (oldMap, newMap) = (ValueMap(old), ValueMap(new))
            self = .update(
                .keys(
                    deletions: keys(old) { newMap[$0] == nil }, insertions: keys(new) { oldMap[$0] == nil },
                    modifications: keys(new) { key in oldMap[key].map { $0 != newMap[key] } ?? false }))
        }
    }
}

extension Value {
    fileprivate var listElements: [Value] {
        if case .list(let elements) = self { return elements }
        return []
    }

    fileprivate var mapEntries: [(key: String, value: Value)] {
        if case .dictionary(let map) = self { return map.entries.map { ($0.key, $0.value) } }
        return []
    }
}

extension IndexChanges {
    /// Between two unchanged elements, replaced elements are modifications; surplus ones are deletions or insertions.
    fileprivate init(from old: [Value], to new: [Value]) {
        var (gone, come): (Set<Int>, Set<Int>) = ([], [])
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): gone.insert(offset)
            case .insert(let offset, _, _): come.insert(offset)
            }
        }
        var (deletions, insertions): ([Int], [Int]) = ([], [])
        var (modifications, modificationsNew): ([Int], [Int]) = ([], [])
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            switch (gone.contains(i), come.contains(j)) {
            case (true, true):
                modifications.append(i)
                modificationsNew.append(j)
                (i, j) = (i + 1, j + 1)
            case (true, false):
                deletions.append(i)
                i += 1
            case (false, true):
                insertions.append(j)
                j += 1
            case (false, false): (i, j) = (i + 1, j + 1)
            }
        }
        self.init(
            deletions: deletions, insertions: insertions, modifications: modifications,
            modificationsNew: modificationsNew)
    }
}
