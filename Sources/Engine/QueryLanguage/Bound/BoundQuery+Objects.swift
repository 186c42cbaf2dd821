package import ObjectModel

extension BoundQuery {
    /// The query with its objects looked up by their primary keys. `find` returns an object's key, nil when there is
    /// none. Cost: one look-up for each such object.
    package func namingObjects(
        _ find: (ClassID, _ primaryKey: Value) throws -> ObjectKey?
    ) rethrows -> BoundQuery {
        guard predicate.namesObjects else { return self }
        var query = self
        query.predicate = try predicate.namingObjects(find)
        return query
    }
}

extension BoundPredicate {
    /// Whether any comparison, also inside subqueries' predicates, has an object by its primary key.
    fileprivate var namesObjects: Bool {
        containsPart { part in
            switch part {
            case .constants(.objects): true
            case .subquery(let subquery): subquery.predicate.namesObjects
            default: false
            }
        }
    }

    /// The predicate with its objects looked up by their primary keys.
    package func namingObjects(
        _ find: (ClassID, _ primaryKey: Value) throws -> ObjectKey?
    ) rethrows -> BoundPredicate {
        try mappingConstants { operand in
            guard case .objects(let objects) = operand else { return operand }
            let values = try objects.elements.map { element in
                switch element {
                case .value(let value): return value
                case .object(let classID, let primaryKey):
                    // No object has a key below 0.
                    let key = try find(classID, primaryKey) ?? ObjectKey(-1)
                    return Value.reference(ObjectReference(classID, key))
                }
            }
            return objects.isList || values.count != 1 ? .list(values) : .constant(values[0])
        }
    }
}
