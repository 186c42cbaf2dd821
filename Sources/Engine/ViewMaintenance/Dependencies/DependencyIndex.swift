package import ObjectModel

/// Finds the views that a change can affect, by number. Cost of a look-up: the changes, the objects on the paths from
/// them back to watched objects, once for all views with the same paths, and the views found. Views that watch the objects which satisfy a condition cost nothing
/// when no changed object does.
package struct DependencyIndex {
    private var byClass: [ClassID: Set<Int>] = [:]
    private var byCondition: [ClassID: [ChangePaths: ConditionIndex]] = [:]
    private var byObject: [ClassID: [ObjectKey: Set<Int>]] = [:]
    private var byTree: [DependencyTree: [ObjectKey: Set<Int>]] = [:]
    /// The entries of views in the indexes of conditions.
    private var entries: [Int: [LiveWatch: Int]] = [:]
    private var known: [Int: Set<LiveWatch>] = [:]
    private var knownClasses: Set<ClassID>?

    package init() {}

    package mutating func forget(_ number: Int) { set([], for: number) }

    /// Replaces the watches of a view.
    package mutating func set(_ watches: Set<LiveWatch>, for id: Int) {
        let before = known[id] ?? []
        guard before != watches else { return }
        for watch in before.subtracting(watches) { remove(watch, id) }
        for watch in watches.subtracting(before) { add(watch, id) }
        known[id] = watches.isEmpty ? nil : watches
        knownClasses = nil
    }

    /// The classes of the watched objects.
    package mutating func classes() -> Set<ClassID> {
        if let knownClasses { return knownClasses }
        let classes = known.values.reduce(into: Set<ClassID>()) { $0.formUnion($1.classes) }
        knownClasses = classes
        return classes
    }

    /// The numbers of the views that a step can affect, if the schema is unchanged.
    package func affected(by step: VersionDelta) -> Set<Int> {
        var affected: Set<Int> = []
        for (tree, subjects) in byTree where tree.isTouched(by: step.changes) {
            // Where the paths cannot be followed, the views that try themselves get the error.
            if let roots = try? step.fewRoots(of: tree) {
                for key in roots { affected.formUnion(subjects[key] ?? []) }
            } else {
                for ids in subjects.values { affected.formUnion(ids) }
            }
        }
        for (classID, conditions) in byCondition {
            for (paths, index) in conditions {
                affected.formUnion(index.affected(by: step, of: classID, along: paths))
            }
        }
        for (classID, changes) in step.changes.classes {
            if let subjects = byClass[classID] { affected.formUnion(subjects) }
            guard let subjects = byObject[classID] else { continue }
            if subjects.count < changes.count {
                for (key, ids) in subjects where changes.contains(key) { affected.formUnion(ids) }
            } else {
                for key in changes.modifications.keys { affected.formUnion(subjects[key] ?? []) }
                for key in changes.insertions { affected.formUnion(subjects[key] ?? []) }
                for key in changes.deletions { affected.formUnion(subjects[key] ?? []) }
            }
        }
        return affected
    }

    private mutating func add(_ watch: LiveWatch, _ id: Int) {
        switch watch {
        case .objects(let classID): byClass[classID, default: []].insert(id)
        case .satisfying(let classID, let conditions, let paths):
            entries[id, default: [:]][watch] = byCondition[classID, default: [:]][paths, default: ConditionIndex()]
                .add(conditions, of: id)
        case .object(let object): byObject[object.classID, default: [:]][object.key, default: []].insert(id)
        case .paths(let tree, let key): byTree[tree, default: [:]][key, default: []].insert(id)
        }
    }

    private mutating func remove(_ watch: LiveWatch, _ id: Int) {
        switch watch {
        case .objects(let classID):
            byClass[classID]?.remove(id)
            if byClass[classID]?.isEmpty == true { byClass[classID] = nil }
        case .satisfying(let classID, let conditions, let paths):
            guard let entry = entries[id]?.removeValue(forKey: watch) else { return }
            if entries[id]?.isEmpty == true { entries[id] = nil }
            byCondition[classID]?[paths]?.remove(conditions, of: entry)
            if byCondition[classID]?[paths]?.isEmpty == true { byCondition[classID]?[paths] = nil }
            if byCondition[classID]?.isEmpty == true { byCondition[classID] = nil }
        case .object(let object):
            byObject[object.classID]?[object.key]?.remove(id)
            if byObject[object.classID]?[object.key]?.isEmpty == true { byObject[object.classID]?[object.key] = nil }
            if byObject[object.classID]?.isEmpty == true { byObject[object.classID] = nil }
        case .paths(let tree, let key):
            byTree[tree]?[key]?.remove(id)
            if byTree[tree]?[key]?.isEmpty == true { byTree[tree]?[key] = nil }
            if byTree[tree]?.isEmpty == true { byTree[tree] = nil }
        }
    }
}

/// A set of objects whose changes can affect a view.
package enum LiveWatch: Hashable, Sendable {
    /// Any object of a class.
    case objects(of: ClassID)
    /// The objects of a class that satisfy one of the conditions before or after the change, with what the paths lead
    /// to from them.
    case satisfying(of: ClassID, [MembershipCondition], ChangePaths)
    /// One object, and no other of its class.
    case object(ObjectReference)
    /// The objects on the paths from one object of the tree's class.
    case paths(DependencyTree, from: ObjectKey)
}

extension Set<LiveWatch> {
    /// The classes of the watched objects.
    package var classes: Set<ClassID> {
        reduce(into: []) { classes, watch in
            switch watch {
            case .objects(let classID): classes.insert(classID)
            case .satisfying(let classID, _, let paths):
                classes.insert(classID)
                classes.formUnion(paths.classes)
            case .object(let object): classes.insert(object.classID)
            case .paths(let tree, _): classes.formUnion(tree.nodes.lazy.map(\.classID))
            }
        }
    }
}

extension LiveWatch {
    /// Whether the changes can concern a watched object. It may be another one that satisfies no condition.
    package func isTouched(by changes: ChangeSet) -> Bool {
        switch self {
        case .objects(let classID): changes.classes[classID] != nil
        case .satisfying(let classID, _, let paths):
            changes.classes[classID] != nil || paths.isTouched(by: changes)
        case .object(let object): changes.classes[object.classID]?.contains(object.key) == true
        case .paths(let tree, _): tree.isTouched(by: changes)
        }
    }
}

extension ClassChanges {
    fileprivate var count: Int { modifications.count + insertions.count + deletions.count }

    fileprivate func contains(_ key: ObjectKey) -> Bool {
        modifications[key] != nil || insertions.contains(key) || deletions.contains(key)
    }
}
