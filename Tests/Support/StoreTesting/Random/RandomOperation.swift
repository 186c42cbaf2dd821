package import ObjectModel
import QueryLanguage
package import StoreContract

/// One change of a history. Objects, positions and elements are given as random numbers that are reduced to existing
/// ones when the operation runs, so that operations can be made without reading the store, and have the same effect on
/// two stores with the same content.
package indirect enum RandomOperation: Hashable, Sendable {
    case create(ClassID, [PropertyID: RandomInput])
    case set(ClassID, UInt64, [PropertyID: RandomInput])
    case edit(ClassID, UInt64, PropertyID, RandomEdit)
    case delete(ClassID, UInt64)
    /// Creates or updates the object with the primary key among the values of some object, by the policy.
    case put(ClassID, UInt64, [PropertyID: RandomInput], UpdatePolicy)
    /// An operation that must fail, and change nothing.
    case refused(RandomOperation)
}

/// A value in an operation.
package indirect enum RandomInput: Hashable, Sendable {
    case value(Value)
    /// A link to some object of the property's target; null where there is none, left out of lists and sets.
    case link(UInt64)
    /// A link to some object in a mixed value; null where there is none.
    case reference(ClassID, UInt64)
    case list([RandomInput])
    case set([RandomInput])
    case map([Entry])
    case embedded([PropertyID: RandomInput])
    /// The embedded objects that a list owns, rotated by a number of positions, and a new one.
    case turned(UInt64, [PropertyID: RandomInput])

    package struct Entry: Hashable, Sendable {
        var key: String
        var input: RandomInput
    }
}

/// An edit of a collection. Numbers are reduced to positions, and to keys that a map has.
package enum RandomEdit: Hashable, Sendable {
    case insert(RandomInput, at: UInt64)
    case append(RandomInput)
    case replace(RandomInput, at: UInt64)
    case remove(at: UInt64)
    case move(from: UInt64, to: UInt64)
    case add(RandomInput)
    case removeElement(at: UInt64)
    case removeValue(RandomInput)
    case put(RandomInput, key: String)
    case removeKey(String)
    case removeAll
}

extension WriteTransaction {
    /// Runs a random operation; one that needs an object or an element where there is none does nothing.
    package func perform(_ operation: RandomOperation) throws {
        switch operation {
        case .create(let classID, let inputs):
            _ = try create(classID, try values(inputs, of: classID, nil))
        case .set(let classID, let number, let inputs):
            guard let key = try object(classID, number) else { return }
            try set(classID, key, try values(inputs, of: classID, key))
        case .edit(let classID, let number, let property, let edit):
            guard let key = try object(classID, number), let stored = schema[classID]?[property],
                let operation = try resolve(edit, classID, key, stored)
            else { return }
            try self.edit(classID, key, property, operation)
        case .delete(let classID, let number):
            guard let key = try object(classID, number) else { return }
            try delete(classID, key)
        case .put(let classID, let number, let inputs, let policy):
            guard let key = try object(classID, number), let primaryKey = schema[classID]?.primaryKeyProperty else {
                return
            }
            var values = try values(inputs, of: classID, key)
            values[primaryKey.id] = try value(classID, key, primaryKey.id)
            try create(classID, values, update: policy)
        case .refused(let operation):
            do {
                try perform(operation)
            } catch is StoreError {
                return
            }
            // Without a target object there is nothing to reject.
            if try targetExists(of: operation) { throw ConformanceFailure("\(operation) was not refused") }
        }
    }

    private func targetExists(of operation: RandomOperation) throws -> Bool {
        switch operation {
        case .create: true
        case .set(let classID, _, _), .edit(let classID, _, _, _), .delete(let classID, _), .put(let classID, _, _, _):
            count(of: classID) > 0
        case .refused: false
        }
    }

    private func values(
        _ inputs: [PropertyID: RandomInput], of classID: ClassID, _ key: ObjectKey?
    ) throws -> [PropertyID: Value] {
        var values: [PropertyID: Value] = [:]
        for (id, input) in inputs {
            guard let property = schema[classID]?[id] else { continue }
            values[id] = try value(input, property, classID, key) ?? .null
        }
        return values
    }

    /// Nil for an element that is to be left out.
    private func value(
        _ input: RandomInput, _ property: PropertySchema, _ classID: ClassID, _ key: ObjectKey?
    ) throws -> Value? {
        func elements(_ inputs: [RandomInput]) throws -> [Value] {
            try inputs.compactMap { try value($0, property, classID, key) }
        }
        switch input {
        case .value(let value): return value
        case .link(let number):
            guard let target = property.targetClass else { return .null }
            return try object(target, number).map { .link($0) }
        case .reference(let target, let number):
            return try object(target, number).map { .reference(ObjectReference(target, $0)) } ?? .null
        case .list(let inputs): return .list(try elements(inputs))
        case .set(let inputs): return .set(try elements(inputs))
        case .map(let entries):
            return .dictionary(
                ValueMap(try entries.map { ($0.key, try value($0.input, property, classID, key) ?? .null) }))
        case .embedded(let inputs):
            guard let target = property.targetClass else { return .null }
            return .embedded(try values(inputs, of: target, nil))
        case .turned(let number, let inputs):
            guard let target = property.targetClass else { return .null }
            let held = try key.map { try self.elements(classID, $0, property.id, 0..<Int.max) } ?? []
            let start = held.isEmpty ? 0 : Int(number % UInt64(held.count))
            return .list(held[start...] + held[..<start] + [.embedded(try values(inputs, of: target, nil))])
        }
    }

    private func resolve(
        _ edit: RandomEdit, _ classID: ClassID, _ key: ObjectKey, _ property: PropertySchema
    ) throws -> CollectionOperation? {
        let count = try elementCount(classID, key, property.id)
        func position(_ number: UInt64) -> Int? { count == 0 ? nil : Int(number % UInt64(count)) }
        func input(_ input: RandomInput) throws -> Value? { try value(input, property, classID, key) }
        switch edit {
        case .insert(let given, let number):
            return try input(given).map { .insert($0, at: Int(number % UInt64(count + 1))) }
        case .append(let given): return try input(given).map { .append($0) }
        case .replace(let given, let number):
            guard let index = position(number) else { return nil }
            return try input(given).map { .replace($0, at: index) }
        case .remove(let number): return position(number).map { .remove(at: $0) }
        case .move(let from, let to):
            guard let from = position(from), let to = position(to) else { return nil }
            return .move(from: from, to: to)
        case .add(let given): return try input(given).map { .add($0) }
        case .removeElement(let number):
            guard let index = position(number) else { return nil }
            return try elements(classID, key, property.id, index..<index + 1).first.map { .removeElement($0) }
        case .removeValue(let given): return try input(given).map { .removeElement($0) }
        case .put(let given, let key): return .put(try input(given) ?? .null, key: key)
        case .removeKey(let key): return .removeKey(key)
        case .removeAll: return .removeAll
        }
    }

    /// The object for a random number.
    private func object(_ classID: ClassID, _ number: UInt64) throws -> ObjectKey? {
        let count = count(of: classID)
        guard count > 0 else { return nil }
        let offset = Int(number % UInt64(count))
        return try select(.init(classID: classID), .init(offset: offset, limit: 1)).first
    }
}
