import ObjectModel
import QueryOperators
import StoreContract

/// Finds, among the views of one class that have membership conditions and the same paths to other objects, those that
/// changed objects can matter to.
///
/// Cost of a look-up: for each changed object, and each of those that a path leads from to a changed one, a value for
/// each path and property with conditions, before and after, and a hash and a search for each of these values; and the
/// views found. Memory: an entry for each view, or for each of the values in its conditions.
struct ConditionIndex {
    /// A property with links, and the class at its other end.
    private struct Link: Hashable {
        let property: PropertyID
        let classID: ClassID
    }

    private var byValue: [ConditionPath: [Value: Set<Int>]] = [:]
    private var byRange: [ConditionPath: IntervalIndex] = [:]
    private var byBeginning: [ConditionPath: PrefixIndex] = [:]
    /// By the object that a property of the class links to.
    private var byTarget: [Link: [ObjectKey: Set<Int>]] = [:]
    /// By the object whose property links to one of the class.
    private var byHolder: [Link: [ObjectKey: Set<Int>]] = [:]
    /// The view of each entry. A view has an entry for each of its watches: an answer of two parts has two.
    private var viewOf: [Int: Int] = [:]
    private var next = 0

    var isEmpty: Bool { viewOf.isEmpty }

    /// With more changed objects in one step all views are asked: reading their values would cost more than asking.
    /// Fewer are looked up even where they are many, as after commits that waited for each other: asking costs a test of
    /// each changed object in each view, so that who is behind would fall further behind.
    private var fewChanges: Int { max(64, viewOf.count) }

    /// Returns the number of the new entry.
    @discardableResult
    mutating func add(_ conditions: [MembershipCondition], of view: Int) -> Int {
        next += 1
        viewOf[next] = view
        add(conditions, as: next)
        return next
    }

    private mutating func add(_ conditions: [MembershipCondition], as entry: Int) {
        for condition in conditions {
            switch condition {
            case .oneOf(let path, let values):
                for value in values { byValue[path, default: [:]].insert(entry, for: value) }
            case .within(let path, let range): byRange[path, default: IntervalIndex()].add(range, of: entry)
            case .beginning(let path, let bytes): byBeginning[path, default: PrefixIndex()].add(bytes, of: entry)
            case .linking(let property, let target):
                byTarget[Link(property: property, classID: target.classID), default: [:]].insert(entry, for: target.key)
            case .element(let holder, let property):
                byHolder[Link(property: property, classID: holder.classID), default: [:]].insert(entry, for: holder.key)
            }
        }
    }

    /// - Parameter entry: the number that `add` returned for the conditions.
    mutating func remove(_ conditions: [MembershipCondition], of entry: Int) {
        viewOf[entry] = nil
        for condition in conditions {
            switch condition {
            case .oneOf(let path, let values):
                for value in values { byValue[path]?.remove(entry, for: value) }
                if byValue[path]?.isEmpty == true { byValue[path] = nil }
            case .within(let path, _):
                byRange[path]?.remove(entry)
                if byRange[path]?.isEmpty == true { byRange[path] = nil }
            case .beginning(let path, let bytes):
                byBeginning[path]?.remove(bytes, of: entry)
                if byBeginning[path]?.isEmpty == true { byBeginning[path] = nil }
            case .linking(let property, let target):
                let link = Link(property: property, classID: target.classID)
                byTarget[link]?.remove(entry, for: target.key)
                if byTarget[link]?.isEmpty == true { byTarget[link] = nil }
            case .element(let holder, let property):
                let link = Link(property: property, classID: holder.classID)
                byHolder[link]?.remove(entry, for: holder.key)
                if byHolder[link]?.isEmpty == true { byHolder[link] = nil }
            }
        }
    }

    /// The views one of whose conditions a changed object of the class satisfies before or after the step, or an object
    /// from which a path leads to a changed one; all views where the values cannot be read, so that they meet the error
    /// themselves.
    func affected(by step: VersionDelta, of classID: ClassID, along paths: ChangePaths) -> Set<Int> {
        let own = step.changes.classes[classID] ?? ClassChanges()
        do {
            guard let roots = paths.isTouched(by: step.changes) ? try paths.roots(by: step) : [],
                own.modifications.count + own.insertions.count + own.deletions.count + roots.count <= fewChanges
            else { return Set(viewOf.values) }
            var found: Set<Int> = []
            func collect(_ key: ObjectKey, isAfter: Bool) throws {
                try self.collect(&found, DeltaSide(step, ObjectReference(classID, key), isAfter: isAfter))
            }
            for key in own.modifications.keys {
                try collect(key, isAfter: false)
                try collect(key, isAfter: true)
            }
            for key in roots where own.modifications[key] == nil {
                try collect(key, isAfter: false)
                try collect(key, isAfter: true)
            }
            for key in own.insertions { try collect(key, isAfter: true) }
            for key in own.deletions { try collect(key, isAfter: false) }
            return Set(found.lazy.compactMap { viewOf[$0] })
        } catch {
            return Set(viewOf.values)
        }
    }

    /// Adds the entries one of whose conditions an object satisfies.
    private func collect(_ found: inout Set<Int>, _ object: DeltaSide) throws {
        for (path, entries) in byValue {
            if let value = try object.value(path), let entries = entries[value.distinctForm] {
                found.formUnion(entries)
            }
        }
        for (path, intervals) in byRange {
            guard let own = try object.value(path) else { continue }
            if let number = own.roundedDouble {
                intervals.collect(containing: number, &found)
            } else if !own.isNull, !own.isNaN {
                // A null and a NaN are in no order with others; which interval another value is in is not known here.
                intervals.collectAll(&found)
            }
        }
        for (path, prefixes) in byBeginning {
            if let bytes = try object.value(path)?.bytes { prefixes.collect(beginning: bytes, &found) }
        }
        for (link, entries) in byTarget {
            for target in try object.value(link.property).linkedKeys(in: link.classID) {
                if let entries = entries[target] { found.formUnion(entries) }
            }
        }
        for (link, entries) in byHolder {
            for holder in try object.holders(in: link.classID, link.property) {
                if let entries = entries[holder] { found.formUnion(entries) }
            }
        }
    }
}

/// An object in one of the two states of a delta.
private struct DeltaSide {
    private let step: VersionDelta
    private let object: ObjectReference
    private let isAfter: Bool

    init(_ step: VersionDelta, _ object: ObjectReference, isAfter: Bool) {
        self.step = step
        self.object = object
        self.isAfter = isAfter
    }

    func value(_ property: PropertyID) throws -> Value { try value(object, property) }

    /// The value at the end of a path; nil where a link on it is null.
    func value(_ path: ConditionPath) throws -> Value? {
        var object = object
        for link in path.links {
            guard case .link(let key) = try value(object, link.property) else { return nil }
            object = ObjectReference(link.target, key)
        }
        return try value(object, path.property)
    }

    func holders(in origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        try (isAfter ? step.after : step.before).backlinks(to: object, from: origin, property)
    }

    private func value(_ object: ObjectReference, _ property: PropertyID) throws -> Value {
        isAfter
            ? try step.valueAfter(object.classID, object.key, property)
            : try step.valueBefore(object.classID, object.key, property)
    }
}

/// Entries by something that several of them have in common.
extension Dictionary where Value == Set<Int> {
    mutating func insert(_ entry: Int, for key: Key) { self[key, default: []].insert(entry) }

    mutating func remove(_ entry: Int, for key: Key) {
        self[key]?.remove(entry)
        if self[key]?.isEmpty == true { self[key] = nil }
    }
}
