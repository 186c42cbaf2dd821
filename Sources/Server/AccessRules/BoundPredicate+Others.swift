import QueryLanguage

extension BoundPredicate {
    /// Whether the result depends on more than the object's own properties.
    var readsOthers: Bool {
        containsPart { part in
            switch part {
            case .constants: false
            case .path(let path): path.readsOthers
            case .subquery: true
            case .geoWithin(let search): !search.links.isEmpty
            }
        }
    }
}

extension BoundPath {
    fileprivate var readsOthers: Bool {
        if case .property = end { return !links.isEmpty }
        return true
    }
}
