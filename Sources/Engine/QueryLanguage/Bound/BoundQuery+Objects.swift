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
        switch self {
        case .constant, .fullText, .geoWithin: false
        case .between(let between): between.operand.namesObjects
        case .comparison(let comparison): comparison.left.namesObjects || comparison.right.namesObjects
        case .not(let inner): inner.namesObjects
        case .and(let parts), .or(let parts): parts.contains(where: \.namesObjects)
        }
    }

    /// The predicate with its objects looked up by their primary keys.
    package func namingObjects(
        _ find: (ClassID, _ primaryKey: Value) throws -> ObjectKey?
    ) rethrows -> BoundPredicate {
        switch self {
        case .constant, .fullText, .geoWithin: return self
        case .between(var between):
            between.operand = try between.operand.namingObjects(find)
            return .between(between)
        case .comparison(var comparison):
            comparison.left = try comparison.left.namingObjects(find)
            comparison.right = try comparison.right.namingObjects(find)
            return .comparison(comparison)
        case .not(let inner): return .not(try inner.namingObjects(find))
        case .and(let parts): return .and(try parts.map { try $0.namingObjects(find) })
        case .or(let parts): return .or(try parts.map { try $0.namingObjects(find) })
        }
    }
}

extension BoundOperand {
    fileprivate var namesObjects: Bool {
        switch self {
        case .constant, .list, .path, .aggregate: false
        case .objects: true
        case .subquery(let subquery): subquery.predicate.namesObjects
        case .arithmetic(let arithmetic): arithmetic.left.namesObjects || arithmetic.right.namesObjects
        }
    }

    fileprivate func namingObjects(
        _ find: (ClassID, _ primaryKey: Value) throws -> ObjectKey?
    ) rethrows -> BoundOperand {
        switch self {
        case .constant, .list, .path, .aggregate: return self
        case .objects(let objects):
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
        case .subquery(var subquery):
            subquery.predicate = try subquery.predicate.namingObjects(find)
            return .subquery(subquery)
        case .arithmetic(var arithmetic):
            arithmetic.left = try arithmetic.left.namingObjects(find)
            arithmetic.right = try arithmetic.right.namingObjects(find)
            return .arithmetic(arithmetic)
        }
    }
}
