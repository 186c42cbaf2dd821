import EmbeddedStore
import Foundation
import ObjectModel
import QueryLanguage
import StoreContract

/// Finds unmanaged objects by a condition: in a temporary store with copies of them, so that a condition has the same
/// meaning for managed and unmanaged objects.
enum UnmanagedSearch {
    /// Returns the position of the first object that satisfies the condition. Null elements satisfy none. Throws for
    /// values that are not objects.
    static func position(matching predicate: PredicateForm, in elements: [ObjectBase?]) throws -> Int? {
        let unmanaged = elements.compactMap { $0?._realm == nil ? $0 : nil }
        let found = unmanaged.isEmpty ? [] : try matches(predicate, unmanaged)
        return try elements.firstIndex { element in
            guard let element else { return false }
            guard let realm = element._realm else { return found.contains(ObjectIdentifier(element)) }
            let (_, boundClass) = try element.managed()
            guard let objectClass = realm.models.schema[boundClass.id] else { return false }
            let bound = try predicate.bound(to: objectClass, in: realm)
            return try realm.matches(BoundQuery(classID: boundClass.id, predicate: bound), element._objectKey)
        }
    }

    private static func matches(_ predicate: PredicateForm, _ objects: [ObjectBase]) throws -> Set<ObjectIdentifier> {
        let types = try classes(reachedFrom: objects)
        // Two objects may have the same key, and an embedded one need not have an owner.
        let schema = StoredSchema(
            version: 0,
            classes: try types.map { try ClassModel.of($0).schema }.map {
                ClassSchema($0.name, primaryKey: nil, isEmbedded: false, properties: $0.properties)
            })
        let path = MemoryFiles.path(of: UUID().uuidString)
        defer { SharedRealmFile.remove(path) }
        let store = try EmbeddedStore.open(path: path, schema: schema, options: EmbeddedStoreOptions())
        defer { store.close() }
        let write = try store.beginWrite()
        defer { write.cancel() }
        let configuration = Realm.Configuration(inMemoryIdentifier: path, objectTypes: types)
        let realm = try RLMRealm(migrating: configuration, old: store.snapshot(), write.transaction)
        let persister = _ObjectPersister(realm)
        persister.createsOnce = true
        let builder = ObjectBuilder(persister)
        var found: Set<ObjectIdentifier> = []
        var keys: [ClassID: [ObjectKey: ObjectBase]] = [:]
        for object in objects {
            let boundClass = try realm.bound(type(of: object))
            let key = try builder.create(boundClass, from: object)
            keys[boundClass.id, default: [:]][key] = object
        }
        for (classID, keys) in keys {
            guard let objectClass = realm.models.schema[classID] else { continue }
            let bound = try predicate.bound(to: objectClass, in: realm)
            for key in try realm.select(BoundQuery(classID: classID, predicate: bound)) {
                if let object = keys[key] { found.insert(ObjectIdentifier(object)) }
            }
        }
        return found
    }

    /// Returns the classes of the objects, of those that they lead to, and of those that their properties may lead to.
    private static func classes(reachedFrom objects: [ObjectBase]) throws -> [ObjectBase.Type] {
        var types: [ObjectBase.Type] = []
        var known: Set<ObjectIdentifier> = []
        func add(_ type: ObjectBase.Type) throws {
            guard known.insert(ObjectIdentifier(type)).inserted else { return }
            types.append(type)
            for linked in try ClassModel.of(type).properties.compactMap(\.linked) { try add(linked) }
        }
        var open: [Any] = objects
        var seen: Set<ObjectIdentifier> = []
        while let next = open.popLast() {
            switch next {
            case let object as ObjectBase:
                guard seen.insert(ObjectIdentifier(object)).inserted else { continue }
                try add(object.model.type)
                for (slot, property) in object.model.properties.enumerated()
                where property.type.isLink || property.type.isMixed {
                    if let value = object.dynamicValue(slot) { open.append(KeyValuePath.plain(value)) }
                }
            case let elements as any KeyValueElements: open += elements.keyValueElements
            default: break
            }
        }
        return types
    }
}
