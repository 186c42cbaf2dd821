import ObjectModel
import QueryLanguage
import StoreContract

/// A transaction as one caller sees it: it shows visible objects only, and rejects changes that the caller may not
/// make.
///
/// The visibility of an object is decided when the transaction first accesses it, and stays the same whatever the write
/// changes; objects that the write creates are visible.
final class RestrictedTransaction: RestrictedContext, WriteTransaction {
    let base: any WriteTransaction
    let access: BoundAccess
    /// The known visibility of objects, by class, including created and deleted ones.
    private var known: [ClassID: [ObjectKey: Bool]] = [:]
    private(set) var created: [ClassID: Set<ObjectKey>] = [:]
    /// Changed objects; they must satisfy the rule at the end, too.
    private(set) var touched: [ClassID: Set<ObjectKey>] = [:]
    /// Objects that satisfied the rule for changes when it was checked.
    private(set) var changeable: [ClassID: Set<ObjectKey>] = [:]
    private var selected: [ClassID: Set<ObjectKey>] = [:]

    init(_ base: any WriteTransaction, _ access: BoundAccess) {
        self.base = base
        self.access = access
    }

    var origin: any ReadContext { base }
    var schema: Schema { access.writableSchema }
    var before: Mark { base.before.seen(by: access.fingerprint) }

    // MARK: Visibility

    func isVisible(_ object: ObjectReference) throws -> Bool {
        if let answer = known[object.classID]?[object.key] { return answer }
        guard schema[object.classID] != nil, try base.exists(object.classID, object.key) else { return false }
        if access.isOpen(object.classID) { return true }
        let rule = BoundQuery(classID: object.classID, predicate: access.access(object.classID).whole)
        let answer = try base.matches(rule, object.key)
        known[object.classID, default: [:]][object.key] = answer
        return answer
    }

    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        let found = try self.property(property, of: classID, key)
        return try shown(found, of: classID, key)
    }

    /// Returns a property's value without hidden objects; a write-only property is null or empty.
    func shown(_ property: PropertySchema, of classID: ClassID, _ key: ObjectKey) throws -> Value {
        guard access.visibleSchema[classID]?[property.id] != nil else { return property.type.zeroValue }
        let value = try base.value(classID, key, property.id)
        return access.hides(property) ? try redaction.shown(value, of: property) : value
    }

    func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int {
        let found = try self.property(property, of: classID, key)
        guard access.visibleSchema[classID]?[property] != nil else { return 0 }
        guard access.leavesElementsOut(found) else { return try base.elementCount(classID, key, property) }
        return try shown(found, of: classID, key).elementList.count
    }

    func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] {
        let found = try self.property(property, of: classID, key)
        guard access.visibleSchema[classID]?[property] != nil else { return [] }
        if access.leavesElementsOut(found) {
            let all = try shown(found, of: classID, key).elementList
            return Array(all[range.clamped(to: all.indices)])
        }
        let elements = try base.elements(classID, key, property, range)
        return access.hides(found) ? try elements.map { try redaction.shownElement($0, found) } : elements
    }

    func backlinks(to target: ObjectReference, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        guard access.visibleSchema[origin]?[property] != nil else {
            throw StoreError(.unknownProperty, "There is no such property.")
        }
        guard try isVisible(target) else { return [] }
        return try base.backlinks(to: target, from: origin, property).filter {
            try isVisible(ObjectReference(origin, $0))
        }
    }

    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        guard let restricted = try restricted(query) else { return [] }
        let keys = try base.select(restricted, window)
        for key in keys { known[query.classID, default: [:]][key] = true }
        selected[query.classID, default: []].formUnion(keys)
        return keys
    }

    /// Returns the property of an object. Throws unless both are visible.
    func property(_ id: PropertyID, of classID: ClassID, _ key: ObjectKey) throws -> PropertySchema {
        let objectClass = try objectClass(classID)
        guard let property = objectClass[id] else { throw unknownProperty(objectClass) }
        guard try exists(classID, key) else { throw notFound(objectClass) }
        return property
    }

    func objectClass(_ classID: ClassID) throws -> ClassSchema {
        guard let found = schema[classID] else {
            throw StoreError(.unknownClass, "There is no class number \(classID.rawValue).")
        }
        return found
    }

    func unknownProperty(_ objectClass: ClassSchema) -> StoreError {
        StoreError(.unknownProperty, "Class '\(objectClass.name)' has no such property.")
    }

    func notFound(_ objectClass: ClassSchema) -> StoreError {
        StoreError(.notFound, "There is no object of class '\(objectClass.name)' with that key.")
    }

    // MARK: Changes

    func record(created key: ObjectKey, of classID: ClassID) {
        created[classID, default: []].insert(key)
        known[classID, default: [:]][key] = true
    }

    func record(deleted key: ObjectKey, of classID: ClassID) {
        created[classID]?.remove(key)
        touched[classID]?.remove(key)
        known[classID, default: [:]][key] = false
    }

    func record(touched key: ObjectKey, of classID: ClassID) { touched[classID, default: []].insert(key) }

    func record(changeable keys: Set<ObjectKey>, of classID: ClassID) {
        changeable[classID, default: []].formUnion(keys)
    }

    /// Returns the objects from queries that have not been checked for changes, and marks them as checked.
    func unasked(_ classID: ClassID) -> Set<ObjectKey> {
        selected.removeValue(forKey: classID)?.filter { created[classID]?.contains($0) != true } ?? []
    }
}

extension Value {
    /// The elements of a list or set.
    fileprivate var elementList: [Value] {
        switch self {
        case .list(let elements), .set(let elements): elements
        default: []
        }
    }
}
