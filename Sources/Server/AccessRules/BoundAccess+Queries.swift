import ObjectModel
package import QueryLanguage

/// Restricts queries to visible objects.
extension BoundAccess {
    /// Restricts a query bound to the visible schema, so that the store can run it. Does not check whether the object
    /// whose property is the scope is visible.
    package func restrict(_ query: BoundQuery) -> BoundQuery {
        var restricted = query
        let own: BoundPredicate
        switch query.scope {
        case .all: own = access(query.classID).listed
        case .property(let holder, let property):
            let isComputed = schema[holder.classID]?[property]?.type.isComputed ?? true
            own = isComputed ? access(query.classID).whole : access(query.classID).part
        }
        let asked = restrict(query.predicate)
        restricted.predicate =
            own == .constant(true) ? asked : asked == .constant(true) ? own : .and([own, asked])
        restricted.steps = query.steps.map { step in
            switch step {
            case .sort(let keys): .sort(keys.map { restrict($0) })
            case .distinct(let paths): .distinct(paths.map { restrict($0) })
            case .limit: step
            }
        }
        return restricted
    }

    package func restrict(_ key: SectionKey) -> SectionKey {
        SectionKey(restrict(key.path), key.function, order: key.order)
    }

    func restrict(_ key: SortKey) -> SortKey { SortKey(restrict(key.path), ascending: key.isAscending) }

    func restrict(_ request: AggregateRequest) -> AggregateRequest {
        AggregateRequest(request.function, restrict(request.path), isChecked: request.isChecked)
    }

    func restrict(_ path: BoundPath) -> BoundPath {
        var restricted = path
        restricted.links = restrict(path.links)
        if let references, case .property(_, let type) = path.end, type.isMixed {
            restricted.steps.insert(
                .rowSecurity(RowSecurityPredicates(references, leavesElementsOut: type.collection == .set)), at: 0)
        }
        return restricted
    }

    private func restrict(_ links: [LinkStep]) -> [LinkStep] {
        var restricted: [LinkStep] = []
        for link in links {
            restricted.append(link)
            switch link {
            case .forward(_, let target), .elements(_, let target, _):
                hide(access(target).part, target, &restricted)
            case .backward(let origin, _): hide(access(origin).whole, origin, &restricted)
            case .rowSecurity: break
            }
        }
        return restricted
    }

    private func hide(_ predicate: BoundPredicate, _ classID: ClassID, _ links: inout [LinkStep]) {
        if predicate != .constant(true) { links.append(.rowSecurity(predicate, classID)) }
    }

    /// The recursion is as deep as the predicate is nested, which the parser limits.
    private func restrict(_ predicate: BoundPredicate) -> BoundPredicate {
        predicate.mappingPaths(restrict, links: restrict)
    }
}
