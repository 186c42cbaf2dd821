extension BoundPredicate {
    /// A part of a predicate that says which values are read. Every walk over bound predicates goes over these.
    package enum Part {
        /// A `constant`, a `list` or `objects`.
        case constants(BoundOperand)
        /// Of an operand, an aggregate or a full-text search.
        case path(BoundPath)
        /// The parts of its predicate begin at another object and are not given with those of the predicate around it.
        case subquery(BoundSubquery)
        case geoWithin(BoundGeoWithin)
    }

    /// Calls the body for each part, in the order in which they are written. Recursion goes as deep as the predicate is
    /// nested, which is as deep as a text may be.
    package func forEachPart<Failure>(_ body: (Part) throws(Failure) -> Void) throws(Failure) {
        switch self {
        case .constant: break
        case .comparison(let comparison):
            try comparison.left.forEachPart(body)
            try comparison.right.forEachPart(body)
        case .between(let between): try between.operand.forEachPart(body)
        case .fullText(let search): try body(.path(search.path))
        case .geoWithin(let search): try body(.geoWithin(search))
        case .not(let inner): try inner.forEachPart(body)
        case .and(let parts), .or(let parts): for part in parts { try part.forEachPart(body) }
        }
    }

    /// Whether the condition holds for a part.
    package func containsPart(where condition: (Part) -> Bool) -> Bool {
        var isFound = false
        forEachPart { part in if !isFound { isFound = condition(part) } }
        return isFound
    }

    /// The predicate with others in the place of its constants, also of those within subqueries.
    ///
    /// - Parameter transform: gets each `constant`, `list` and `objects`.
    package func mappingConstants(_ transform: (BoundOperand) throws -> BoundOperand) rethrows -> BoundPredicate {
        try mappingParts(transform, { $0 }, { $0 })
    }

    /// The predicate with others in the place of its paths, also of those within subqueries.
    ///
    /// - Parameters:
    ///   - transform: gets each path as a whole, with its links.
    ///   - links: gets the links of subqueries and of searches by place, which have no path.
    package func mappingPaths(
        _ transform: (BoundPath) throws -> BoundPath, links: ([LinkStep]) throws -> [LinkStep]
    ) rethrows -> BoundPredicate { try mappingParts({ $0 }, transform, links) }

    fileprivate func mappingParts(
        _ constants: (BoundOperand) throws -> BoundOperand, _ paths: (BoundPath) throws -> BoundPath,
        _ links: ([LinkStep]) throws -> [LinkStep]
    ) rethrows -> BoundPredicate {
        switch self {
        case .constant: return self
        case .comparison(var comparison):
            comparison.left = try comparison.left.mappingParts(constants, paths, links)
            comparison.right = try comparison.right.mappingParts(constants, paths, links)
            return .comparison(comparison)
        case .between(var between):
            between.operand = try between.operand.mappingParts(constants, paths, links)
            return .between(between)
        case .fullText(var search):
            search.path = try paths(search.path)
            return .fullText(search)
        case .geoWithin(var search):
            search.links = try links(search.links)
            return .geoWithin(search)
        case .not(let inner): return .not(try inner.mappingParts(constants, paths, links))
        case .and(let parts):
            return .and(try parts.map { try $0.mappingParts(constants, paths, links) })
        case .or(let parts):
            return .or(try parts.map { try $0.mappingParts(constants, paths, links) })
        }
    }
}

extension BoundOperand {
    fileprivate func forEachPart<Failure>(
        _ body: (BoundPredicate.Part) throws(Failure) -> Void
    ) throws(Failure) {
        switch self {
        case .constant, .list, .objects: try body(.constants(self))
        case .path(let path): try body(.path(path))
        case .aggregate(let aggregate): try body(.path(aggregate.path))
        case .subquery(let subquery): try body(.subquery(subquery))
        case .arithmetic(let arithmetic):
            try arithmetic.left.forEachPart(body)
            try arithmetic.right.forEachPart(body)
        }
    }

    fileprivate func mappingParts(
        _ constants: (BoundOperand) throws -> BoundOperand, _ paths: (BoundPath) throws -> BoundPath,
        _ links: ([LinkStep]) throws -> [LinkStep]
    ) rethrows -> BoundOperand {
        switch self {
        case .constant, .list, .objects: return try constants(self)
        case .path(let path): return .path(try paths(path))
        case .aggregate(var aggregate):
            aggregate.path = try paths(aggregate.path)
            return .aggregate(aggregate)
        case .subquery(var subquery):
            subquery.links = try links(subquery.links)
            subquery.predicate = try subquery.predicate.mappingParts(constants, paths, links)
            return .subquery(subquery)
        case .arithmetic(var arithmetic):
            arithmetic.left = try arithmetic.left.mappingParts(constants, paths, links)
            arithmetic.right = try arithmetic.right.mappingParts(constants, paths, links)
            return .arithmetic(arithmetic)
        }
    }
}
