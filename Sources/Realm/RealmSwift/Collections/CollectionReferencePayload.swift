import ObjectModel
import QueryLanguage

/// The identity of a managed collection without its realm, for access from another thread or at another version.
indirect enum CollectionReferencePayload: Sendable {
    case objects(BoundQuery)
    /// A property of an object, by its stored name.
    case property(ObjectReference, column: String)
    /// The sorted, distinct or filtered values of a collection.
    case values(CollectionReferencePayload, [ValueStep])

    /// A list or dictionary within a mixed value of a property.
    case nested(ObjectReference, column: String, [NestedPath.Step], isList: Bool)

    /// A step that computes values from those of a collection.
    enum ValueStep: Sendable {
        case sort(ascending: Bool)
        case distinct
        case filter(ValueCondition)

        /// Whether the step can leave values out.
        var selects: Bool {
            if case .sort = self { return false }
            return true
        }
    }

    /// Returns the collection as seen by another realm of the same file; nil if its owner was deleted there.
    func accessor(in realm: RLMRealm) throws -> (any CollectionAccessor)? {
        switch self {
        case .objects(let query):
            if case .property(let owner, _) = query.scope, try !realm.exists(owner) { return nil }
            return try ResultsAccessor(realm, query)
        case .property(let owner, let column):
            guard try realm.exists(owner) else { return nil }
            return try PropertyAccessor(realm, owner, column: column)
        case .values(let source, let steps):
            guard let source = try source.accessor(in: realm) as? any ValuesSource else { return nil }
            return ValuesAccessor(source, steps)
        case .nested(let owner, let column, let steps, let isList):
            guard try realm.exists(owner) else { return nil }
            let holder = try PropertyAccessor(realm, owner, column: column)
            let nested = NestedAccessor(
                realm, NestedPath(owner, holder.property, steps, holder.lifetime), isList: isList)
            return nested.isInvalidated ? nil : nested
        }
    }
}
