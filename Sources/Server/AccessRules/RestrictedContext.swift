import ObjectModel
import QueryLanguage
import StoreContract

/// A state of the store as one caller sees it.
///
/// Every returned value is masked: no link or reference leads to an object that the caller cannot see.
protocol RestrictedContext: ReadContext {
    /// The unrestricted state.
    var origin: any ReadContext { get }
    var access: BoundAccess { get }

    /// Whether the caller can see the object, by itself or as part of its owner. False for an object that does not
    /// exist.
    func isVisible(_ object: ObjectReference) throws -> Bool
}

extension RestrictedContext {
    package var version: Version { origin.version }
    package var tag: HistoryTag { origin.tag }
    package var budget: QueryBudget? { origin.budget }
    package var isPartial: Bool { true }
    package var mark: Mark { origin.mark.seen(by: access.fingerprint) }

    var redaction: ValueRedaction { ValueRedaction { [self] in try isVisible($0) } }

    // MARK: Objects

    package func count(of classID: ClassID) -> Int {
        switch access.access(classID).listed {
        case .constant(true): origin.count(of: classID)
        case .constant(false): 0
        case let rule: (try? origin.count(BoundQuery(classID: classID, predicate: rule))) ?? 0
        }
    }

    package func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        try isVisible(ObjectReference(classID, key))
    }

    package func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        guard schema[classID] != nil, let key = try origin.key(of: classID, primaryKey: primaryKey) else { return nil }
        return try exists(classID, key) ? key : nil
    }

    // MARK: Queries

    /// Returns the query restricted to visible objects; nil if the scope's object or property is not visible.
    func restricted(_ query: BoundQuery) throws -> BoundQuery? {
        if case .property(let holder, let property) = query.scope {
            guard access.visibleSchema[holder.classID]?[property] != nil, try isVisible(holder) else { return nil }
        }
        return access.restrict(query)
    }

    /// Returns the restricted query; in place of nil, a query without results.
    func restrictedOrEmpty(_ query: BoundQuery) throws -> BoundQuery {
        try restricted(query) ?? BoundQuery(classID: query.classID, predicate: .constant(false))
    }

    package func count(_ query: BoundQuery) throws -> Int {
        guard let query = try restricted(query) else { return 0 }
        return try origin.count(query)
    }

    package func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool {
        // The scope is not checked, so its object does not matter.
        guard try exists(query.classID, key) else { return false }
        return try origin.matches(access.restrict(query), key)
    }

    package func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        try origin.aggregate(restrictedOrEmpty(query), requests.map { access.restrict($0) })
    }

    package func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        guard let query = try restricted(query) else { return SectionedKeys(sections: [], keys: []) }
        return try origin.sections(query, by: access.restrict(key))
    }
}
