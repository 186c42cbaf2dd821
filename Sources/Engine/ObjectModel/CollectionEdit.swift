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
    package var deletions: Set<Value> = []
    package var insertions: Set<Value> = []

    package init(deletions: Set<Value> = [], insertions: Set<Value> = []) {
        self.deletions = deletions
        self.insertions = insertions
    }

    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty }

    package mutating func recordInsertion(_ value: Value) {
        if deletions.remove(value) == nil { insertions.insert(value) }
    }

    package mutating func recordDeletion(_ value: Value) {
        if insertions.remove(value) == nil { deletions.insert(value) }
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
    /// The difference between two sets. Cost: both.
    package init(from before: [Value], to after: [Value]) {
        let (was, now) = (Set(before), Set(after))
        self.init(deletions: was.subtracting(now), insertions: now.subtracting(was))
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
