/// The edit of one list, set or map.
package enum CollectionEdit: Hashable, Sendable {
    case list(ListEdit)
    case set(SetEdit)
    case map(MapEdit)

    /// Merges an edit that happened after this one. The kinds differ only when the property's type was changed; then
    /// the later edit replaces this one.
    package mutating func merge(_ later: CollectionEdit) {
        // `self` gives up its storage while the edit grows: edits arrive one by one, and each would copy all before it.
        switch later {
        case .list(let next):
            guard case .list(var edit) = self else { return self = later }
            self = .list(ListEdit())
            edit.merge(next)
            self = .list(edit)
        case .set(let next):
            guard case .set(var edit) = self else { return self = later }
            self = .set(SetEdit())
            edit.merge(next)
            self = .set(edit)
        case .map(let next):
            guard case .map(var edit) = self else { return self = later }
            self = .map(MapEdit())
            edit.merge(next)
            self = .map(edit)
        }
    }

    /// The edit that undoes this one.
    package var inverted: CollectionEdit {
        switch self {
        case .list(let edit): .list(edit.inverted)
        case .set(let edit): .set(SetEdit(deletions: edit.insertions, insertions: edit.deletions))
        case .map(let edit):
            .map(
                MapEdit(
                    deletions: edit.insertions, insertions: edit.deletions, modifications: edit.modifications))
        }
    }

    /// The approximate memory of the edit, in bytes.
    package var sizeEstimate: Int {
        switch self {
        case .list(let edit):
            16 * (edit.deletions.runs.count + edit.insertions.runs.count + edit.modifications.runs.count)
        case .set(let edit): 32 * (edit.deletions.count + edit.insertions.count)
        case .map(let edit): 48 * (edit.deletions.count + edit.insertions.count + edit.modifications.count)
        }
    }

    package var isEmpty: Bool {
        switch self {
        case .list(let edit): edit.isEmpty
        case .set(let edit): edit.isEmpty
        case .map(let edit): edit.isEmpty
        }
    }
}

/// The edit of a set. Its elements are distinguished by `Value.order(_:_:)`; structural equality is enough here because
/// a set returns the elements that it holds.
package struct SetEdit: Hashable, Sendable {
    package private(set) var deletions: EditedElements
    package private(set) var insertions: EditedElements

    package init(deletions: EditedElements = [], insertions: EditedElements = []) {
        self.deletions = deletions
        self.insertions = insertions
    }

    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty }

    package mutating func recordInsertion(_ value: Value) {
        if !deletions.remove(value) { insertions.insert(value) }
    }

    package mutating func recordDeletion(_ value: Value) {
        if !insertions.remove(value) { deletions.insert(value) }
    }

    package mutating func merge(_ later: SetEdit) {
        for value in later.deletions { recordDeletion(value) }
        for value in later.insertions { recordInsertion(value) }
    }
}

/// The edit of a map, by its keys.
package struct MapEdit: Hashable, Sendable {
    /// Keys that existed before and were removed.
    package private(set) var deletions: Set<MapKey> = []
    /// Keys that exist after and were added. One that was removed and added again is in both sets.
    package private(set) var insertions: Set<MapKey> = []
    /// Keys that existed throughout and whose value was assigned.
    package private(set) var modifications: Set<MapKey> = []

    package init() {}

    package init(deletions: Set<MapKey>, insertions: Set<MapKey>, modifications: Set<MapKey>) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
    }

    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    package mutating func recordInsertion(_ key: MapKey) { insertions.insert(key) }

    package mutating func recordModification(_ key: MapKey) {
        if !insertions.contains(key) { modifications.insert(key) }
    }

    package mutating func recordDeletion(_ key: MapKey) {
        modifications.remove(key)
        if insertions.remove(key) == nil { deletions.insert(key) }
    }

    package mutating func merge(_ later: MapEdit) {
        for key in later.deletions { recordDeletion(key) }
        for key in later.insertions { recordInsertion(key) }
        for key in later.modifications { recordModification(key) }
    }
}

extension SetEdit {
    /// The difference between two sets. Cost: some passes over both, and the memory of what differs; none where nothing
    /// is equal.
    package init(from before: [Value], to after: [Value]) {
        guard Value.isSet(before), Value.isSet(after) else {
            let (was, now) = (Set(before), Set(after))
            self.init(
                deletions: EditedElements(was.subtracting(now)), insertions: EditedElements(now.subtracting(was)))
            return
        }
        var (gone, come): ([Value], [Value]) = ([], [])
        // Two passes: the first finds out whether they have anything in common.
        let common = Self.forEachDifference(before, after, gone: { _ in }, come: { _ in })
        guard common > 0 else {
            self.init(deletions: EditedElements(ordered: before), insertions: EditedElements(ordered: after))
            return
        }
        gone.reserveCapacity(before.count - common)
        come.reserveCapacity(after.count - common)
        Self.forEachDifference(before, after, gone: { gone.append($0) }, come: { come.append($0) })
        self.init(deletions: EditedElements(ordered: gone), insertions: EditedElements(ordered: come))
    }

    /// Returns the number of elements that both have.
    @discardableResult
    private static func forEachDifference(
        _ before: [Value], _ after: [Value], gone: (Value) -> Void, come: (Value) -> Void
    ) -> Int {
        var (i, j, common) = (0, 0, 0)
        while i < before.count || j < after.count {
            let order = i == before.count ? 1 : j == after.count ? -1 : Value.order(before[i], after[j])
            if order == 0, before[i] == after[j] {
                common += 1
            } else {
                // Equal in order alone are numbers of different types: one goes, the other comes.
                if order <= 0 { gone(before[i]) }
                if order >= 0 { come(after[j]) }
            }
            if order <= 0 { i += 1 }
            if order >= 0 { j += 1 }
        }
        return common
    }
}

extension MapEdit {
    /// The difference between two maps. Cost: one pass over the sorted keys of both.
    ///
    /// - Parameter assignsEqual: whether a key with an unchanged value counts as assigned.
    package init(from before: ValueMap, to after: ValueMap, assignsEqual: Bool = false) {
        self.init()
        let (old, new) = (before.entries, after.entries)
        if old.isEmpty { insertions.reserveCapacity(new.count) }
        if new.isEmpty { deletions.reserveCapacity(old.count) }
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            let order =
                i == old.count ? 1 : j == new.count ? -1 : Value.orderBytes(old[i].key, new[j].key)
            if order < 0 {
                deletions.insert(MapKey(old[i].key))
            } else if order > 0 {
                insertions.insert(MapKey(new[j].key))
            } else if assignsEqual || old[i].value != new[j].value {
                modifications.insert(MapKey(old[i].key))
            }
            if order <= 0 { i += 1 }
            if order >= 0 { j += 1 }
        }
    }
}

/// A map's key, compared and ordered by its bytes.
package struct MapKey: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) { self.text = text }
    package init(stringLiteral text: String) { self.text = text }

    package static func == (a: MapKey, b: MapKey) -> Bool { Value.orderBytes(a.text, b.text) == 0 }
    package static func < (a: MapKey, b: MapKey) -> Bool { Value.orderBytes(a.text, b.text) < 0 }
    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension CollectionEdit {
    /// The edit that assigning a whole collection property makes; nil for single properties: their mixed values may
    /// hold collections too, but are replaced as one value.
    package init?(replacing old: Value, with new: Value, in type: PropertyType) {
        guard type.isCollection else { return nil }
        switch (old, new) {
        case (.list(let before), .list(let after)):
            self = .list(ListEdit(replacing: before.count, with: after.count))
        case (.set(let before), .set(let after)):
            self = .set(SetEdit(from: before, to: after))
        case (.dictionary(let before), .dictionary(let after)):
            self = .map(MapEdit(from: before, to: after, assignsEqual: true))
        default: return nil
        }
    }

    /// The difference between two collections by their contents; nil if they are equal or of different kinds.
    package init?(from old: Value, to new: Value) {
        switch (old, new) {
        case (.list(let before), .list(let after)): self = .list(ListEdit(from: before, to: after))
        case (.set(let before), .set(let after)): self = .set(SetEdit(from: before, to: after))
        case (.dictionary(let before), .dictionary(let after)): self = .map(MapEdit(from: before, to: after))
        default: return nil
        }
        if isEmpty { return nil }
    }
}
