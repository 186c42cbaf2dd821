import ViewMaintenance
import LiveQueries
import ObjectModel
import QueryLanguage
import RealmInstances
import StoreContract

/// The location of a collection within a mixed value: the property, and the steps from its value or, if the property is
/// a collection, from its elements.
final class NestedPath: Sendable {
    typealias Step = NestedCollectionPath.Step

    let owner: ObjectReference
    let property: BoundProperty
    let steps: [Step]
    let lifetime: RLMRealm.Lifetime

    init(_ owner: ObjectReference, _ property: BoundProperty, _ steps: [Step], _ lifetime: RLMRealm.Lifetime) {
        self.owner = owner
        self.property = property
        self.steps = steps
        self.lifetime = lifetime
    }

    /// The value of a property that is not a collection. Throws for an unmanaged object.
    convenience init(_ object: ObjectBase, _ slot: Int) throws {
        let (_, boundClass) = try object.managed()
        self.init(
            ObjectReference(boundClass.id, object._objectKey), boundClass.properties[slot], [], object._lifetime)
    }
}

/// A list or dictionary within a mixed value, at any depth. It is found by the steps that lead to it. When this realm
/// inserts, moves or removes elements of a list on the way, the steps are adapted; after such edits by others, they may
/// lead to another collection. It is invalid if its element was removed, or the steps lead to no collection of its kind.
///
/// The store keeps a mixed value as a whole, so an edit costs as much as writing the whole value.
final class NestedAccessor: EditableAccessor {
    let realm: RLMRealm
    private(set) var location: NestedPath
    let isList: Bool
    private var isRemoved = false

    init(_ realm: RLMRealm, _ location: NestedPath, isList: Bool) {
        self.realm = realm
        self.location = location
        self.isList = isList
        // The values of a frozen realm, which any thread may read, do not move.
        let isMovable = location.steps.contains { if case .index = $0 { true } else { false } }
        if isMovable, !realm.isFrozen || realm.file == nil { realm.nested.add(self) }
    }

    /// The steps that lead to the collection; nil if its element was removed.
    var steps: [NestedPath.Step]? {
        get { isRemoved ? nil : location.steps }
        set {
            isRemoved = newValue == nil
            guard let newValue else { return }
            location = NestedPath(location.owner, location.property, newValue, location.lifetime)
        }
    }

    var isInvalidated: Bool { realm.isConfinedHere && (try? current()) == nil }
    var kindName: String { isList ? "RLMArray" : "RLMDictionary" }
    var ownsElements: Bool { false }
    var elements: (any ValuesSource)? { self }
    func objectQuery() throws -> BoundQuery? { nil }

    func isSame(as other: any CollectionAccessor) -> Bool {
        guard let other = other as? NestedAccessor else { return false }
        if isRemoved || other.isRemoved { return self === other }
        return realm === other.realm && location.owner == other.location.owner
            && location.property.id == other.location.property.id && location.steps == other.location.steps
    }

    func nestedPath(_ step: NestedPath.Step) -> NestedPath? {
        NestedPath(location.owner, location.property, location.steps + [step], location.lifetime)
    }

    func check() throws { _ = try current() }
    func checkClass(of object: DynamicObject) throws {}

    func count() throws -> Int {
        switch try current() {
        case .list(let elements): elements.count
        case .dictionary(let map): map.count
        default: 0
        }
    }

    func values() throws -> [Value] {
        switch try current() {
        case .list(let elements): elements
        case .dictionary(let map): map.entries.map(\.value)
        default: []
        }
    }

    func value(at position: Int) throws -> Value {
        let values = try values()
        try checkIndex(position, values.count)
        return values[position]
    }

    func entries() throws -> ValueMap {
        guard case .dictionary(let map) = try current() else { return ValueMap() }
        return map
    }

    func entry(_ key: String) throws -> Value? { try entries()[key] }

    func payload() throws -> CollectionReferencePayload {
        try check()
        return .nested(
            location.owner, column: location.property.column, location.steps, isList: isList)
    }

    func keyPaths(_ texts: [String]?) throws -> [LiveKeyPath] { try realm.keyPathsFromMixed(texts) }

    func observe(_ keyPaths: [String]?, _ deliver: @escaping (CollectionNotification) -> Void) throws -> InstanceToken {
        try check()
        let path = NestedCollectionPath(location.owner, location.property.id, location.steps, isList: isList)
        return try realm.live.observeNested(path, keyPaths: self.keyPaths(keyPaths)) {
            CollectionNotification($0).map(deliver)
        }
    }

    // MARK: The containing value

    /// Returns the stored value to read, and the steps from there to the collection.
    private func top() throws -> (value: Value?, steps: ArraySlice<NestedPath.Step>) {
        try realm.checkConfinement()
        guard !isRemoved, realm.isCurrent(location.lifetime), try realm.exists(location.owner) else {
            throw RealmException.invalidObject
        }
        let (owner, property) = (location.owner, location.property.id)
        let rest = location.steps.dropFirst()
        switch (location.property.type.collection, location.steps.first) {
        case (.list, .index(let index)?):
            return (try realm.elements(owner, property, index..<index + 1).first, rest)
        case (.map, .key(let key)?):
            guard case .dictionary(let map) = try realm.value(owner.classID, owner.key, property) else { break }
            return (map[key], rest)
        case (.single, _):
            return (try realm.value(owner.classID, owner.key, property), location.steps[...])
        default: break
        }
        return (nil, rest)
    }

    /// Returns the collection. Throws if it does not exist.
    func current() throws -> Value {
        let (top, steps) = try top()
        let value = steps.reduce(top) { value, step in value?[step] }
        switch value {
        case .list? where isList, .dictionary? where !isList: return value ?? .null
        default: throw RealmException.invalidObject
        }
    }

    // MARK: Editing

    func perform(_ operation: CollectionOperation, _ transaction: any WriteTransaction) throws -> Bool {
        let old = try current()
        let new = try old.after(operation)
        if case .removeKey = operation, new == old { return false }
        try replaceContents(with: new, transaction)
        if isList { realm.nested.follow(operation, location.owner, location.property.id, location.steps) }
        return true
    }

    func replaceContents(with value: Value, _ transaction: any WriteTransaction) throws {
        let (top, steps) = try top()
        guard let whole = try top?.replacing(steps, with: value) else { throw RealmException.invalidObject }
        let (owner, property) = (location.owner, location.property.id)
        switch (location.property.type.collection, location.steps.first) {
        case (.list, .index(let index)?):
            try transaction.edit(owner.classID, owner.key, property, .replace(whole, at: index))
        case (.map, .key(let key)?): try transaction.edit(owner.classID, owner.key, property, .put(whole, key: key))
        default: try transaction.set(owner.classID, owner.key, [property: whole])
        }
    }
}

extension Value {
    /// Returns this value with the value at the end of the steps replaced; nil if they lead nowhere.
    fileprivate func replacing(_ steps: ArraySlice<NestedPath.Step>, with value: Value) throws -> Value? {
        guard let step = steps.first else { return value }
        guard let inner = try self[step]?.replacing(steps.dropFirst(), with: value) else { return nil }
        switch (self, step) {
        case (.list(var elements), .index(let index)):
            elements[index] = inner
            return .list(elements)
        case (.dictionary(var map), .key(let key)):
            map[key] = inner
            return .dictionary(map)
        default: return nil
        }
    }

    /// Returns a list or dictionary after an edit, whose positions must exist.
    fileprivate func after(_ operation: CollectionOperation) throws -> Value {
        switch (self, operation) {
        case (.list(var elements), _):
            switch operation {
            case .insert(let value, let index): elements.insert(value, at: index)
            case .append(let value): elements.append(value)
            case .replace(let value, let index): elements[index] = value
            case .remove(let index): elements.remove(at: index)
            case .move(let from, let to): elements.insert(elements.remove(at: from), at: to)
            case .removeAll: elements = []
            default: break
            }
            return .list(elements)
        case (.dictionary(var map), _):
            switch operation {
            case .put(let value, let key): map[key] = value
            case .removeKey(let key): map[key] = nil
            case .removeAll: map = ValueMap()
            default: break
            }
            return .dictionary(map)
        default: return self
        }
    }
}
