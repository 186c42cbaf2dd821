import LiveQueries
import ObjectModel
import RealmInstances
import ViewMaintenance

/// Observes sorted, distinct or filtered values. Each element of the collection has a number as long as it stays there,
/// so that equal values are different elements, and one that is replaced is modified.
final class ValuesObservation {
    private let results: ValuesAccessor
    /// The numbers of the collection's elements at the last call, in the collection's order.
    private var numbers: [ObjectKey] = []
    /// The elements themselves at that time.
    private var elements: [Value] = []
    /// Their keys, if the collection is a map.
    private var keys: [String] = []
    /// The numbers of the results' elements at the last call; nil before the first call.
    private var shown: [ObjectKey]?
    private var last: Int64 = 0

    init(_ results: ValuesAccessor) { self.results = results }

    /// Throws wherever `observe` of a collection traps.
    func begin(_ keyPaths: [String]?, _ deliver: @escaping (CollectionNotification) -> Void) throws -> InstanceToken {
        let token = try results.source.observe(keyPaths) { [self] notification in
            trapOnError {
                if let notification = try take(notification) { deliver(notification) }
            }
        }
        results.realm.onSkip(token) { [weak self] in try self?.skip() }
        return token
    }

    /// Returns nil if the observer need not be called.
    private func take(_ notification: CollectionNotification) throws -> CollectionNotification? {
        guard case .update(let difference) = notification, let old = shown else {
            try restart()
            return .initial
        }
        let elements = try values()
        let modified = try follow(difference, to: elements)
        self.elements = elements
        let new = try present()
        shown = new
        var changes = KeyDiff.between(old, new, isModified: modified.contains)
        changes.addModifications(atNew: new.indices.filter { modified.contains(new[$0]) })
        return changes.isEmpty ? nil : .update(.positions(changes))
    }

    /// Begins again with the present elements.
    private func restart() throws {
        keys = try presentKeys()
        elements = try values()
        numbers = elements.map { _ in next() }
        shown = try present()
    }

    /// Updates the state after a commit that skipped the observer.
    private func skip() throws { if shown != nil { try restart() } }

    /// Numbers the elements after a change. Returns the numbers of those that were modified.
    private func follow(
        _ difference: LiveCollectionChange.Difference, to new: [Value]
    ) throws -> Set<ObjectKey> {
        switch difference {
        case .positions(let changes):
            if let modified = follow(changes, to: new) { return modified }
            // An observer that is called at the begin of a write may have edited the collection before this one is
            // called, and the change that is reported later contains the edit, too.
            for change in new.difference(from: elements, by: Self.isSame) {
                switch change {
                case .remove(let offset, _, _): numbers.remove(at: offset)
                case .insert(let offset, _, _): numbers.insert(next(), at: offset)
                }
            }
            return []
        case .keys(let deletions, _, let modifications):
            let deleted = Set(deletions.map { MapKey($0) })
            let known = Dictionary(zip(keys.map { MapKey($0) }, numbers)) { first, _ in first }
            keys = try presentKeys()
            numbers = keys.map { key in
                let key = MapKey(key)
                return deleted.contains(key) ? next() : known[key] ?? next()
            }
            return Set(modifications.compactMap { known[MapKey($0)] })
        }
    }

    /// The same for a list or set; nil, without effect, if the changes do not lead to these elements.
    private func follow(_ changes: IndexChanges, to new: [Value]) -> Set<ObjectKey>? {
        guard numbers.count - changes.deletions.count + changes.insertions.count == new.count,
            (changes.deletions + changes.modifications).allSatisfy(numbers.indices.contains),
            changes.insertions.allSatisfy(new.indices.contains)
        else { return nil }
        let (modified, deleted) = (Set(changes.modifications), Set(changes.deletions))
        var followed: [ObjectKey] = []
        var (rest, inserted) = (numbers.indices.filter { !deleted.contains($0) }[...], changes.insertions[...])
        for (position, element) in new.enumerated() {
            if inserted.first == position {
                inserted.removeFirst()
                followed.append(next())
            } else if let old = rest.popFirst(), modified.contains(old) || Self.isSame(elements[old], element) {
                followed.append(numbers[old])
            } else {
                return nil
            }
        }
        defer { numbers = followed }
        return Set(changes.modifications.map { numbers[$0] })
    }

    private static func isSame(_ a: Value, _ b: Value) -> Bool { Value.order(a, b) == 0 }

    private func present() throws -> [ObjectKey] { try results.order(of: elements).map { numbers[$0] } }

    /// The collection's elements, also after `Realm.invalidate`; none after its owner was deleted.
    private func values() throws -> [Value] { try results.source.renewed()?.values() ?? [] }

    private func presentKeys() throws -> [String] {
        guard results.source.valuesType.collection == .map else { return [] }
        return try results.source.renewed()?.entries().entries.map(\.key) ?? []
    }

    private func next() -> ObjectKey {
        last += 1
        return ObjectKey(last)
    }
}
