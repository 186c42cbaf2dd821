package import ObjectModel
import StoreContract

extension ObjectWriter {
    /// Assigns a whole property. A list, set or map of values or links is changed with as few edits as possible, so
    /// that observers are notified only of the differences. Returns the number of elements inserted, assigned or
    /// removed; 1 for any other property. Cost: proportional to the collection.
    package func reassign(_ property: PropertySchema, of object: ObjectReference, to value: Value) throws -> Int {
        guard property.type.isCollection else {
            try transaction.set(object.classID, object.key, [property.id: value])
            return 1
        }
        // New embedded objects never equal the old ones, and the store rejects values that do not fit.
        if !property.ownsTarget, property.type.accepts(value) {
            try check(value, property, object)
            if let count = try transaction.change(property, of: object, to: value, Self.matching) { return count }
        }
        let before = try transaction.elementCount(object.classID, object.key, property.id)
        try transaction.set(object.classID, object.key, [property.id: value])
        return max(before, try transaction.elementCount(object.classID, object.key, property.id))
    }

    private func check(_ value: Value, _ property: PropertySchema, _ object: ObjectReference) throws {
        guard let objectClass = transaction.schema[object.classID] else { return }
        try ValueRules(transaction.schema) { try transaction.exists($0.classID, $0.key) }
            .check(value, for: property, of: objectClass)
    }
}
