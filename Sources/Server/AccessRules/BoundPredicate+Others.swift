import QueryLanguage

extension BoundPredicate {
    /// Whether the result depends on more than the object's own properties.
    var readsOthers: Bool {
        switch self {
        case .constant: false
        case .comparison(let comparison): comparison.left.readsOthers || comparison.right.readsOthers
        case .between(let between): between.operand.readsOthers
        case .fullText(let search): search.path.readsOthers
        case .geoWithin(let search): !search.links.isEmpty
        case .not(let inner): inner.readsOthers
        case .and(let parts), .or(let parts): parts.contains { $0.readsOthers }
        }
    }
}

extension BoundOperand {
    fileprivate var readsOthers: Bool {
        switch self {
        case .constant, .list, .objects: false
        case .path(let path): path.readsOthers
        case .aggregate(let aggregate): aggregate.path.readsOthers
        case .subquery: true
        case .arithmetic(let arithmetic): arithmetic.left.readsOthers || arithmetic.right.readsOthers
        }
    }
}

extension BoundPath {
    fileprivate var readsOthers: Bool {
        if case .property = end { return !links.isEmpty }
        return true
    }
}
