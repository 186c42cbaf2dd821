import JSONCoding
import ObjectModel
import StoreContract

/// Stores objects within one write transaction. All methods throw what the transaction does, and problems with the
/// property's name where a link leads nowhere.
struct ObjectWriter {
    let transaction: any WriteTransaction
    let policy: UpdatePolicy

    init(_ transaction: any WriteTransaction, _ policy: UpdatePolicy) {
        self.transaction = transaction
        self.policy = policy
    }

    /// Creates an object, or updates the one with its primary key as the policy allows.
    func put(_ input: ObjectInput) throws -> (key: ObjectKey, isNew: Bool) {
        let objectClass = try objectClass(input.classID)
        if let property = objectClass.primaryKeyProperty {
            guard let primaryKey = input.values[property.id] ?? (property.type.isOptional ? .null : nil) else {
                throw Problem(
                    422, StoreError.Code.missingValue.rawValue,
                    "A \(objectClass.name) needs its primary key '\(property.name)'.", property: property.name)
            }
            if let key = try transaction.key(of: objectClass.id, primaryKey: primaryKey) {
                guard policy != .error else { throw duplicate(primaryKey, objectClass) }
                try set(input, of: key, onlyDifferent: policy == .modified)
                return (key, false)
            }
        }
        return (try create(input, objectClass), true)
    }

    /// Assigns the given properties.
    func set(_ input: ObjectInput, of key: ObjectKey, onlyDifferent: Bool = false) throws {
        var values = input.values
        for entry in input.links { values[entry.property] = try target(of: entry) }
        try transaction.set(input.classID, key, values, onlyDifferent: onlyDifferent)
    }

    /// Assigns the given properties, and their initial values to all others but the primary key.
    func replace(_ key: ObjectKey, with input: ObjectInput) throws {
        let objectClass = try objectClass(input.classID)
        var whole = input
        let linked = Set(input.links.map(\.property))
        for property in objectClass.storedProperties
        where whole.values[property.id] == nil && !linked.contains(property.id)
            && property.name != objectClass.primaryKey
        {
            whole.values[property.id] = property.initialValue
        }
        try set(whole, of: key)
    }

    private func create(_ input: ObjectInput, _ objectClass: ClassSchema) throws -> ObjectKey {
        var values = input.values
        var toItself: [ObjectInput.LinkEntry] = []
        for entry in input.links {
            if entry.target == input.classID, let property = objectClass.primaryKeyProperty,
                case .primaryKey(let key) = entry.link, key == input.values[property.id]
            {
                toItself.append(entry)
            } else {
                values[entry.property] = try target(of: entry)
            }
        }
        let key = try transaction.create(input.classID, values)
        for entry in toItself { try transaction.set(input.classID, key, [entry.property: .link(key)]) }
        return key
    }

    private func target(of entry: ObjectInput.LinkEntry) throws -> Value {
        switch entry.link {
        case .nothing: return .null
        case .primaryKey(let primaryKey):
            guard let key = try transaction.key(of: entry.target, primaryKey: primaryKey) else {
                throw missing(entry, "the primary key \(keyText(of: primaryKey))")
            }
            return .link(key)
        case .objectKey(let key):
            guard try transaction.exists(entry.target, key) else { throw missing(entry, "the key \(key.rawValue)") }
            return .link(key)
        case .object(let input):
            return .link(try put(input).key)
        }
    }

    private func missing(_ entry: ObjectInput.LinkEntry, _ what: String) -> Problem {
        let name = transaction.schema[entry.target]?.name ?? "object"
        return Problem(
            422, StoreError.Code.invalidValue.rawValue,
            "'\(entry.name)' links to an object of \(name) with \(what), which does not exist. Create it first, or write the object itself.",
            property: entry.name)
    }

    private func duplicate(_ primaryKey: Value, _ objectClass: ClassSchema) -> Problem {
        Problem(
            409, StoreError.Code.duplicateKey.rawValue,
            "A \(objectClass.name) with the primary key \(keyText(of: primaryKey)) exists. Use update=modified to change it.",
            property: objectClass.primaryKey)
    }

    private func objectClass(_ id: ClassID) throws -> ClassSchema {
        guard let found = transaction.schema[id] else {
            throw StoreError(.unknownClass, "The class was removed from the schema meanwhile.")
        }
        return found
    }
}

/// A value as a person reads it in a sentence.
func keyText(of value: Value) -> String {
    let json = JSONWriter(capacity: 64)
    json.value(value)
    return String(decoding: json.bytes, as: UTF8.self)
}
