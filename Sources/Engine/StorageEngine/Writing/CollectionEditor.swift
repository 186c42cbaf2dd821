import StoredRecords
import Columnar
package import ObjectModel
import StoreContract

/// Performs one operation on a list, set or map in a member transaction.
package struct CollectionEditor {
    private let member: MemberTransaction
    private let objectClass: MutableClass
    private let key: ObjectKey
    private let column: ColumnLayout

    package init(_ member: MemberTransaction, _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout) {
        self.member = member
        self.objectClass = objectClass
        self.key = key
        self.column = column
    }

    /// Performs the operation; returns whether it changed anything.
    func perform(_ operation: CollectionOperation) throws -> Bool {
        switch (operation, column.kind) {
        case (.insert(let value, at: let position), .list): try insert(value, at: position)
        case (.append(let value), .list): try insert(value, at: try count)
        case (.replace(let value, at: let position), .list):
            try check(position, below: try count)
            try replace(at: position, with: value)
        case (.remove(at: let position), .list):
            try check(position, below: try count)
            try remove(at: position)
        case (.move(let from, let to), .list): return try move(from, to)
        case (.add(let value), .set): return try add(value)
        case (.removeElement(let value), .set):
            let (position, found) = try collection.search(value)
            guard found else { return false }
            try remove(at: position)
        case (.put(let value, key: let mapKey), .map): try put(value, mapKey)
        case (.removeKey(let mapKey), .map):
            let (position, found) = try collection.search(key: mapKey)
            guard found else { return false }
            try remove(at: position)
        case (.removeAll, _): return try removeAll()
        default: throw StoreError.notACollection(column.property, in: objectClass.schema)
        }
        return true
    }

    // MARK: Operations

    private func insert(_ value: Value, at position: Int) throws {
        try check(position, below: try count + 1)
        try check(value)
        try insert(try member.materialised(value, column), mapKey: nil, at: position)
        record { $0.recordInsertion(at: position) }
    }

    /// Replaces an element of a list, or the value of an existing key.
    private func replace(at position: Int, with value: Value) throws {
        let old = try collection.value(at: position)
        try member.rules.checkElement(value, for: column.property, of: objectClass.schema) { .link($0) == old }
        try exchange(at: position, for: value)
        if column.ownsTarget { try member.removeOwned(old, except: try collection.value(at: position), column) }
    }

    /// Replaces an element and ignores the objects that the old one owned.
    package func exchange(at position: Int, for value: Value) throws {
        let mapKey = column.kind == .map ? try collection.key(at: position) : nil
        let new = try member.materialised(value, column)
        let old = try member.session.replace(at: position, with: new, objectClass, key, column)
        member.record(.replaced(objectClass, key, column, position: position, old: old))
        redo(.replaced(new, at: position))
        if let mapKey {
            record(.map(MapEdit(deletions: [], insertions: [], modifications: [MapKey(mapKey)])))
        } else {
            record { $0.recordModification(at: position) }
        }
    }

    /// Removes an element, and the embedded object that it is.
    private func remove(at position: Int) throws {
        let old = try takeOut(at: position)
        if column.ownsTarget { try member.removeOwned(old.value, except: .null, column) }
    }

    /// Removes an element and ignores the objects that it owned.
    @discardableResult
    package func takeOut(at position: Int) throws -> (value: Value, mapKey: String?) {
        let old = try takeOutUnrecorded(at: position)
        redo(.removed(at: position))
        switch column.kind {
        case .set: record(.set(SetEdit(deletions: [old.value])))
        case .map: record(.map(MapEdit(deletions: [MapKey(old.mapKey ?? "")], insertions: [], modifications: [])))
        default: record { $0.recordDeletion(at: position) }
        }
        return old
    }

    private func takeOutUnrecorded(at position: Int) throws -> (value: Value, mapKey: String?) {
        let old = try member.session.removeElement(at: position, objectClass, key, column)
        member.record(.removed(objectClass, key, column, position: position, mapKey: old.mapKey, old: old.value))
        return old
    }

    private func move(_ from: Int, _ to: Int) throws -> Bool {
        try check(from, below: try count)
        try check(to, below: try count)
        guard from != to else { return false }
        let old = try takeOutUnrecorded(at: from)
        try insertUnrecorded(old.value, mapKey: nil, at: to)
        redo(.moved(from: from, to: to))
        record { $0.recordMove(from: from, to: to) }
        return true
    }

    private func add(_ value: Value) throws -> Bool {
        try check(value)
        let (position, found) = try collection.search(value)
        guard !found else { return false }
        try insert(value, mapKey: nil, at: position)
        record(.set(SetEdit(insertions: [value])))
        return true
    }

    private func put(_ value: Value, _ mapKey: String) throws {
        try member.rules.check(mapKey: mapKey, column.property, objectClass.schema)
        let (position, found) = try collection.search(key: mapKey)
        if found { return try replace(at: position, with: value) }
        try check(value)
        try insert(try member.materialised(value, column), mapKey: mapKey, at: position)
        record(.map(MapEdit(deletions: [], insertions: [MapKey(mapKey)], modifications: [])))
    }

    private func removeAll() throws -> Bool {
        guard try count > 0 else { return false }
        try member.assign(objectClass, key, column, column.property.type.zeroValue)
        return true
    }

    // MARK: Repeating

    /// Repeats a step of another store; the position and the value must fit.
    package func repeatInsertion(_ value: Value, mapKey: String?, at position: Int) throws {
        try insert(value, mapKey: mapKey, at: position)
        switch column.kind {
        case .set: record(.set(SetEdit(insertions: [value])))
        case .map: record(.map(MapEdit(deletions: [], insertions: [MapKey(mapKey ?? "")], modifications: [])))
        default: record { $0.recordInsertion(at: position) }
        }
    }

    /// See `repeatInsertion`.
    package func repeatMove(_ from: Int, _ to: Int) throws { _ = try move(from, to) }

    // MARK: Parts

    private var collection: MutableStoredCollection {
        get throws { try member.session.collection(objectClass, key, column) }
    }

    private var count: Int { get throws { try collection.count } }

    private func insert(_ value: Value, mapKey: String?, at position: Int) throws {
        try insertUnrecorded(value, mapKey: mapKey, at: position)
        redo(.inserted(value, mapKey: mapKey, at: position))
    }

    private func insertUnrecorded(_ value: Value, mapKey: String?, at position: Int) throws {
        try member.session.insert(value, mapKey: mapKey, at: position, objectClass, key, column)
        member.record(.inserted(objectClass, key, column, position: position))
    }

    private func redo(_ change: RedoStep.Change) {
        member.session.redo?.append(.changed(objectClass.schema.id, key, column.id, change))
    }

    private func check(_ value: Value) throws {
        try member.rules.checkElement(value, for: column.property, of: objectClass.schema)
    }

    private func check(_ position: Int, below limit: Int) throws {
        guard position >= 0, position < limit else {
            throw StoreError(
                .indexOutOfBounds,
                "Index \(position) is out of bounds: '\(objectClass.schema.name).\(column.property.name)' has \(try count) elements.",
                property: column.property.name)
        }
    }

    private func record(_ change: (inout ListEdit) -> Void) {
        var edit = ListEdit()
        change(&edit)
        record(.list(edit))
    }

    private func record(_ edit: CollectionEdit) {
        member.changes[objectClass.schema.id, default: ClassChangeRecorder()].recordModification(
            key, column.id, edit)
    }
}
