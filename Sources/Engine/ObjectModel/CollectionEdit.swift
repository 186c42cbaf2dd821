import Basics

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
    package private(set) var deletions: EditedElements<Value>
    package private(set) var insertions: EditedElements<Value>

    package init(deletions: EditedElements<Value> = [], insertions: EditedElements<Value> = []) {
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
    package private(set) var deletions: EditedElements<MapKey> = []
    /// Keys that exist after and were added. One that was removed and added again is in both sets.
    package private(set) var insertions: EditedElements<MapKey> = []
    /// Keys that existed throughout and whose value was assigned.
    package private(set) var modifications: EditedElements<MapKey> = []

    package init() {}

    package init(
        deletions: EditedElements<MapKey>, insertions: EditedElements<MapKey>, modifications: EditedElements<MapKey>
    ) {
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
        _ = modifications.remove(key)
        if !insertions.remove(key) { deletions.insert(key) }
    }

    package mutating func merge(_ later: MapEdit) {
        for key in later.deletions { recordDeletion(key) }
        for key in later.insertions { recordInsertion(key) }
        for key in later.modifications { recordModification(key) }
    }
}

extension SetEdit {
    /// The difference between two sets. Cost: two passes over both, and the memory of what differs; none where nothing
    /// is equal.
    package init(from before: [Value], to after: [Value]) {
        guard Value.isSet(before), Value.isSet(after) else {
            let (was, now) = (Set(before), Set(after))
            self.init(
                deletions: EditedElements(was.subtracting(now)), insertions: EditedElements(now.subtracting(was)))
            return
        }
        func order(_ i: Int, _ j: Int) -> Int { Value.order(before[i], after[j]) }
        // Equal in order alone are numbers of different types: one goes, the other comes.
        func isShared(_ i: Int, _ j: Int) -> Bool { before[i] == after[j] }
        var common = 0
        forEachPair(before.count, after.count, order) { i, j in
            if let i, let j, isShared(i, j) { common += 1 }
        }
        guard common > 0 else {
            self.init(deletions: EditedElements(ordered: before), insertions: EditedElements(ordered: after))
            return
        }
        var (deleted, inserted): ([Value], [Value]) = ([], [])
        deleted.reserveCapacity(before.count - common)
        inserted.reserveCapacity(after.count - common)
        forEachPair(before.count, after.count, order) { i, j in
            if let i, let j, isShared(i, j) { return }
            if let i { deleted.append(before[i]) }
            if let j { inserted.append(after[j]) }
        }
        self.init(deletions: EditedElements(ordered: deleted), insertions: EditedElements(ordered: inserted))
    }
}

extension MapEdit {
    /// The difference between two maps. Cost: two passes over the sorted keys of both, and the memory of the keys that
    /// differ.
    ///
    /// - Parameter assignsEqual: whether a key with an unchanged value counts as assigned.
    package init(from before: ValueMap, to after: ValueMap, assignsEqual: Bool = false) {
        let (old, new) = (before.entries, after.entries)
        func order(_ i: Int, _ j: Int) -> Int { Value.orderBytes(old[i].key, new[j].key) }
        func isAssigned(_ i: Int, _ j: Int) -> Bool { assignsEqual || old[i].value != new[j].value }
        var (common, assigned) = (0, 0)
        forEachPair(old.count, new.count, order) { i, j in
            guard let i, let j else { return }
            common += 1
            if isAssigned(i, j) { assigned += 1 }
        }
        var (deleted, inserted, changed): ([MapKey], [MapKey], [MapKey]) = ([], [], [])
        deleted.reserveCapacity(old.count - common)
        inserted.reserveCapacity(new.count - common)
        changed.reserveCapacity(assigned)
        forEachPair(old.count, new.count, order) { i, j in
            switch (i, j) {
            case (let i?, nil): deleted.append(MapKey(old[i].key))
            case (nil, let j?): inserted.append(MapKey(new[j].key))
            case (let i?, let j?): if isAssigned(i, j) { changed.append(MapKey(old[i].key)) }
            case (nil, nil): break
            }
        }
        self.init(
            deletions: EditedElements(ordered: deleted), insertions: EditedElements(ordered: inserted),
            modifications: EditedElements(ordered: changed))
    }
}

/// Steps through two sorted collections side by side: calls `body` with the positions of those that are equal in order,
/// or with the one position of what only one of them has. Cost: one pass over both.
private func forEachPair(
    _ before: Int, _ after: Int, _ order: (Int, Int) -> Int, _ body: (_ before: Int?, _ after: Int?) -> Void
) {
    var (i, j) = (0, 0)
    while i < before || j < after {
        let order = i == before ? 1 : j == after ? -1 : order(i, j)
        body(order <= 0 ? i : nil, order >= 0 ? j : nil)
        if order <= 0 { i += 1 }
        if order >= 0 { j += 1 }
    }
}

/// A map's key, compared and ordered by its bytes.
package struct MapKey: EditedElement, Comparable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) { self.text = text }
    package init(stringLiteral text: String) { self.text = text }

    package static func == (a: MapKey, b: MapKey) -> Bool { order(a, b) == 0 }
    package static func < (a: MapKey, b: MapKey) -> Bool { order(a, b) < 0 }
    package static func order(_ a: MapKey, _ b: MapKey) -> Int { Value.orderBytes(a.text, b.text) }
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
