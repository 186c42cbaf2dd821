import ObjectModel
import QueryLanguage

/// The key paths of what a predicate reads. Ways back along links that have no name, because their class declares no
/// linking objects, are left out.
struct RuleNames {
    let schema: Schema
    private(set) var paths: Set<String> = []
    /// Whether more is read than properties of the objects themselves.
    private(set) var readsOthers = false

    init(schema: Schema) { self.schema = schema }

    mutating func add(_ predicate: BoundPredicate, _ classID: ClassID, behind prefix: String) {
        switch predicate {
        case .constant: break
        case .comparison(let comparison):
            add(comparison.left, classID, behind: prefix)
            add(comparison.right, classID, behind: prefix)
        case .between(let between): add(between.operand, classID, behind: prefix)
        case .fullText(let search): add(search.path, classID, behind: prefix)
        case .geoWithin(let search):
            guard let (holder, names) = follow(search.links, classID, prefix) else { return }
            add(search.typeProperty, holder, names)
            add(search.coordinatesProperty, holder, names)
        case .not(let inner): add(inner, classID, behind: prefix)
        case .and(let parts), .or(let parts): for part in parts { add(part, classID, behind: prefix) }
        }
    }

    private mutating func add(_ operand: BoundOperand, _ classID: ClassID, behind prefix: String) {
        switch operand {
        case .constant, .list, .objects: break
        case .path(let path): add(path, classID, behind: prefix)
        case .aggregate(let aggregate): add(aggregate.path, classID, behind: prefix)
        case .subquery(let subquery):
            guard let (holder, names) = follow(subquery.links, classID, prefix) else { return }
            add(subquery.predicate, holder, behind: names)
        case .arithmetic(let arithmetic):
            add(arithmetic.left, classID, behind: prefix)
            add(arithmetic.right, classID, behind: prefix)
        }
    }

    private mutating func add(_ path: BoundPath, _ classID: ClassID, behind prefix: String) {
        guard let (holder, names) = follow(path.links, classID, prefix) else { return }
        if case .property(let property, _) = path.end {
            add(property, holder, names)
        } else {
            readsOthers = true
        }
    }

    private mutating func add(_ property: PropertyID, _ classID: ClassID, _ prefix: String) {
        if let name = schema[classID]?[property]?.name { paths.insert(prefix + name) }
    }

    /// Where links lead, and the names on the way with a dot behind each. The links themselves are among the paths.
    private mutating func follow(
        _ links: [LinkStep], _ classID: ClassID, _ prefix: String
    ) -> (classID: ClassID, names: String)? {
        if !links.isEmpty { readsOthers = true }
        var (current, names) = (classID, prefix)
        for link in links {
            let next: (ClassID, String?)
            switch link {
            case .forward(let property, let target), .elements(let property, let target, _):
                next = (target, schema[current]?[property]?.name)
            case .backward(let origin, let property):
                let inverse = schema[current]?.properties.first {
                    $0.targetClass == origin && $0.originProperty == property
                }
                next = (origin, inverse?.name)
            case .visible(let predicate, _):
                add(predicate, current, behind: names)
                continue
            }
            guard let name = next.1 else { return nil }
            paths.insert(names + name)
            names += name + "."
            current = next.0
        }
        return (current, names)
    }
}
