public import Foundation
import ObjectModel
import StoreContract

/// An ordered collection of stored values in a property of an object. A value can occur several times.
///
/// The list of a managed object shows the stored list at the realm's version, and can be changed only within a write of
/// its realm. A list that is created on its own, or belongs to an unmanaged object, holds its elements in memory.
/// Objects added to a managed list become managed; deleted objects disappear from it.
///
/// Traps for positions that do not exist, edits outside of a write, objects of another realm, and embedded objects that
/// already have an owner.
///
/// ```swift
/// try realm.write {
///     edition.chapters.append(Chapter(value: ["title": "Letter 1", "pages": 6]))
///     edition.chapters.move(from: 0, to: edition.chapters.count - 1)
/// }
/// let pages: Int = edition.chapters.sum(of: \.pages)
/// ```
public final class List<Element: RealmCollectionValue>: RealmCollectionImpl {
    private var managed: (any EditableAccessor)?
    private(set) var unmanaged: [Element] = []
    /// Set while key paths are traced.
    private var tracing = TraceStart()
    private var trace: _Trace? { tracing.begin() }

    var accessor: (any CollectionAccessor)? { managed }

    /// Creates an empty, unmanaged list.
    public init() {}

    /// Creates a list for a list's accessor; an empty one for other accessors.
    init(accessor: any CollectionAccessor) { managed = accessor as? any EditableAccessor }

    init(unmanaged: [Element]) { self.unmanaged = unmanaged }

    init(_ trace: _Trace) { tracing = TraceStart(trace: trace) }

    /// The element at a position; it can be replaced within a write. Traps if the position does not exist.
    public subscript(position: Int) -> Element {
        get { trace.map { Element._traced($0) } ?? element(at: position) }
        set { replace(index: position, object: newValue) }
    }

    public var description: String { describe(0) }

    /// Whether both are the same stored list, or unmanaged lists with equal elements.
    public static func == (a: List, b: List) -> Bool { a === b || areSame(a, b) }

    /// Hashes consistently with `==`.
    public func hash(into hasher: inout Hasher) {
        if let managed { hasher.combine(ObjectIdentifier(managed.realm)) } else { hasher.combine(unmanaged) }
    }

    // MARK: Adding

    /// Appends an element.
    public func append(_ object: Element) {
        trapOnError {
            guard let managed else { return unmanaged.append(object) }
            try managed.edit(with: object) {
                .append($0)
            } whence: {
                try managed.value(at: managed.count() - 1)
            }
        }
    }

    /// Appends elements.
    public func append<S: Sequence>(objectsIn objects: S) where S.Iterator.Element == Element {
        trapOnError { _ = try managed?.writing() }
        for object in detached(objects) { append(object) }
    }

    /// Inserts an element at a position up to `count`.
    public func insert(_ object: Element, at index: Int) {
        trapOnError {
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

    /// Inserts elements at a position up to `count`.
    public func insert<C: Collection>(contentsOf newElements: C, at i: Int) where C.Iterator.Element == Element {
        var position = i
        for element in detached(newElements) {
            insert(element, at: position)
            position += 1
        }
    }

    /// The elements, with copies of stored collections within mixed values: those are found by their positions in this
    /// list perhaps, which change with each edit.
    private func detached(_ elements: some Sequence<Element>) -> [Element] {
        elements.map { element in
            guard managed != nil, let value = element as? AnyRealmValue else { return element }
            return value.detached as? Element ?? element
        }
    }

    // MARK: Replacing and moving

    /// Replaces the element at a position.
    public func replace(index: Int, object: Element) {
        trapOnError {
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

    /// Moves an element to the position `to`.
    public func move(from: Int, to: Int) {
        trapOnError {
            _ = try managed?.writing()
            let count = count
            try checkIndex(from, count)
            try checkIndex(to, count)
            guard let managed else { return unmanaged.insert(unmanaged.remove(at: from), at: to) }
            try managed.edit(.move(from: from, to: to))
        }
    }

    /// Swaps two elements.
    public func swapAt(_ index1: Int, _ index2: Int) {
        trapOnError {
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

    /// Removes an element. An embedded object is deleted; other objects stay in the realm.
    public func remove(at index: Int) {
        trapOnError {
            _ = try managed?.writing()
            try checkIndex(index, count)
            guard let managed else {
                unmanaged.remove(at: index)
                return
            }
            try managed.edit(.remove(at: index))
        }
    }

    /// Removes the first elements. Traps if the list has fewer.
    public func removeFirst(_ number: Int = 1) {
        trapOnError { try checkRemoval(of: number) }
        removeAll(in: 0..<number)
    }

    /// Removes the last elements. Traps if the list has fewer.
    public func removeLast(_ number: Int = 1) {
        trapOnError { try checkRemoval(of: number) }
        let count = count
        removeAll(in: count - number..<count)
    }

    private func checkRemoval(of number: Int) throws {
        _ = try managed?.writing()
        guard number >= 0 else { throw RealmException("Cannot pass a negative value for 'index'.") }
        let count = count
        guard number <= count else {
            throw RealmException(
                "It is not possible to remove more objects (\(number)) from a list than it already contains (\(count))."
            )
        }
    }

    /// Removes all elements.
    public func removeAll() {
        trapOnError {
            guard let managed else { return unmanaged.removeAll() }
            try managed.edit(.removeAll)
        }
    }

    /// Removes the elements in a range of positions.
    public func removeSubrange<R: RangeExpression>(_ boundsExpression: R) where R.Bound == Int {
        let bounds = boundsExpression.relative(to: self)
        trapOnError { try check(bounds) }
        removeAll(in: bounds)
    }

    /// Removes the elements at the positions.
    public func remove(atOffsets offsets: IndexSet) {
        trapOnError {
            _ = try managed?.writing()
            if let highest = offsets.last { try checkIndex(highest, count) }
        }
        for offset in offsets.reversed() { remove(at: offset) }
    }

    /// Replaces the elements in a range of positions.
    public func replaceSubrange<C: Collection, R: RangeExpression>(_ subrange: R, with newElements: C)
    where C.Iterator.Element == Element, R.Bound == Int {
        let bounds = subrange.relative(to: self)
        trapOnError { try check(bounds) }
        let elements = detached(newElements)
        removeAll(in: bounds)
        insert(contentsOf: elements, at: bounds.lowerBound)
    }

    /// Moves the elements at the positions, in their order, before the element that is now at `destination`.
    public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
        trapOnError {
            _ = try managed?.writing()
            if let highest = offsets.last { try checkIndex(highest, count) }
            try checkIndex(destination, count + 1)
        }
        for (done, offset) in offsets.filter({ $0 < destination }).enumerated() {
            // The elements before it that were moved have shifted the others down.
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

    /// Returns a property's value of each element; see `RealmCollection.value(forKey:)`.
    public func value(forKey key: String) -> [AnyObject] { trapOnError { try keyValues(key) } }

    /// Returns the values at a dotted path; see `RealmCollection.value(forKeyPath:)`. Traps for operators with a single
    /// result, such as `@count`.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> [AnyObject] { trapOnError { try keyValues(at: keyPath) } }

    /// See `RealmCollection`; the key `self` replaces each element.
    public func setValue(_ value: Any?, forKey key: String) {
        trapOnError {
            guard key == "self", !(Element.self is ObjectBase.Type) else { return try setKeyValue(value, key) }
            _ = try managed?.writing()
            let context = _PropertyContext(className: "List", property: key, type: Element._storedType.type)
            let element = try Element._converted(value, context)
            for position in 0..<count { replace(index: position, object: element) }
        }
    }
}

extension List: MutableCollection {
    public typealias SubSequence = Slice<List>

    /// Sorting and partitioning call it. A stored list of mixed values with collections among them gives copies of its
    /// elements, and takes them over afterwards: a collection that is stored in the list is found by its position, which
    /// would lead elsewhere as soon as the first element is assigned. Other lists return nil.
    public func withContiguousMutableStorageIfAvailable<R>(
        _ body: (inout UnsafeMutableBufferPointer<Element>) throws -> R
    ) rethrows -> R? {
        guard managed != nil, Element.self is AnyRealmValue.Type else { return nil }
        trapOnError { _ = try managed?.writing() }
        var elements = detached(self)
        let result = try elements.withContiguousMutableStorageIfAvailable(body)
        for (position, element) in elements.enumerated() { replace(index: position, object: element) }
        return result
    }

    /// The elements in a range of positions; within a write they can be replaced, also by a different number of
    /// elements.
    public subscript(bounds: Range<Int>) -> Slice<List> {
        get {
            trapOnError { try checkBounds(bounds, count) }
            return Slice(base: self, bounds: bounds)
        }
        set { replaceSubrange(bounds, with: newValue) }
    }
}

/// Throws if the range exceeds the positions of the collection.
private func checkBounds(_ bounds: Range<Int>, _ count: Int) throws {
    if bounds.lowerBound < 0 { try checkIndex(-1, count) }
    if bounds.upperBound > count { try checkIndex(bounds.upperBound - 1, count) }
}

extension List where Element: ObjectBase {
    /// Refers to the elements in the key paths of projections: `\Person.dogs.projectTo.name`. Traps elsewhere.
    public var projectTo: Element { projected(trace) }
}

/// Returns the placeholder for the elements of a traced collection.
func projected<Element: _Storable>(_ trace: _Trace?) -> Element {
    trapOnError {
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
        trapOnError { try object.collection(slot) { List(accessor: $0) } }
    }

    /// Copies the elements; does nothing if a list is assigned to itself.
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: List) {
        trapOnError {
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

    public static func _assigned(_ value: List, _ old: _PersistedContent<List>) -> List { old.taking(value) }

    public static func _stored(_ value: List, by persister: _ObjectPersister) throws -> _Stored? {
        _Stored(.list(try value.map { try $0._stored(by: persister).value }))
    }
    public static func _traced(_ trace: _Trace) -> List { List(trace) }

    /// Returns a new list with the converted elements of an array or another sequence; empty for null.
    public static func _converted(_ value: Any?, _ context: _PropertyContext) throws -> List {
        List(unmanaged: try convertedElements(value, context))
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

/// A list, with the type of its elements.
protocol _TypedElements {
    static var elementType: any RealmCollectionValue.Type { get }
}

extension List: _TypedElements {
    static var elementType: any RealmCollectionValue.Type { Element.self }
}

/// Converts the elements of an untyped collection.
func convertedElements<Element: RealmCollectionValue>(_ value: Any?, _ context: _PropertyContext) throws -> [Element] {
    guard let value = value.flatMap({ flattened($0) }), !(value is NSNull) else { return [] }
    var context = context
    let collection = context
    context.type.collection = .single
    func elements<S: Sequence>(_ sequence: S) throws -> [Element] {
        try sequence.map { try Element._converted($0, context) }
    }
    switch value {
    case is String, is Data, is [String: Any], is NSDictionary, is any _MapEntries: throw collection.typeMismatch(value)
    case let array as [Any]: return try elements(array)
    case let sequence as any Sequence: return try elements(sequence)
    default: throw collection.typeMismatch(value)
    }
}

extension List: _UnwrappedProperty {
    static var _wrapper: any _PersistedProperty.Type { UnwrappedCollection<List>.self }

    func _startTrace(_ trace: _Trace, _ name: String) { tracing = TraceStart(trace: trace, name: name) }
    func _endTrace() { _ = tracing.begin() }
}
