import Foundation
import ObjectModel
import StoreContract

/// Creates objects that consist of plain values row by row, which is fast for many objects.
extension _ObjectPersister {
    /// Makes an unmanaged object managed if all its values are plain. Returns nil without effect for other objects, and
    /// if an update is allowed and the primary key may exist.
    func addPlain(
        _ object: ObjectBase, _ boundClass: BoundClass, _ transaction: any WriteTransaction
    ) throws -> ObjectKey? {
        guard policy == .error, boundClass.heldProperties.isEmpty, let model = boundClass.model else { return nil }
        let row: [Value]? = boundClass.row { slot in
            model.properties[slot].plain?.plain(at: object.address(at: model.properties[slot].offset))
        }
        guard let row else { return nil }
        let key = try realm.make(boundClass, row, transaction)
        object.bind(to: realm, boundClass, key, realm.newLifetime)
        return key
    }
}

extension RLMRealm {
    /// Creates an object from a dictionary or an array of plain values that have the types of their properties, and fails if
    /// the primary key exists. Returns nil without effect for other values.
    func createPlain(_ boundClass: BoundClass, from source: Any) throws -> ObjectKey? {
        guard let model = boundClass.model else { return nil }
        if var row = boundClass.initialRow {
            let arePlain = forEachGiven(source, boundClass, model) { slot, value in
                if let column = boundClass.columnsBySlot[slot] { row[column] = value }
            }
            return arePlain ? try make(boundClass, row, try writing()) : nil
        }
        var given = [Value?](repeating: nil, count: boundClass.properties.count)
        guard forEachGiven(source, boundClass, model, { given[$0] = $1 }) else { return nil }
        var sample: ObjectBase?
        let row: [Value]? = boundClass.row { slot in
            if let value = given[slot] { return value }
            if let value = model.properties[slot].constantDefault { return value }
            let defaults = sample ?? model.type.init()
            sample = defaults
            return model.properties[slot].plain?.plain(at: defaults.address(at: model.properties[slot].offset))
        }
        guard let row else { return nil }
        return try make(boundClass, row, try writing())
    }

    /// Passes the given values on, by slot. Returns false for a source that is not plain, whose first values it may have
    /// passed on then.
    @inline(__always)
    private func forEachGiven(
        _ source: Any, _ boundClass: BoundClass, _ model: ClassModel, _ body: (_ slot: Int, Value) -> Void
    ) -> Bool {
        func take(_ slot: Int, _ value: Any) -> Bool {
            guard let plain = model.properties[slot].plain?.plain(given: value) else { return false }
            body(slot, plain)
            return true
        }
        func take(_ entries: [String: Any]) -> Bool {
            for (name, value) in entries {
                guard let slot = model.slot(of: name) else { continue }
                guard take(slot, value) else { return false }
            }
            return true
        }
        // A dictionary whose values have one type is another type of dictionary, whose conversion takes longer than
        // creating the object.
        func takes<Entry: PlainValue & _Scalar>(_: Entry.Type) -> Bool? {
            guard type(of: source) == [String: Entry].self, let entries = source as? [String: Entry] else { return nil }
            for (name, value) in entries {
                guard let slot = model.slot(of: name) else { continue }
                if let plain = model.properties[slot].plain, plain == Entry.self {
                    body(slot, value._scalar.value)
                } else if !take(slot, value) {
                    return false
                }
            }
            return true
        }
        if type(of: source) == [String: Any].self, let entries = source as? [String: Any] { return take(entries) }
        let isTaken =
            takes(Int.self) ?? takes(String.self) ?? takes(ObjectId.self) ?? takes(UUID.self) ?? takes(Double.self)
            ?? takes(Bool.self)
        if let isTaken { return isTaken }
        if let entries = source as? [String: Any] { return take(entries) }
        // The array has no elements for computed properties.
        let count = boundClass.properties.count
        guard let values = source as? [Any], values.count <= count, boundClass.columns.count == count else {
            return false
        }
        for (slot, value) in values.enumerated() where !take(slot, value) { return false }
        return true
    }

    fileprivate func make(
        _ boundClass: BoundClass, _ row: [Value], _ transaction: any WriteTransaction
    ) throws -> ObjectKey {
        try checkSubscribed(boundClass)
        do {
            return try transaction.create(boundClass.id, row: row)
        } catch let error as StoreError where error.code == .duplicateKey {
            let key = boundClass.columns.firstIndex { $0.slot != nil && $0.slot == boundClass.primaryKey?.slot }
            throw RealmException.existingKey(key.map { row[$0] } ?? .null, of: boundClass)
        }
    }
}

extension BoundClass {
    /// Returns a value for each of the store's columns; nil if the closure has none for a property of the model.
    fileprivate func row(_ value: (_ slot: Int) throws -> Value?) rethrows -> [Value]? {
        var row: [Value] = []
        row.reserveCapacity(columns.count)
        for index in columns.indices {
            if let slot = columns[index].slot {
                guard let value = try value(slot) else { return nil }
                row.append(value)
            } else {
                row.append(columns[index].initial)
            }
        }
        return row
    }
}
