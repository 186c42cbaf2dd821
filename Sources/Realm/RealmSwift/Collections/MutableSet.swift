import Basics
import Foundation
import ObjectModel
import StoreContract

/// A collection of distinct stored values in a property of an object.
///
/// A managed set is sorted by value (numbers, strings by their bytes, objects in the order of their creation) and uses
/// the database's equality. An unmanaged set keeps the order of insertion and uses `==`. See `List` for managed and
/// unmanaged collections.
///
/// ```swift
/// try realm.write {
///     edition.keywords.insert("gothic")
///     edition.keywords.formUnion(other.keywords)
/// }
/// print(edition.keywords.contains("gothic"))
/// ```
public final class MutableSet<Element: RealmCollectionValue>: RealmCollectionImpl {
    private var managed: PropertyAccessor?
    private(set) var unmanaged: [Element] = []
    private var members: Set<Element> = []
    private var tracing = TraceStart()
    private var trace: _Trace? { tracing.begin() }

    var accessor: (any CollectionAccessor)? { managed }

    /// Creates an empty, unmanaged set.
    public init() {}

    /// Creates a set for a set's accessor; an empty one for other accessors.
    init(accessor: any CollectionAccessor) { managed = accessor as? PropertyAccessor }

    init(unmanaged: [Element]) { for element in unmanaged { insert(element) } }

    init(_ trace: _Trace) { tracing = TraceStart(trace: trace) }

    /// The element at a position. Traps if the position does not exist.
    public subscript(position: Int) -> Element {
        trace.map { Element._traced($0) } ?? element(at: position)
    }

    public var description: String { describe(0) }

    /// Whether both are the same stored set, or unmanaged sets with equal elements.
    public static func == (a: MutableSet, b: MutableSet) -> Bool {
        if a.managed == nil, b.managed == nil { return a === b || a.members == b.members }
        return areSame(a, b)
    }

    // MARK: Members

    /// Returns whether the element is in the set. Cost for a managed set: logarithmic.
    public func contains(_ object: Element) -> Bool {
        trapOnError {
            guard let managed else { return members.contains(object) }
            try managed.check()
            return try managed.known(object).flatMap { try managed.position(of: $0) } != nil
        }
    }

    /// Adds the element unless the set contains it.
    public func insert(_ object: Element) {
        trapOnError {
            guard let managed else {
                if members.insert(object).inserted { unmanaged.append(object) }
                return
            }
            try managed.edit(with: object) {
                .add($0)
            } whence: {
                nil
            }
        }
    }

    /// Adds the elements that the set does not contain.
    public func insert<S: Sequence>(objectsIn objects: S) where S.Iterator.Element == Element {
        trapOnError { _ = try managed?.writing() }
        for object in Array(objects) { insert(object) }
    }

    /// Removes the element if the set contains it.
    public func remove(_ object: Element) {
        trapOnError {
            guard let managed else {
                if members.remove(object) != nil { unmanaged.removeAll { $0 == object } }
                return
            }
            let transaction = try managed.writing()
            guard let value = try managed.known(object) else { return }
            try managed.perform(.removeElement(managed.link(value)), transaction)
        }
    }

    /// Removes all elements.
    public func removeAll() {
        trapOnError {
            guard let managed else {
                unmanaged.removeAll()
                return members.removeAll()
            }
            try managed.edit(.removeAll)
        }
    }

    // MARK: Algebra

    /// Returns whether the other set has all elements of this one. Traps if one of the sets is managed and the other is
    /// not.
    public func isSubset(of possibleSuperset: MutableSet<Element>) -> Bool {
        trapOnError {
            guard let (own, others) = try managedElements(possibleSuperset) else {
                return members.isSubset(of: possibleSuperset.members)
            }
            return own.allSatisfy { others.contains(inOrder: $0) }
        }
    }

    /// Returns whether the sets have an element in common. Traps as `isSubset` does.
    public func intersects(_ otherSet: MutableSet<Element>) -> Bool {
        trapOnError {
            guard let (own, others) = try managedElements(otherSet) else {
                return !members.isDisjoint(with: otherSet.members)
            }
            return own.contains { others.contains(inOrder: $0) }
        }
    }

    /// Removes the elements that the other set does not contain. Traps as `isSubset` does.
    public func formIntersection(_ other: MutableSet<Element>) {
        trapOnError {
            guard let (own, others) = try managedElements(other) else {
                return keep { other.members.contains($0) }
            }
            try removeAll(own) { !others.contains(inOrder: $0) }
        }
    }

    /// Adds the elements of the other set. Traps as `isSubset` does.
    public func formUnion(_ other: MutableSet<Element>) {
        trapOnError {
            guard let (_, others) = try managedElements(other), let managed else {
                return insert(objectsIn: other.unmanaged)
            }
            let transaction = try managed.writing()
            for value in others { try managed.perform(.add(managed.link(value)), transaction) }
        }
    }

    /// Removes the elements of the other set. Traps as `isSubset` does.
    public func subtract(_ other: MutableSet<Element>) {
        trapOnError {
            guard let (own, others) = try managedElements(other) else {
                // The other set may be this set.
                let removed = other.members
                return keep { !removed.contains($0) }
            }
            try removeAll(own) { others.contains(inOrder: $0) }
        }
    }

    private func keep(_ isKept: (Element) -> Bool) {
        unmanaged = unmanaged.filter(isKept)
        members = Set(unmanaged)
    }

    private func removeAll(_ own: [Value], _ isRemoved: (Value) -> Bool) throws {
        guard let managed else { return }
        let transaction = try managed.writing()
        for value in own where isRemoved(value) {
            try managed.perform(.removeElement(managed.link(value)), transaction)
        }
    }

    /// Returns the stored elements of both sets; nil if both are unmanaged.
    private func managedElements(_ other: MutableSet) throws -> ([Value], [Value])? {
        switch (managed, other.managed) {
        case (nil, nil): return nil
        case (let own?, let others?):
            guard own.realm === others.realm else {
                throw RealmException("Sets of different Realms cannot be compared or combined.")
            }
            return (try own.values(), try others.values())
        case (_?, nil): throw RealmException("Right hand side value must be a managed Set.")
        case (nil, _?): throw RealmException("Right hand side value must be an unmanaged Set.")
        }
    }

    // MARK: Operations that sets do not support

    /// Traps: sets have no positions.
    public func index(of object: Element) -> Int? {
        stop(RealmException("index(of:) is not available on MutableSet."))
    }

    // MARK: Key-value access

    /// Returns a property's value of each element; see `RealmCollection.value(forKey:)`.
    public func value(forKey key: String) -> [AnyObject] { trapOnError { try keyValues(key) } }
}

extension PropertyAccessor {
    /// Converts a value read from the property to the form that the store accepts.
    func link(_ value: Value) -> Value {
        guard property.type.isLink, case .reference(let reference) = value else { return value }
        return .link(reference.key)
    }
}

extension [Value] {
    /// Whether a sorted array contains a value that is equal in the order of sets.
    fileprivate func contains(inOrder value: Value) -> Bool {
        let index = partitioningIndex { Value.order($0, value) >= 0 }
        return index < count && Value.order(self[index], value) == 0
    }
}

extension MutableSet where Element: ObjectBase {
    /// See `List.projectTo`.
    public var projectTo: Element { projected(trace) }
}

extension MutableSet: _HasPersistedType {
    public typealias PersistedType = MutableSet<Element>
}

extension MutableSet: _Persistable {
    public static var _propertyType: _StoredType { Element._storedType.collected(in: .set) }
    public static func _get(_ object: ObjectBase, _ slot: Int) -> MutableSet {
        trapOnError { try object.collection(slot) { MutableSet(accessor: $0) } }
    }

    /// Copies the elements; does nothing if a set is assigned to itself.
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: MutableSet) {
        trapOnError {
            let accessor = try PropertyAccessor(object, slot)
            let transaction = try accessor.writing()
            if value.accessor?.isSame(as: accessor) == true { return }
            let persister = _ObjectPersister(accessor.realm)
            try accessor.replaceContents(
                with: .set(try value.map { try $0._stored(by: persister).value }.asSet), transaction)
        }
    }
    public static func _initial() -> MutableSet { MutableSet() }

    public static func _assigned(_ value: MutableSet, _ old: _PersistedContent<MutableSet>) -> MutableSet {
        old.taking(value)
    }

    public static func _stored(_ value: MutableSet, by persister: _ObjectPersister) throws -> _Stored? {
        _Stored(.set(try value.map { try $0._stored(by: persister).value }.asSet))
    }
    public static func _traced(_ trace: _Trace) -> MutableSet { MutableSet(trace) }

    /// See `List._converted`.
    public static func _converted(_ value: Any?, _ context: _PropertyContext) throws -> MutableSet {
        MutableSet(unmanaged: try convertedElements(value, context))
    }
}

extension MutableSet: _SetOfValues, _ReferencePayloadSource {}

extension MutableSet: _UnmanagedElements, _HeldCollection {
    var unmanagedElements: [Any] { unmanaged }

    func replaceElements(with other: MutableSet) {
        unmanaged = []
        members = []
        for element in other { insert(element) }
    }

    func promote(to accessor: PropertyAccessor) {
        guard managed == nil else { return }
        managed = accessor
        unmanaged = []
        members = []
    }
}

extension MutableSet: _UnwrappedProperty {
    static var _wrapper: any _PersistedProperty.Type { UnwrappedCollection<MutableSet>.self }

    func _startTrace(_ trace: _Trace, _ name: String) { tracing = TraceStart(trace: trace, name: name) }
    func _endTrace() { _ = tracing.begin() }
}
