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
            model.properties[slot].plain?.plain(at: object.address(of: model.properties[slot]))
        }
        guard let row else { return nil }
        let key = try make(boundClass, row, transaction)
        object.bind(to: realm, boundClass, key, realm.newLifetime)
        return key
    }

    /// Creates an object from a dictionary or an array of plain values that have the types of their properties. Returns
    /// nil without effect for other values, and if an update is allowed and the primary key may exist.
    func createPlain(_ boundClass: BoundClass, from source: Any) throws -> ObjectKey? {
        guard policy == .error, let model = boundClass.model else { return nil }
        guard let given = givenValues(source, boundClass, model) else { return nil }
        var sample: ObjectBase?
        let row: [Value]? = boundClass.row { slot in
            if let value = given[slot] { return value }
            let property = model.properties[slot]
            if let value = property.plainDefault { return value }
            if property.type.isCollection, !property.hasDefault { return property.type.zeroValue }
            let defaults = sample ?? model.type.init()
            sample = defaults
            return property.plain?.plain(at: defaults.address(of: property))
        }
        guard let row else { return nil }
        return try make(boundClass, row, try realm.writing())
    }

    /// Returns the given values by slot, nil where none is given; nil for a source that is not plain.
    private func givenValues(_ source: Any, _ boundClass: BoundClass, _ model: ClassModel) -> [Value?]? {
        var given = [Value?](repeating: nil, count: boundClass.properties.count)
        func take<Entry>(_ entries: [String: Entry]) -> Bool {
            for (name, value) in entries {
                guard let slot = model.slot(of: name) else { continue }
                guard let plain = model.properties[slot].plain?.plain(given: value) else { return false }
                given[slot] = plain
            }
            return true
        }
        // A dictionary whose values have one type is another type of dictionary, whose conversion takes longer than
        // creating the object.
        func takes<Entry>(_: Entry.Type) -> Bool? {
            guard type(of: source) == [String: Entry].self, let entries = source as? [String: Entry] else { return nil }
            return take(entries)
        }
        let isTaken =
            takes(Any.self) ?? takes(Int.self) ?? takes(String.self) ?? takes(ObjectId.self) ?? takes(UUID.self)
            ?? takes(Double.self) ?? takes(Bool.self)
        if let isTaken { return isTaken ? given : nil }
        if let entries = source as? [String: Any] { return take(entries) ? given : nil }
        // The array has no elements for computed properties.
        guard let values = source as? [Any], values.count <= given.count, boundClass.columns.count == given.count
        else { return nil }
        for (slot, value) in values.enumerated() {
            guard let plain = model.properties[slot].plain?.plain(given: value) else { return nil }
            given[slot] = plain
        }
        return given
    }

    private func make(
        _ boundClass: BoundClass, _ row: [Value], _ transaction: any WriteTransaction
    ) throws -> ObjectKey {
        try realm.checkSubscribed(boundClass)
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
        for column in columns {
            if let slot = column.slot {
                guard let value = try value(slot) else { return nil }
                row.append(value)
            } else {
                row.append(column.initial)
            }
        }
        return row
    }
}
