extension BoundPredicate {
    /// A part of a predicate that determines which values are read. All walks over bound predicates visit these parts.
    package enum Part {
        /// A `constant`, a `list` or `objects`.
        case constants(BoundOperand)
        /// The path of an operand, an aggregate or a full-text search.
        case path(BoundPath)
        /// The parts of a subquery's own predicate start at another object. They are not visited with the parts of the
        /// outer predicate.
        case subquery(BoundSubquery)
        case geoWithin(BoundGeoWithin)
    }

    /// Calls `body` for each part, in the order of the predicate. The recursion is as deep as the predicate, whose
    /// depth is limited as that of query texts.
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

    /// The number of conditions that `AND`, `OR` and `NOT` combine.
    package var comparisonCount: Int {
        switch self {
        case .constant, .comparison, .between, .fullText, .geoWithin: 1
        case .not(let inner): inner.comparisonCount
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.comparisonCount }
        }
    }

    /// Whether the condition is true for any part.
    package func containsPart(where condition: (Part) -> Bool) -> Bool {
        var isFound = false
        forEachPart { part in if !isFound { isFound = condition(part) } }
        return isFound
    }

    /// Returns the predicate with its constants transformed, including those in subqueries.
    ///
    /// - Parameter transform: called with each `constant`, `list` and `objects`.
    package func mappingConstants(_ transform: (BoundOperand) throws -> BoundOperand) rethrows -> BoundPredicate {
        try mappingParts(transform, { $0 }, { $0 })
    }

    /// Returns the predicate with its paths transformed, including those in subqueries.
    ///
    /// - Parameters:
    ///   - transform: called with each whole path, including its links.
    ///   - links: called with the links of subqueries and `geoWithin` searches, which are not part of a path.
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
