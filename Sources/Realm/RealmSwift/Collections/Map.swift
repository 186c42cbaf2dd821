import Basics
import Foundation
import LiveQueries
import ObjectModel
import StoreContract

/// A collection of stored values by key in a property of an object. See `List` for managed and unmanaged ones, and
/// `RealmKeyedCollection` for the operations.
///
/// If a linked object is deleted, its key stays, with null.
///
/// ```swift
/// try realm.write {
///     edition.titles["fr"] = "Frankenstein ou le Prométhée moderne"
///     edition.titles["de"] = nil
/// }
/// for (language, title) in edition.titles.asKeyValueSequence() { print(language, title) }
/// ```
public final class Map<Key: _MapKey, Value: RealmCollectionValue>: RealmKeyedCollection {
    private var managed: (any EditableAccessor)?
    /// The entries in ascending order of the keys' bytes.
    private var unmanaged: [(key: Key, value: Value)] = []
    private var tracing = TraceStart()
    private var trace: _Trace? { tracing.begin() }

    var accessor: (any CollectionAccessor)? { managed }

    /// Creates an empty, unmanaged map.
    public init() {}

    /// Creates a map for a map's accessor; an empty one for other accessors.
    init(accessor: any CollectionAccessor) { managed = accessor as? any EditableAccessor }

    init(unmanaged: [(key: Key, value: Value)]) { for (key, value) in unmanaged { put(value, key) } }

    init(_ trace: _Trace) { tracing = TraceStart(trace: trace) }

    public var realm: Realm? { managed.map { Realm($0.realm) } }
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }
    public var count: Int { trapOnError { try managed?.count() ?? unmanaged.count } }
    /// Whether the map has no keys.
    public var isEmpty: Bool { count == 0 }
    public var description: String { describe(0) }

    public var keys: [Key] {
        trapOnError { try managed?.entries().entries.map { Key(_key: $0.key) } ?? unmanaged.map { $0.key } }
    }

    public var values: [Value] { asKeyValueSequence().map { $0.value } }

    public subscript(key: Key) -> Value? {
        get {
            trapOnError {
                if let trace { return Value._traced(trace) }
                guard let managed else { return position(of: key).found.map { unmanaged[$0].value } }
                guard let value = try managed.entry(key._key) else { return nil }
                let path = value.isNested ? managed.nestedPath(.key(key._key)) : nil
                return try Value._restored(_Stored(value, at: path), in: managed.realm)
            }
        }
        set {
            if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
        }
    }

    // MARK: Changing

    public func updateValue(_ value: Value, forKey key: Key) {
        trapOnError {
            guard let managed else { return put(value, key) }
            let name = key._key
            try managed.edit(with: value) {
                .put($0, key: name)
            } whence: {
                try managed.entry(name)
            }
        }
    }

    public func removeObject(for key: Key) {
        trapOnError {
            guard let managed else {
                if let position = position(of: key).found { unmanaged.remove(at: position) }
                return
            }
            try managed.edit(.removeKey(key._key))
        }
    }

    public func removeAll() {
        trapOnError {
            guard let managed else { return unmanaged.removeAll() }
            try managed.edit(.removeAll)
        }
    }

    /// Adds entries. For a key that exists, `combine` computes the value from the present one and the new one.
    public func merge<S: Sequence>(
        _ sequence: S, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows where S.Element == (key: Key, value: Value) {
        for (key, value) in Array(sequence) { try merge(key, value, combine) }
    }

    /// See `merge`.
    public func merge<S: Sequence>(
        _ sequence: S, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows where S.Element == (Key, Value) {
        for (key, value) in Array(sequence) { try merge(key, value, combine) }
    }

    /// See `merge`.
    public func merge<S: Sequence>(
        _ sequence: S, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows where S.Element == SingleMapEntry<Key, Value> {
        for entry in Array(sequence) { try merge(entry.key, entry.value, combine) }
    }

    private func merge(_ key: Key, _ value: Value, _ combine: (Value, Value) throws -> Value) rethrows {
        updateValue(try self[key].map { try combine($0, value) } ?? value, forKey: key)
    }

    // MARK: Entries

    public func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool {
        var pairs = pairs()
        while let (key, value) = pairs.next() { if predicate(key, value) { return true } }
        return false
    }

    public func makeIterator() -> RLMMapIterator<SingleMapEntry<Key, Value>> { RLMMapIterator(pairs()) }

    /// Returns the index of the first equal value in the order of the keys; nil if there is none. Reads all values.
    public func index(of object: Value) -> MapIndex? {
        values.firstIndex { isSameElement($0, object) }.map { MapIndex(offset: UInt($0)) }
    }

    /// The entry at an index returned by `index(of:)`. Traps if it no longer exists.
    public subscript(position: MapIndex) -> SingleMapEntry<Key, Value> {
        trapOnError {
            let keys = keys
            guard position.offset < UInt(keys.count), let value = self[keys[Int(position.offset)]] else {
                throw RealmException("Attempting to access Map elements using an invalid index.")
            }
            return SingleMapEntry(key: keys[Int(position.offset)], value: value)
        }
    }

    /// Returns the entries as pairs of key and value.
    public func asKeyValueSequence() -> RLMKeyValueSequence<Key, Value> { RLMKeyValueSequence(self) }

    func pairs() -> RLMKeyValueIterator<Key, Value> {
        guard let managed else {
            return RLMKeyValueIterator(unmanaged.map { $0.key }, RLMIterator(unmanaged.map { $0.value }))
        }
        return trapOnError {
            let entries = try managed.entries().entries
            let stored = entries.map {
                _Stored($0.value, at: $0.value.isNested ? managed.nestedPath(.key($0.key)) : nil)
            }
            return RLMKeyValueIterator(entries.map { Key(_key: $0.key) }, RLMIterator(stored, in: managed.realm))
        }
    }

    // MARK: Unmanaged entries

    private func position(of key: Key) -> (index: Int, found: Int?) {
        let name = key._key
        let index = unmanaged.partitioningIndex { StoredValue.orderBytes($0.key._key, name) >= 0 }
        let isFound = index < unmanaged.count && StoredValue.orderBytes(unmanaged[index].key._key, name) == 0
        return (index, isFound ? index : nil)
    }

    private func put(_ value: Value, _ key: Key) {
        let (index, found) = position(of: key)
        if let found { unmanaged[found].value = value } else { unmanaged.insert((key, value), at: index) }
    }

    // MARK: Key-value access

    /// Returns the value of a key: `NSNull` for null, nil if the key does not exist. Without such a key, `invalidated` is
    /// `isInvalidated`.
    public func value(forKey key: String) -> AnyObject? {
        if key == KeyValuePath.invalidated, isInvalidated || self[Key(_key: key)] == nil {
            return isInvalidated as AnyObject
        }
        return self[Key(_key: key)].map { KeyValuePath.plain($0) as AnyObject }
    }

    public func value(forKeyPath keyPath: String) -> AnyObject? {
        trapOnError { try KeyValuePath.value(at: keyPath, of: self).map { $0 as AnyObject } }
    }

    /// Returns the value of a key, which must be a string: `NSNull` for null, nil if the key does not exist.
    public func object(forKey key: Any) -> AnyObject? { (key as? String).flatMap { value(forKey: $0) } }

    public func setValue(_ value: Any?, forKey key: String) {
        trapOnError {
            _ = try managed?.writing()
            guard let value = value.flatMap({ flattened($0) }) else { return removeObject(for: Key(_key: key)) }
            let context = _PropertyContext(className: "Map", property: key, type: Value._storedType.type)
            updateValue(try Value._converted(value, context), forKey: Key(_key: key))
        }
    }
}

/// The index of an entry in a map.
public struct MapIndex: Hashable, Sendable {
    /// The position in the order of the keys, from 0. Valid until the map changes.
    public let offset: UInt
}

extension Map: Hashable {
    /// Whether both are the same stored map, or unmanaged maps with equal entries.
    public static func == (a: Map, b: Map) -> Bool {
        switch (a.managed, b.managed) {
        case (nil, nil): a === b || hasEqualEntries(a, b)
        case (let a?, let b?): a.isSame(as: b)
        default: false
        }
    }

    private static func hasEqualEntries(_ a: Map, _ b: Map) -> Bool {
        guard a.unmanaged.count == b.unmanaged.count else { return false }
        for (a, b) in zip(a.unmanaged, b.unmanaged) {
            guard StoredValue.orderBytes(a.key._key, b.key._key) == 0, a.value == b.value else { return false }
        }
        return true
    }

    /// Hashes consistently with `==`.
    public func hash(into hasher: inout Hasher) {
        guard let managed else {
            for (key, value) in unmanaged {
                hasher.combine(StoredValue.string(key._key))
                hasher.combine(value)
            }
            return
        }
        hasher.combine(ObjectIdentifier(managed.realm))
    }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// See `List.projectTo`.
    public var projectTo: Value.Wrapped { projected(trace) }
}

extension Map: _HasPersistedType {
    public typealias PersistedType = Map<Key, Value>
}

extension Map: _Persistable {
    public static var _propertyType: _StoredType {
        var stored = Value._storedType
        // A type persisted as an embedded object is stored as a link, which can always be null in a map.
        if stored.type.isLink, Value.self is any _CustomPersistable.Type { stored.type.isOptional = true }
        return stored.collected(in: .map)
    }

    public static func _get(_ object: ObjectBase, _ slot: Int) -> Map {
        trapOnError { try object.collection(slot) { Map(accessor: $0) } }
    }

    /// Copies the entries; does nothing if a map is assigned to itself.
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: Map) {
        trapOnError {
            let accessor = try PropertyAccessor(object, slot)
            let transaction = try accessor.writing()
            if value.accessor?.isSame(as: accessor) == true { return }
            let values = value.values
            try accessor.replaceContents(with: value.stored(by: _ObjectPersister(accessor.realm)), transaction)
            try object.bindEmbedded(slot, values)
        }
    }
    public static func _initial() -> Map { Map() }

    public static func _assigned(_ value: Map, _ old: _PersistedContent<Map>) -> Map { old.taking(value) }

    public static func _stored(_ value: Map, by persister: _ObjectPersister) throws -> _Stored? {
        _Stored(try value.stored(by: persister))
    }
    public static func _traced(_ trace: _Trace) -> Map { Map(trace) }

    /// Returns a new map with the converted values of a dictionary or another map; empty for null.
    public static func _converted(_ value: Any?, _ context: _PropertyContext) throws -> Map {
        guard let value = value.flatMap({ flattened($0) }), !(value is NSNull) else { return Map() }
        guard let entries = Entries(value) else { throw context.typeMismatch(value) }
        var element = context
        element.type.collection = .single
        return Map(
            unmanaged: try entries.pairs.map { pair in (Key(_key: pair.key), try Value._converted(pair.value, element))
            })
    }

    func stored(by persister: _ObjectPersister) throws -> StoredValue {
        var map = ValueMap()
        var pairs = pairs()
        while let (key, value) = pairs.next() { map[key._key] = try value._stored(by: persister).value }
        return .dictionary(map)
    }
}

extension Map: _UnmanagedElements, _MapEntries, _HeldCollection {
    var unmanagedElements: [Any] { unmanaged.map { $0.value } }

    var mapEntries: [(key: String, value: Any?)] {
        asKeyValueSequence().map { ($0.key._key, flattened($0.value)) }
    }

    func replaceElements(with other: Map) {
        unmanaged = []
        for (key, value) in other.asKeyValueSequence() { put(value, key) }
    }

    func promote(to accessor: PropertyAccessor) {
        guard managed == nil else { return }
        managed = accessor
        unmanaged = []
    }
}

extension Map: _UnwrappedProperty {
    static var _wrapper: any _PersistedProperty.Type { UnwrappedCollection<Map>.self }

    func _startTrace(_ trace: _Trace, _ name: String) { tracing = TraceStart(trace: trace, name: name) }
    func _endTrace() { _ = tracing.begin() }
}
