package import Columnar
package import ObjectModel
package import QueryLanguage

/// Keeps the objects whose links in a list, set or map lead to objects that satisfy a condition of their own class.
///
/// The condition is evaluated once, over the target class; then the links are tested against the set of objects found,
/// in place in the column, for all objects or, when few were found, for those that link to them.
package final class ElementLinkOperator: Operator {
    /// The condition on the links that lead to such objects.
    package enum Wanted {
        /// At least one does.
        case any
        /// The one that the selector selects does, or, with `orNull`, it does not exist.
        case one(ElementSelector, orNull: Bool)
        /// Their number passes.
        case number(ElementTest)
    }

    private let source: any ColumnSource
    private let classID: ClassID
    private let property: PropertyID
    private let wanted: Wanted
    private let target: ClassScan
    private let key: StableBytes?
    private var targets = KeyBitmap(limit: 0)
    /// The only objects that can be kept; nil when that is not known.
    private var origins: KeySetOperator?

    package init(
        _ source: any ColumnSource, _ classID: ClassID, _ property: PropertyID, _ wanted: Wanted, target: ClassScan
    ) {
        self.source = source
        self.classID = classID
        self.property = property
        self.wanted = wanted
        self.target = target
        if case .one(.key(let text), _) = wanted { key = StableBytes(text.utf8) } else { key = nil }
    }

    package var cost: Double { origins == nil ? 30 : 0.5 }

    package func share(of cluster: ClusterView) -> Double {
        if origins != nil { return 0 }
        let share = Double(targets.count) / Double(max(1, source.objectCount(of: target.classID)))
        // Each of an object's several links may match.
        if case .any = wanted { return min(1, share * 3) }
        return min(1, share)
    }

    package var innerClass: ClassID? { target.classID }

    package var parts: [any Operator] {
        get { [target.root] }
        set { if let first = newValue.first { target.root = first } }
    }

    package func prepare() throws {
        targets = try target.prepared().keys()
        guard isWalkCheaper else { return }
        origins = try .linking(to: targets, of: target.classID, from: classID, property, in: source)
    }

    package func candidateClusters() -> [Int]? { origins?.candidateClusters() }

    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        if let origins {
            origins.narrow(mask, in: cluster)
            // Every object that links to a target has such a link.
            if case .any = wanted { return }
            if mask.isEmpty { return }
        }
        let leaf = try cluster.leaf(property)
        guard leaf.kind.collection != .single else { throw LeafError.kindMismatch }
        let first = Int64(cluster.firstKey)
        func collection(_ slot: Int) -> StoredCollection {
            StoredCollection(leaf, slot, source, cluster.classID, ObjectKey(first + Int64(slot)), property)
        }
        switch wanted {
        case .any:
            if targets.isEmpty { return mask.removeAll() }
            try mask.filter { slot in try !collection(slot).forEachLink { !targets.contains($0) } }
        case .one(let selector, let orNull):
            try mask.filter { slot in
                guard case .link(let link)? = try collection(slot).element(selector, key) else { return orNull }
                return targets.contains(link)
            }
        case .number(let test):
            try mask.filter { slot in
                var number: Int64 = 0
                _ = try collection(slot).forEachLink { link in
                    if targets.contains(link) { number += 1 }
                    return true
                }
                return test.holds(view: .int(number))
            }
        }
    }

    package func copy() -> any Operator {
        let copy = ElementLinkOperator(source, classID, property, wanted, target: target)
        copy.targets = targets
        copy.origins = origins?.another()
        return copy
    }

    package func words(_ names: ExplainNames) -> String {
        let what =
            switch wanted {
            case .any: "links in \(names[property])"
            case .one: "one link in \(names[property])"
            case .number: "number of links in \(names[property])"
            }
        let how =
            if let origins {
                "walk of backlinks, \(origins.words(names))"
            } else {
                "tested in place against \(targets.count) object\(targets.count == 1 ? "" : "s")"
            }
        return "\(what) to \(names[target.classID]): \(how)"
    }

    /// Whether objects that link to none of the targets can be left out, and looking up the objects that link to these
    /// costs less than reading all collections: a look-up costs about a microsecond and every link found 30 ns, a
    /// collection 50 ns.
    private var isWalkCheaper: Bool {
        switch wanted {
        case .any: break
        case .one(_, let orNull): if orNull { return false }
        case .number(let test): if test.holds(view: .int(0)) { return false }
        }
        let objects = Double(source.objectCount(of: classID))
        // The number of links per collection is not known beforehand; a few are usual.
        let linksPerTarget = 4 * objects / Double(max(1, source.objectCount(of: target.classID)))
        return Double(targets.count) * (1000 + 30 * linksPerTarget) < objects * 50
    }
}
