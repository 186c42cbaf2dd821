import Basics
import ObjectModel
import StoreContract

/// A managed collection that can be edited: a list, set or map property, or a collection within a mixed value.
protocol EditableAccessor: CollectionAccessor {
    /// Whether its elements are embedded objects.
    var ownsElements: Bool { get }

    /// Throws if the collection no longer exists.
    func check() throws

    /// Throws if the collection's elements are objects of another class. The types of all other elements say that they
    /// fit.
    func checkClass(of object: DynamicObject) throws

    /// Edits the collection with the transaction that `writing` returned. Returns false if nothing changed.
    @discardableResult
    func perform(_ operation: CollectionOperation, _ transaction: any WriteTransaction) throws -> Bool

    /// Replaces all contents.
    func replaceContents(with value: Value, _ transaction: any WriteTransaction) throws

    /// Returns the entries of a map.
    func entries() throws -> ValueMap

    /// Returns the value of a key of a map.
    func entry(_ key: String) throws -> Value?
}

extension EditableAccessor {
    /// Returns the open write transaction. Throws if there is none, or if the collection no longer exists.
    func writing() throws -> any WriteTransaction {
        // A collection that no longer exists is reported as such wherever it is edited.
        try check()
        return try realm.writing("Cannot modify managed \(kindName) outside of a write transaction.")
    }

    /// Edits the collection, within a write.
    @discardableResult
    func edit(_ operation: CollectionOperation) throws -> Bool { try perform(operation, writing()) }

    /// Edits the collection with an element. If the element is an unmanaged embedded object, it becomes managed: it
    /// then represents the stored object, which `whence` returns.
    @discardableResult
    func edit<E: _Storable>(
        with element: E, _ operation: (Value) -> CollectionOperation, whence: () throws -> Value?
    ) throws -> Bool {
        let transaction = try writing()
        if E.self == DynamicObject.self || E.self == DynamicObject?.self,
            let object = flattened(element) as? DynamicObject
        {
            try checkClass(of: object)
        }
        if ownsElements, let object = flattened(element) as? EmbeddedObject, object._realm === realm {
            let kind = kindName == "RLMDictionary" ? "Dictionary" : "List"
            throw RealmException("Cannot add an existing managed embedded object to a \(kind).")
        }
        let persister = _ObjectPersister(realm)
        let isChanged = try perform(operation(element._stored(by: persister).value), transaction)
        if ownsElements, let object = flattened(element) as? EmbeddedObject, object._realm == nil,
            case .reference(let stored)? = try whence()
        {
            try persister.bindEmbedded([object], [stored.key])
        }
        return isChanged
    }

    /// Returns the stored form of a value; nil for unmanaged objects. Throws for objects of other realms, and invalid
    /// ones.
    func known(_ element: some _Storable) throws -> Value? { try realm.known(element) }
}

extension RLMRealm {
    /// Returns a value in the form in which it is read; nil for unmanaged objects.
    func known(_ element: some _Storable) throws -> Value? {
        if let object = shownObject(element) { return object._objectReference.map { .reference($0) } }
        do {
            return try element._stored(by: _ObjectPersister(lookingIn: self)).value
        } catch is _ObjectPersister.NotStored {
            return nil
        }
    }
}

extension PropertyAccessor: EditableAccessor {
    var ownsElements: Bool { property.ownsTarget }

    func checkClass(of object: DynamicObject) throws {
        guard let target = property.targetClass, let objectClass = object._class else { return }
        let name = try realm.bound(target).storedName
        guard objectClass.storedName != name else { return }
        throw RealmException("Object of type '\(objectClass.name)' does not match \(kindName) type '\(name)'")
    }

    @discardableResult
    func perform(_ operation: CollectionOperation, _ transaction: any WriteTransaction) throws -> Bool {
        let isChanged = try transaction.edit(owner.classID, owner.key, property.id, operation)
        if property.type.isMixed, property.type.collection == .list {
            realm.nested.follow(operation, owner, property.id, [])
        }
        return isChanged
    }

    func replaceContents(with value: Value, _ transaction: any WriteTransaction) throws {
        try transaction.set(owner.classID, owner.key, [property.id: value])
    }

    func entries() throws -> ValueMap {
        try check()
        guard case .dictionary(let map) = try realm.value(owner.classID, owner.key, property.id) else {
            return ValueMap()
        }
        return property.type.isLink ? map.mapValues(property.reference) : map
    }

    func entry(_ key: String) throws -> Value? {
        try check()
        guard case .dictionary(let map) = try realm.value(owner.classID, owner.key, property.id) else { return nil }
        return map[key].map(property.reference)
    }

    /// Sets are sorted.
    func position(of value: Value) throws -> Int? {
        guard property.type.collection == .set else {
            return try values().firstIndex { Value.order($0, value) == 0 }
        }
        func order(at index: Int) throws -> Int? {
            let element = try realm.elements(owner, property.id, index..<index + 1).first
            return element.map { Value.order(property.reference($0), value) }
        }
        let count = try count()
        let index = try (0..<count).partitioningIndex { try order(at: $0) ?? 0 >= 0 }
        return try index < count && order(at: index) == 0 ? index : nil
    }
}
