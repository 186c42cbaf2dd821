import EmbeddedStore
import ObjectModel
import QueryLanguage
import StoreContract

/// Writes the state of an open write transaction to a new file, object by object, because a copy of the file has only
/// committed data. Objects keep their order, but not their keys. Cost: reads and writes all data once, in memory.
struct TransactionCopy {
    private let source: any WriteTransaction
    private let target: any WriteTransaction
    /// The new keys.
    private var keys: [ObjectReference: ObjectKey] = [:]

    /// Throws the errors of the new store. No file remains then.
    static func write(_ transaction: any WriteTransaction, to path: String, maximumSize: Int) throws {
        var options = EmbeddedStoreOptions()
        options.maximumSize = maximumSize
        let temporary = path + ".copy"
        SharedRealmFile.remove(temporary)
        defer { SharedRealmFile.remove(temporary) }
        let store = try EmbeddedStore.open(path: temporary, schema: transaction.schema, options: options)
        defer { store.close() }
        let write = try store.beginWrite()
        do {
            var copy = TransactionCopy(source: transaction, target: try write.transaction)
            try copy.createObjects()
            try copy.assignLinks()
        } catch {
            write.cancel()
            throw error
        }
        try write.commit()
        // Excludes the space that writing left free. The file gets its name only once it is complete.
        try store.writeCopy(to: path)
    }

    private init(source: any WriteTransaction, target: any WriteTransaction) {
        self.source = source
        self.target = target
    }

    private var topLevelClasses: [ClassSchema] { source.schema.classes.filter { !$0.isEmbedded } }

    private func objects(of objectClass: ClassSchema) throws -> [ObjectKey] {
        try source.select(BoundQuery(classID: objectClass.id), Window())
    }

    /// Returns the corresponding class of the new store.
    private func twin(of objectClass: ClassSchema) throws -> ClassSchema {
        guard let twin = target.schema[objectClass.name] else { throw StoreError.unknownClass(objectClass.id) }
        return twin
    }

    /// Creates all objects that can be linked to, without their links.
    private mutating func createObjects() throws {
        for objectClass in topLevelClasses {
            let twin = try twin(of: objectClass)
            for key in try objects(of: objectClass) {
                var values: [PropertyID: Value] = [:]
                for property in objectClass.storedProperties where !property.type.leadsToObjects {
                    guard let id = twin[property.name]?.id else { continue }
                    values[id] = try source.value(objectClass.id, key, property.id)
                }
                keys[ObjectReference(objectClass.id, key)] = try target.create(twin.id, values)
            }
        }
    }

    private func assignLinks() throws {
        for objectClass in topLevelClasses {
            let linking = objectClass.storedProperties.filter(\.type.leadsToObjects)
            guard !linking.isEmpty else { continue }
            let twin = try twin(of: objectClass)
            for key in try objects(of: objectClass) {
                guard let newKey = keys[ObjectReference(objectClass.id, key)] else { continue }
                try target.set(twin.id, newKey, linkedValues(of: key, objectClass, linking, twin))
            }
        }
    }

    private func linkedValues(
        of key: ObjectKey, _ objectClass: ClassSchema, _ properties: [PropertySchema], _ twin: ClassSchema
    ) throws -> [PropertyID: Value] {
        var values: [PropertyID: Value] = [:]
        for property in properties {
            guard let id = twin[property.name]?.id else { continue }
            values[id] = try moved(source.value(objectClass.id, key, property.id), property)
        }
        return values
    }

    /// Returns a value with the new keys, and embedded objects with all that they contain.
    private func moved(_ value: Value, _ property: PropertySchema) throws -> Value {
        switch value {
        case .link(let key):
            guard let targetID = property.targetClass, let objectClass = source.schema[targetID] else { return .null }
            guard property.ownsTarget else { return keys[ObjectReference(targetID, key)].map { .link($0) } ?? .null }
            return .embedded(
                try linkedValues(of: key, objectClass, objectClass.storedProperties, twin(of: objectClass)))
        case .reference(let reference):
            guard let key = keys[reference], let objectClass = source.schema[reference.classID] else { return .null }
            return .reference(ObjectReference(try twin(of: objectClass).id, key))
        case .list(let elements): return .list(try elements.map { try moved($0, property) })
        case .set(let elements): return .set(try elements.map { try moved($0, property) })
        case .dictionary(let map): return .dictionary(try map.mapValues { try moved($0, property) })
        default: return value
        }
    }
}

extension StoredType {
    /// Whether values can link to other objects.
    fileprivate var leadsToObjects: Bool { isLink || isMixed }
}
