import ObjectModel
import QueryLanguage
import StoreContract

/// A version of the store as one caller sees it.
protocol RestrictingReads: RestrictedContext, ObjectReads {
    /// The unrestricted reads.
    var base: any ObjectReads { get }
    var targets: VisibleTargets { get }
}

/// An earlier version as one caller sees it.
final class RestrictedReads: RestrictingReads {
    let base: any ObjectReads
    let access: BoundAccess
    let targets: VisibleTargets

    init(_ base: any ObjectReads, _ access: BoundAccess) {
        self.base = base
        self.access = access
        targets = VisibleTargets(base, access)
    }
}

extension RestrictingReads {
    var origin: any ReadContext { base }
    package var schema: Schema { access.visibleSchema }

    // MARK: Objects

    func isVisible(_ object: ObjectReference) throws -> Bool { try targets.contains(object) }

    package func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        guard schema[classID] != nil else { return false }
        return try isVisible(ObjectReference(classID, key))
    }

    package func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        let found = try self.property(property, of: classID, key)
        let value = try base.value(classID, key, property)
        return access.hides(found) ? try redaction.shown(value, of: found) : value
    }

    package func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int {
        let found = try self.property(property, of: classID, key)
        guard access.leavesElementsOut(found) else { return try base.elementCount(classID, key, property) }
        return try visibleElements(classID, key, found).count
    }

    package func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] {
        let found = try self.property(property, of: classID, key)
        if access.leavesElementsOut(found) {
            let all = try visibleElements(classID, key, found)
            return Array(all[range.clamped(to: all.indices)])
        }
        let elements = try base.elements(classID, key, property, range)
        return access.hides(found) ? try elements.map { try redaction.shownElement($0, found) } : elements
    }

    package func backlinks(to target: ObjectReference, from origin: ClassID, _ property: PropertyID) throws
        -> [ObjectKey]
    {
        guard schema[origin]?[property] != nil else { throw Self.unknownProperty }
        guard try exists(target) else { return [] }
        return try targets.filter(try base.backlinks(to: target, from: origin, property), of: origin)
    }

    private func visibleElements(_ classID: ClassID, _ key: ObjectKey, _ property: PropertySchema) throws -> [Value] {
        try targets.elements(of: ObjectReference(classID, key), property.id) {
            try allVisibleElements(classID, key, property)
        }
    }

    private func allVisibleElements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertySchema
    ) throws -> [Value] {
        let count = try base.elementCount(classID, key, property.id)
        let elements = try base.elements(classID, key, property.id, 0..<count)
        if let target = property.targetClass {
            _ = try targets.filter(elements.flatMap(\.linkedKeys), of: target)
        }
        return try elements.filter { try $0.isNull || !redaction.shownElement($0, property).isNull }
    }

    /// Returns the property of an object. Throws unless both are visible.
    func property(_ id: PropertyID, of classID: ClassID, _ key: ObjectKey) throws -> PropertySchema {
        guard let objectClass = schema[classID] else {
            throw StoreError(.unknownClass, "There is no class number \(classID.rawValue).")
        }
        guard let property = objectClass[id] else { throw Self.unknownProperty }
        guard try exists(classID, key) else {
            throw StoreError(.notFound, "There is no object of class '\(objectClass.name)' with that key.")
        }
        return property
    }

    static var unknownProperty: StoreError { StoreError(.unknownProperty, "There is no such property.") }

    // MARK: Queries

    package func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        guard let query = try restricted(query) else { return [] }
        let keys = try base.select(query, window)
        // The result is usually read next. An embedded object that is visible through an owner may be hidden elsewhere.
        if query.scope == .all || schema[query.classID]?.isEmbedded == false {
            targets.record(visible: keys, of: query.classID)
        }
        return keys
    }

    package func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?] {
        let values = try base.sortValues(keys.map { access.restrict($0) }, of: key, in: classID)
        return try zip(keys, values).map { key, value in
            try value.map { try shown($0, at: key.path, from: classID) }
        }
    }

    /// Masks the value at the end of a path. Paths themselves hide the objects on the way.
    private func shown(_ value: Value, at path: BoundPath, from classID: ClassID) throws -> Value {
        switch value {
        case .link(let key):
            guard case .property(let property, _) = path.end,
                let target = schema[path.links.last?.target ?? classID]?[property]?.targetClass
            else { return .null }
            return try targets.contains(ObjectReference(target, key)) ? value : .null
        case .reference(let target): return try targets.contains(target) ? value : .null
        default: return value
        }
    }
}

extension LinkStep {
    /// The class of the objects at the end of the step.
    fileprivate var target: ClassID {
        switch self {
        case .forward(_, let target), .elements(_, let target, _), .rowSecurity(_, let target): target
        case .backward(let origin, _): origin
        }
    }
}
