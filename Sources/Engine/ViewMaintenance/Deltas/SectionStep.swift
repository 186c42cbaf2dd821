package import ObjectModel
import QueryOperators
import StoreContract

/// The change of a sectioned result by one delta, the same for all of its observers.
package struct SectionStep {
    package let old: SectionList
    package let new: SectionList
    package let oldPaths: SectionPathFinder
    package let newPaths: SectionPathFinder
    /// Old positions in the result of elements that stayed there and now belong to another section, with the distinct
    /// form of that section's key.
    package let rekeyed: [Int: Value]
    /// The search for single elements in sections that were reported before; nil where all elements are read.
    package let earlierSearch: SectionPathFinder.Search?

    private static let searchMinimum = 64
    private static let searchShare = 256

    /// Follows a result from one state to the next.
    ///
    /// - Parameters:
    ///   - indices: the difference of the results.
    ///   - affectedKeys: the objects that may belong to another section, as far as they are known.
    ///   - fromScratch: computes the sections from scratch.
    package init(
        _ old: SectionList, _ step: VersionDelta, from before: ResultState, to after: ResultState,
        _ indices: IndexChanges, affectedKeys: AffectedKeys?, _ reader: SectionKeyReader,
        fromScratch: () throws -> SectionList
    ) throws {
        // Where the store released the earlier version, the new one and the old sections suffice.
        let found = try VersionDelta.ifRetained { () -> Self? in
            guard case .objects(let affectedKeys)? = affectedKeys, before.isOrdered, after.isOrdered else { return nil }
            let touched = affectedKeys.count + indices.deletions.count + indices.insertions.count
            guard touched <= Self.searchMinimum + before.keys.count / Self.searchShare else { return nil }
            return try Self(searching: old, step, before, after, indices, affectedKeys, reader)
        }
        if let found = found ?? nil {
            self = found
            return
        }
        self.init(comparing: old, before.keys, try fromScratch(), after.keys, indices)
    }

    /// Examines only the affected objects.
    private init?(
        searching old: SectionList, _ step: VersionDelta, _ before: ResultState, _ after: ResultState,
        _ indices: IndexChanges, _ affectedKeys: Set<ObjectKey>, _ reader: SectionKeyReader
    ) throws {
        let positions = PositionReader(after.order, step, touched: affectedKeys)
        let earlier = SectionPathFinder.Search(
            order: before.order, position: { try positions.before($0) },
            form: { try reader.name(of: $1, step.before).distinctForm })
        let later = SectionPathFinder.Search(
            order: after.order, position: { try positions.after($0) },
            form: { try reader.name(of: $1, step.after).distinctForm })
        let oldPaths = SectionPathFinder(old, of: before.keys, earlier)

        var removals: [SectionPath] = []
        var arrivals: [SectionArrival] = []
        var renames: [Int: Value] = [:]
        var rekeyed: [Int: Value] = [:]
        func remove(_ position: Int) throws -> Bool {
            guard let path = try oldPaths.path(at: position) else {
                assertionFailure("The sections are not those of the result.")
                return false
            }
            removals.append(path)
            return true
        }
        for position in indices.deletions { guard try remove(position) else { return nil } }
        for position in indices.insertions {
            let key = after.keys[position]
            arrivals.append(SectionArrival(key: key, name: try reader.name(of: key, step.after)))
        }
        for position in try before.positions(of: affectedKeys, step.before)
        where indices.newIndex(ofOld: position) != nil {
            let key = before.keys[position]
            let name = try reader.name(of: key, step.after)
            let form = try reader.name(of: key, step.before).distinctForm
            if name.distinctForm != form {
                rekeyed[position] = form
                guard try remove(position) else { return nil }
                arrivals.append(SectionArrival(key: key, name: name))
            } else if let section = old.index(of: form), old.sections[section].rows.first == key {
                renames[section] = name
            }
        }
        var new = old
        if !(removals.isEmpty && arrivals.isEmpty && renames.isEmpty) {
            try new.edit(
                removing: removals, adding: arrivals, renaming: renames, by: after.order, { try positions.after($0) },
                name: { try reader.name(of: $0, step.after) })
        }
        self.old = old
        self.new = new
        self.oldPaths = oldPaths
        newPaths = SectionPathFinder(new, of: after.keys, later)
        self.rekeyed = rekeyed
        earlierSearch = earlier
    }

    /// Examines all objects.
    private init(
        comparing old: SectionList, _ before: KeySequence, _ new: SectionList, _ after: KeySequence,
        _ indices: IndexChanges
    ) {
        self.old = old
        self.new = new
        oldPaths = SectionPathFinder(old, of: before, nil)
        newPaths = SectionPathFinder(new, of: after, nil)
        earlierSearch = nil
        var owners: [ObjectKey: Value] = Dictionary(minimumCapacity: after.count)
        for (index, section) in new.sections.enumerated() {
            let form = new.form(of: index)
            for key in section.rows { owners[key] = form }
        }
        var forms: [ObjectKey: Value] = [:]
        for (index, section) in old.sections.enumerated() {
            let form = old.form(of: index)
            for key in section.rows where owners[key].map({ $0 != form }) == true { forms[key] = form }
        }
        var rekeyed: [Int: Value] = [:]
        if !forms.isEmpty {
            for (position, key) in before.enumerated() {
                guard let form = forms[key], indices.newIndex(ofOld: position) != nil else { continue }
                rekeyed[position] = form
            }
        }
        self.rekeyed = rekeyed
    }
}

extension SectionStep {
    /// The inverse change. `indices` are those of this change.
    package func reversed(_ indices: IndexChanges) -> SectionStep {
        var back: [Int: Value] = [:]
        for position in rekeyed.keys {
            // The sections themselves have the element's former section.
            if let other = indices.newIndex(ofOld: position) { back[other] = .null }
        }
        return SectionStep(
            old: new, new: old, oldPaths: newPaths, newPaths: oldPaths, rekeyed: back,
            earlierSearch: nil)
    }

    private init(
        old: SectionList, new: SectionList, oldPaths: SectionPathFinder, newPaths: SectionPathFinder,
        rekeyed: [Int: Value], earlierSearch: SectionPathFinder.Search?
    ) {
        self.old = old
        self.new = new
        self.oldPaths = oldPaths
        self.newPaths = newPaths
        self.rekeyed = rekeyed
        self.earlierSearch = earlierSearch
    }
}
