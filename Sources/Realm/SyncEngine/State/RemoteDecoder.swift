import JSONCoding
import ObjectModel
import StoreContract

/// Decodes objects from the gateway into values of the local store. Links to objects that are missing here become null,
/// and are omitted from lists and sets.
struct RemoteDecoder {
    let transaction: any WriteTransaction
    /// The targets of links that were missing here.
    private(set) var missing: Set<SyncObject> = []

    init(_ transaction: any WriteTransaction) { self.transaction = transaction }

    private var schema: Schema { transaction.schema }

    /// Decodes the value of a property. Throws for JSON that does not fit.
    mutating func value(_ json: JSONValue, _ property: PropertySchema) throws -> Value {
        try value(try ValueCoding.draft(json, as: property.type), property) ?? property.type.zeroValue
    }

    /// Decodes the values of an embedded object.
    private mutating func values(_ object: JSONObject, _ objectClass: ClassSchema) throws -> [PropertyID: Value] {
        var values: [PropertyID: Value] = [:]
        for property in objectClass.storedProperties {
            guard let json = object[property.name] else { continue }
            values[property.id] = try value(json, property)
        }
        return values
    }

    /// Returns nil for a link whose target is missing here.
    private mutating func value(_ draft: ValueDraft<WrittenLink>, _ property: PropertySchema) throws -> Value? {
        switch draft {
        case .value(let value): return value
        case .link(.plain(let json, _)):
            guard let target = property.targetClass.flatMap({ schema[$0] }) else { return nil }
            if target.isEmbedded {
                guard case .object(let object) = json else { return nil }
                return .embedded(try values(object, target))
            }
            return try find(LinkForm(json)?.key ?? json, target).map { .link($0) }
        case .link(.typed(let className, let json, _)):
            guard let target = schema[className] else { return nil }
            return try find(json, target).map { .reference(ObjectReference(target.id, $0)) }
        case .list(let drafts): return .list(try values(drafts, property))
        case .set(let drafts): return .set(try values(drafts, property))
        case .map(let entries):
            var pairs: [(String, Value)] = []
            for entry in entries { pairs.append((entry.key, try value(entry.value, property) ?? .null)) }
            return .dictionary(ValueMap(pairs))
        }
    }

    private mutating func values(_ drafts: [ValueDraft<WrittenLink>], _ property: PropertySchema) throws -> [Value] {
        var values: [Value] = []
        for draft in drafts {
            if let value = try value(draft, property) {
                values.append(value)
            } else if property.type.acceptsNull {
                values.append(.null)
            }
        }
        return values
    }

    private mutating func find(_ json: JSONValue, _ target: ClassSchema) throws -> ObjectKey? {
        guard let object = SyncObject(target.name, json: json, in: schema) else { return nil }
        if let key = try transaction.key(of: target.id, primaryKey: object.key) { return key }
        missing.insert(object)
        return nil
    }
}

extension ReadContext {
    /// Finds an object in this store.
    func find(_ object: SyncObject) throws -> ObjectReference? {
        guard let objectClass = schema[object.className], objectClass.primaryKey != nil else { return nil }
        return try key(of: objectClass.id, primaryKey: object.key).map { ObjectReference(objectClass.id, $0) }
    }

    /// Returns the class name and primary key of an object; nil for one without a primary key.
    func name(of object: ObjectReference) throws -> SyncObject? {
        guard let objectClass = schema[object.classID], let primaryKey = objectClass.primaryKeyProperty else {
            return nil
        }
        return SyncObject(objectClass.name, try value(object, primaryKey.id))
    }
}
