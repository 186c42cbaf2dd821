public import Foundation
import ObjectModel
import StoreContract

/// An ordered collection of stored values, a property of an object: elements keep their order and may be there several
/// times.
///
/// The list of a managed object shows the stored one, at the realm's version; to change it takes a write of its realm. A
/// list that was made by itself, or is of an unmanaged object, is plain memory. Objects that are put into a managed list
/// become managed with it; those that are deleted disappear from it.
///
/// Traps: positions that do not exist; edits outside of a write; objects of another realm; embedded objects that have an
/// owner already.
public final class List<Element: RealmCollectionValue>: RealmCollectionImpl {
    private var managed: (any EditableAccessor)?
    private(set) var unmanaged: [Element] = []
    /// Set while key paths are traced.
    private var tracing = TraceStart()
    private var trace: _Trace? { tracing.begin() }

    var accessor: (any CollectionAccessor)? { managed }

    /// An empty, unmanaged list.
    public init() {}

    /// Of a list, or it is empty.
    init(accessor: any CollectionAccessor) { managed = accessor as? any EditableAccessor }

    init(unmanaged: [Element]) { self.unmanaged = unmanaged }

    init(_ trace: _Trace) { tracing = TraceStart(trace: trace) }

    /// The element at a position; within a write it can be replaced. Traps for one that does not exist.
    public subscript(position: Int) -> Element {
        get { trace.map { Element._traced($0) } ?? element(at: position) }
        set { replace(index: position, object: newValue) }
    }

    public var description: String { describe(0) }

    /// The same stored list; unmanaged lists are equal when their elements are.
    public static func == (a: List, b: List) -> Bool { a === b || areSame(a, b) }

    /// As `==` tells lists apart.
    public func hash(into hasher: inout Hasher) {
        if let managed { hasher.combine(ObjectIdentifier(managed.realm)) } else { hasher.combine(unmanaged) }
    }

    // MARK: Adding

    /// Adds an element at the end.
    public func append(_ object: Element) {
        raising {
            guard let managed else { return unmanaged.append(object) }
            try managed.edit(with: object) {
                .append($0)
            } whence: {
                try managed.value(at: managed.count() - 1)
            }
        }
    }

    /// Adds elements at the end.
    public func append<S: Sequence>(objectsIn objects: S) where S.Iterator.Element == Element {
        raising { _ = try managed?.writing() }
        for object in Array(objects) { append(object) }
    }

    /// Puts an element in at a position up to `count`; those from there on move up.
    public func insert(_ object: Element, at index: Int) {
        raising {
            guard let managed else {
                try checkIndex(index, unmanaged.count + 1)
                return unmanaged.insert(object, at: index)
            }
            _ = try managed.writing()
            try checkIndex(index, managed.count() + 1)
            try managed.edit(with: object) {
                .insert($0, at: index)
            } whence: {
                try managed.value(at: index)
            }
        }
    }

    /// Puts elements in at a position up to `count`.
    public func insert<C: Collection>(contentsOf newElements: C, at i: Int) where C.Iterator.Element == Element {
        var position = i
        for element in Array(newElements) {
            insert(element, at: position)
            position += 1
        }
    }

    // MARK: Replacing and moving

    /// Puts another element in the place of one.
    public func replace(index: Int, object: Element) {
        raising {
            guard let managed else {
                try checkIndex(index, unmanaged.count)
                return unmanaged[index] = object
            }
            _ = try managed.writing()
            try checkIndex(index, managed.count())
            try managed.edit(with: object) {
                .replace($0, at: index)
            } whence: {
                try managed.value(at: index)
            }
        }
    }

    /// Moves an element, which is at `to` afterwards.
    public func move(from: Int, to: Int) {
        raising {
            _ = try managed?.writing()
            let count = count
            try checkIndex(from, count)
            try checkIndex(to, count)
            guard let managed else { return unmanaged.insert(unmanaged.remove(at: from), at: to) }
            try managed.edit(.move(from: from, to: to))
        }
    }

    /// Exchanges two elements.
    public func swapAt(_ index1: Int, _ index2: Int) {
        raising {
            _ = try managed?.writing()
            let count = count
            try checkIndex(index1, count)
            try checkIndex(index2, count)
        }
        let (low, high) = (Swift.min(index1, index2), Swift.max(index1, index2))
        guard low != high else { return }
        move(from: low, to: high)
        if high - 1 != low { move(from: high - 1, to: low) }
    }

    // MARK: Removing

    /// Takes an element out. An embedded object is deleted with that; others stay in the realm.
    public func remove(at index: Int) {
        raising {
            _ = try managed?.writing()
            try checkIndex(index, count)
            guard let managed else {
                unmanaged.remove(at: index)
                return
            }
            try managed.edit(.remove(at: index))
        }
    }

    /// Takes the first elements out. Traps if there are not so many.
    public func removeFirst(_ number: Int = 1) {
        raising { try checkRemoval(of: number) }
        removeAll(in: 0..<number)
    }

    /// Takes the last elements out. Traps if there are not so many.
    public func removeLast(_ number: Int = 1) {
        raising { try checkRemoval(of: number) }
        let count = count
        removeAll(in: count - number..<count)
    }

    private func checkRemoval(of number: Int) throws {
        _ = try managed?.writing()
        guard number >= 0 else { throw RealmException("Cannot pass a negative value for 'index'.") }
        let count = count
        guard number <= count else {
            throw RealmException("Cannot remove \(number) elements from a list that has only \(count).")
        }
    }

    /// Takes all elements out.
    public func removeAll() {
        raising {
            guard let managed else { return unmanaged.removeAll() }
            try managed.edit(.removeAll)
        }
    }

    /// Takes the elements of a range of positions out.
    public func removeSubrange<R: RangeExpression>(_ boundsExpression: R) where R.Bound == Int {
        let bounds = boundsExpression.relative(to: self)
        raising { try check(bounds) }
        removeAll(in: bounds)
    }

    /// Takes the elements at the positions out.
    public func remove(atOffsets offsets: IndexSet) {
        raising {
            _ = try managed?.writing()
            if let highest = offsets.last { try checkIndex(highest, count) }
        }
        for offset in offsets.reversed() { remove(at: offset) }
    }

    /// Puts elements in the place of those in a range of positions.
    public func replaceSubrange<C: Collection, R: RangeExpression>(_ subrange: R, with newElements: C)
    where C.Iterator.Element == Element, R.Bound == Int {
        let bounds = subrange.relative(to: self)
        raising { try check(bounds) }
        let elements = Array(newElements)
        removeAll(in: bounds)
        insert(contentsOf: elements, at: bounds.lowerBound)
    }

    /// Moves the elements at the positions, in their order, to before the element that is at `destination` now.
    public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
        raising {
            _ = try managed?.writing()
            if let highest = offsets.last { try checkIndex(highest, count) }
            try checkIndex(destination, count + 1)
        }
        for (done, offset) in offsets.filter({ $0 < destination }).enumerated() {
            // Those before it that went already have made room.
            move(from: offset - done, to: destination - 1)
        }
        for (done, offset) in offsets.filter({ $0 >= destination }).enumerated() {
            move(from: offset, to: destination + done)
        }
    }

    private func check(_ bounds: Range<Int>) throws {
        _ = try managed?.writing()
        let count = count
        if bounds.lowerBound < 0 || bounds.upperBound < 0 { try checkIndex(-1, count) }
        guard bounds.upperBound > 0 else { return }
        try checkIndex(bounds.upperBound - 1, bounds.isEmpty ? count + 1 : count)
    }

    private func removeAll(in bounds: Range<Int>) {
        guard !bounds.isEmpty else { return }
        if bounds == 0..<count { return removeAll() }
        for position in bounds.reversed() { remove(at: position) }
    }

    // MARK: Key-value access

    /// See `RealmCollection`; the key `self` replaces each element.
    public func setValue(_ value: Any?, forKey key: String) {
        raising {
            guard key == "self", !(Element.self is ObjectBase.Type) else { return try setKeyValue(value, key) }
            _ = try managed?.writing()
            let place = _Place(className: "List", property: key, type: Element._storedType.type)
            let element = try Element._converted(value, place)
            for position in 0..<count { replace(index: position, object: element) }
        }
    }
}

extension List: MutableCollection {
    public typealias SubSequence = Slice<List>

    /// The elements of a range of positions; within a write they can be replaced, also by another number of them.
    public subscript(bounds: Range<Int>) -> Slice<List> {
        get {
            raising { try checkBounds(bounds, count) }
            return Slice(base: self, bounds: bounds)
        }
        set { replaceSubrange(bounds, with: newValue) }
    }
}

/// Throws for a range that goes beyond what a collection has.
private func checkBounds(_ bounds: Range<Int>, _ count: Int) throws {
    if bounds.lowerBound < 0 { try checkIndex(-1, count) }
    if bounds.upperBound > count { try checkIndex(bounds.upperBound - 1, count) }
}

extension List where Element: ObjectBase {
    /// Leads on to the elements in the key paths of projections: `\Person.dogs.projectTo.name`. Traps elsewhere.
    public var projectTo: Element { projected(trace) }
}

/// The element that a traced collection stands for.
func projected<Element: _Storable>(_ trace: _Trace?) -> Element {
    raising {
        guard let trace else { throw RealmException("'projectTo' can only be used in the key paths of projections.") }
        return trace.element as? Element ?? Element._traced(trace)
    }
}

extension List: Hashable {}

extension List: _HasPersistedType {
    public typealias PersistedType = List<Element>
}

extension List: _Persistable {
    public static var _propertyType: _StoredType { Element._storedType.collected(in: .list) }
    public static func _get(_ object: ObjectBase, _ slot: Int) -> List {
        raising { try object.collection(slot) { List(accessor: $0) } }
    }

    /// Copies the elements; a list assigned to itself stays as it is.
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: List) {
        raising {
            let accessor = try PropertyAccessor(object, slot)
            let transaction = try accessor.writing()
            if value.accessor?.isSame(as: accessor) == true { return }
            let persister = _ObjectPersister(accessor.realm)
            let elements = Array(value)
            try accessor.replaceContents(
                with: .list(try elements.map { try $0._stored(by: persister).value }), transaction)
            try object.bindEmbedded(slot, elements)
        }
    }
    public static func _initial() -> List { List() }

    public static func _kept(_ value: List, _ old: _PersistedContent<List>) -> List { old.taking(value) }

    public static func _stored(_ value: List, by persister: _ObjectPersister) throws -> _Stored? {
        _Stored(.list(try value.map { try $0._stored(by: persister).value }))
    }
    public static func _traced(_ trace: _Trace) -> List { List(trace) }

    /// A new list with the elements of an array or another sequence, each as a property would take it; empty for null.
    public static func _converted(_ value: Any?, _ place: _Place) throws -> List {
        List(unmanaged: try convertedElements(value, place))
    }
}

extension List: _UnmanagedElements, _HeldCollection {
    var unmanagedElements: [Any] { unmanaged }

    func replaceElements(with other: List) { unmanaged = Array(other) }

    func promote(to accessor: PropertyAccessor) {
        guard managed == nil else { return }
        managed = accessor
        unmanaged = []
    }
}

/// The elements that are given for a collection by name.
func convertedElements<Element: RealmCollectionValue>(_ value: Any?, _ place: _Place) throws -> [Element] {
    guard let value = value.flatMap({ flattened($0) }), !(value is NSNull) else { return [] }
    var place = place
    let collection = place
    place.type.collection = .single
    func elements<S: Sequence>(_ sequence: S) throws -> [Element] {
        try sequence.map { try Element._converted($0, place) }
    }
    switch value {
    case is String, is Data, is [String: Any], is NSDictionary, is any _MapEntries: throw collection.misfit(value)
    case let array as [Any]: return try elements(array)
    case let sequence as any Sequence: return try elements(sequence)
    default: throw collection.misfit(value)
    }
}

extension List: _BareProperty {
    static var _wrapper: any _PersistedProperty.Type { BareCollection<List>.self }

    func _startTrace(_ trace: _Trace, _ name: String) { tracing = TraceStart(trace: trace, name: name) }
    func _endTrace() { _ = tracing.begin() }
}
