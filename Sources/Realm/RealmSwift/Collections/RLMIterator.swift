import ObjectModel
import RealmInstances

/// Iterates over the elements that a collection had when the iteration began, whatever happens to the collection.
/// Objects deleted meanwhile are returned as invalidated objects.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private enum Source {
        case stored([_Stored], RLMRealm)
        case plain([Element])
    }

    private let source: Source
    private var position = 0
    /// The iterator of a collection of objects.
    @usableFromInline let objects: _ObjectIterator?

    init(_ elements: [Element]) {
        source = .plain(elements)
        objects = nil
    }

    init(_ elements: [_Stored], in realm: RLMRealm) {
        source = .stored(elements, realm)
        objects = nil
    }

    init(_ objects: _ObjectIterator) {
        source = .plain([])
        self.objects = objects
    }

    /// Iterates over the elements of a managed collection.
    init(_ accessor: any CollectionAccessor) throws {
        if let type = Element.self as? ObjectBase.Type, let (classID, keys) = try accessor.objectKeys() {
            self.init(_ObjectIterator(accessor.realm, try accessor.realm.bound(classID), keys, as: type))
        } else {
            self.init(try accessor.allStored(), in: accessor.realm)
        }
    }

    @inlinable
    public mutating func next() -> Element? {
        guard let objects else { return nextElement() }
        // In two steps: where other modules specialise this for a class, Swift 6 casts nil as if it were an object.
        guard let object = objects.next() else { return nil }
        return object as? Element
    }

    @usableFromInline mutating func nextElement() -> Element? {
        defer { position += 1 }
        switch source {
        case .plain(let elements): return position < elements.count ? elements[position] : nil
        case .stored(let elements, let realm):
            guard position < elements.count else { return nil }
            return trapOnError { try Element._restored(elements[position], in: realm) }
        }
    }
}

/// Creates the instances for a sequence of stored objects.
@usableFromInline final class _ObjectIterator {
    private let realm: RLMRealm
    private let boundClass: BoundClass
    private let keys: [ObjectKey]
    private let type: ObjectBase.Type
    /// The type of the instances, if it is that of the class's model.
    private let modelType: ObjectBase.Type?
    /// The count of the realm's read epoch at which all keys are those of objects; 0 if that is not certain.
    private let readCount: UInt

    private struct State {
        var position = 0
        var neighbours = NeighbouringRows()
    }

    /// In separate memory, because the program would check each access to a property for others while it runs. `next`
    /// alone accesses it, and only to copy from and to it: no access lasts while something else is called.
    private let state: UnsafeMutablePointer<State>

    /// - Parameter keys: the keys of a collection as of now.
    init(_ realm: RLMRealm, _ boundClass: BoundClass, _ keys: [ObjectKey], as type: ObjectBase.Type) {
        readCount = realm.transaction == nil ? realm.reads.count : 0
        self.realm = realm
        self.boundClass = boundClass
        self.keys = keys
        self.type = type
        modelType = boundClass.model.flatMap { $0.type == type ? type : nil }
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    @usableFromInline func next() -> ObjectBase? {
        let position = state.pointee.position
        guard position < keys.count else { return nil }
        state.pointee.position = position + 1
        // A class's own initialiser may do anything, also iterate.
        let object = modelType?.init() ?? boundClass.instance(as: type)
        object.bind(to: realm, boundClass, keys[position])
        if realm.reads.count == readCount {
            var neighbours = state.pointee.neighbours
            neighbours.locate(object, in: realm, boundClass)
            state.pointee.neighbours = neighbours
        }
        return object
    }
}

/// An entry of a `Map`.
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: Hashable {
    /// The key.
    public let key: Key
    /// The value.
    public let value: Value

    init(key: Key, value: Value) {
        self.key = key
        self.value = value
    }
}

/// An entry of a map, created from its key and value.
public protocol _RealmMapEntry {
    associatedtype Key: _MapKey
    associatedtype Value: RealmCollectionValue
    static func _entry(_ key: Key, _ value: Value) -> Self
}

extension SingleMapEntry: _RealmMapEntry {
    public static func _entry(_ key: Key, _ value: Value) -> Self { SingleMapEntry(key: key, value: value) }
}

/// Iterates over the entries that a map had when the iteration began, in the order of their keys.
public struct RLMMapIterator<Element: _RealmMapEntry>: IteratorProtocol {
    private var base: RLMKeyValueIterator<Element.Key, Element.Value>

    init(_ base: RLMKeyValueIterator<Element.Key, Element.Value>) { self.base = base }

    public mutating func next() -> Element? { base.next().map { Element._entry($0.key, $0.value) } }
}

/// Iterates over the entries as pairs of key and value.
public struct RLMKeyValueIterator<Key: _MapKey, Value: RealmCollectionValue>: IteratorProtocol {
    private let keys: [Key]
    private var values: RLMIterator<Value>
    private var position = 0

    init(_ keys: [Key], _ values: RLMIterator<Value>) {
        self.keys = keys
        self.values = values
    }

    public mutating func next() -> (key: Key, value: Value)? {
        guard let value = values.next() else { return nil }
        defer { position += 1 }
        return (keys[position], value)
    }
}

/// The entries of a map as pairs of key and value.
public struct RLMKeyValueSequence<Key: _MapKey, Value: RealmCollectionValue>: Sequence {
    private let map: Map<Key, Value>

    init(_ map: Map<Key, Value>) { self.map = map }

    public func makeIterator() -> RLMKeyValueIterator<Key, Value> { map.pairs() }
}
