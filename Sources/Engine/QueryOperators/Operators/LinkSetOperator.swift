package import Columnar
package import ObjectModel

/// Keeps the objects whose to-one link leads to an object that satisfies a condition of its own class.
///
/// The condition is evaluated once, over the target class; then either the link column is tested against the set of objects
/// found, or, when they are few, the objects that link to them are looked up.
package final class LinkSetOperator: Operator {
    private let source: any ColumnSource
    private let classID: ClassID
    private let property: PropertyID
    private let target: ClassScan
    /// Whether objects with a null link are kept.
    private let keepsNull: Bool
    private let scratch: SelectionMask
    private let nulls: SelectionMask
    private var plan = Plan.test(KeyBitmap(limit: 0))

    private enum Plan {
        case test(KeyBitmap)
        case walk(KeySetOperator)
    }

    package init(
        _ source: any ColumnSource, _ classID: ClassID, _ property: PropertyID, target: ClassScan, keepsNull: Bool
    ) {
        self.source = source
        self.classID = classID
        self.property = property
        self.target = target
        self.keepsNull = keepsNull
        scratch = SelectionMask(capacity: source.clusterCapacity)
        nulls = SelectionMask(capacity: source.clusterCapacity)
    }

    package var cost: Double {
        if case .walk = plan { 0 } else { 2 }
    }

    package func share(of cluster: ClusterView) -> Double {
        switch plan {
        case .walk: return 0
        case .test(let targets):
            return min(1, Double(targets.count) / Double(max(1, source.objectCount(of: target.classID))))
        }
    }

    package var innerClass: ClassID? { target.classID }

    package var parts: [any Operator] {
        get { [target.root] }
        set { if let first = newValue.first { target.root = first } }
    }

    package func prepare() throws {
        let targets = try target.prepared().keys()
        guard !keepsNull, isWalkCheaper(targets.count) else {
            plan = .test(targets)
            return
        }
        plan = .walk(try .linking(to: targets, of: target.classID, from: classID, property, in: source))
    }

    package func candidateClusters() -> [Int]? {
        if case .walk(let keys) = plan { return keys.candidateClusters() }
        return nil
    }

    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        switch plan {
        case .walk(let keys):
            keys.narrow(mask, in: cluster)
        case .test(let targets):
            let leaf = try cluster.leaf(property)
            guard leaf.kind == .link else { throw LeafError.kindMismatch }
            guard keepsNull else {
                return leaf.narrow(mask, links: targets, inverted: false, scratch: scratch)
            }
            nulls.reset(to: mask)
            leaf.narrow(nulls, toNulls: true)
            leaf.narrow(mask, links: targets, inverted: false, scratch: scratch)
            mask.formUnion(nulls)
        }
    }

    package func copy() -> any Operator {
        let copy = LinkSetOperator(source, classID, property, target: target, keepsNull: keepsNull)
        switch plan {
        case .test: copy.plan = plan
        case .walk(let keys): copy.plan = .walk(keys.another())
        }
        return copy
    }

    package func words(_ names: ExplainNames) -> String {
        let how =
            switch plan {
            case .walk(let keys): "walk of backlinks, \(keys.words(names))"
            case .test(let targets):
                "link column tested against \(targets.count) object\(targets.count == 1 ? "" : "s")\(keepsNull ? " or null" : "")"
            }
        return "link \(names[property]) to \(names[target.classID]): \(how)"
    }

    /// A look-up costs about a microsecond and every link found 30 ns; testing the column costs 1 ns per object.
    private func isWalkCheaper(_ targetCount: Int) -> Bool {
        let objects = Double(source.objectCount(of: classID))
        let linksPerTarget = objects / Double(max(1, source.objectCount(of: target.classID)))
        return Double(targetCount) * (1000 + 30 * linksPerTarget) < objects
    }
}

/// Keeps the objects with at least one backlink from an object that satisfies a condition.
package final class BacklinkSetOperator: Operator {
    private let classID: ClassID
    private let property: PropertyID
    private let origin: ClassScan
    private var targets = KeyBitmap(limit: 0)

    /// Selects objects of `classID` that `origin`'s objects link to with `property`.
    package init(_ classID: ClassID, _ property: PropertyID, origin: ClassScan) {
        self.classID = classID
        self.property = property
        self.origin = origin
    }

    package var cost: Double { 1 }

    package var innerClass: ClassID? { origin.classID }

    package var parts: [any Operator] {
        get { [origin.root] }
        set { if let first = newValue.first { origin.root = first } }
    }

    package func share(of cluster: ClusterView) -> Double {
        min(1, Double(targets.count) / Double(max(1, origin.source.objectCount(of: classID))))
    }

    package func prepare() throws {
        _ = try origin.prepared()
        targets = try linksAreSingle() ? collected() : walked()
    }

    package func candidateClusters() -> [Int]? {
        guard targets.count < 1000 else { return nil }
        let capacity = origin.source.clusterCapacity
        return Set(targets.keys.map { Int($0.rawValue) / capacity }).sorted()
    }

    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) {
        let first = cluster.firstKey >> 6
        for index in 0..<mask.wordCount { mask.words[index] &= targets.word(first + index) }
    }

    package func copy() -> any Operator {
        let copy = BacklinkSetOperator(classID, property, origin: origin)
        copy.targets = targets
        return copy
    }

    package func words(_ names: ExplainNames) -> String {
        "linked from \(names[origin.classID]).\(names.name(property, of: origin.classID)): \(targets.count) objects"
    }

    private func linksAreSingle() throws -> Bool {
        let source = origin.source
        for cluster in 0..<source.clusterCount(of: origin.classID) {
            guard try source.liveMask(of: origin.classID, cluster: cluster) != nil else { continue }
            return try source.leaf(of: origin.classID, cluster: cluster, property).kind == .link
        }
        return true
    }

    /// Reads the links of the objects that satisfy the condition from their column.
    private func collected() throws -> KeyBitmap {
        let source = origin.source
        var found = KeyBitmap(limit: source.clusterCount(of: classID) * source.clusterCapacity)
        try origin.forEachCluster { cluster, mask in
            let leaf = try cluster.leaf(property)
            guard leaf.kind == .link else { throw LeafError.kindMismatch }
            leaf.collectLinks(mask, into: &found)
        }
        return found
    }

    /// Looks up the links to each object of the class: links in lists, sets and maps are not in a column of keys.
    private func walked() throws -> KeyBitmap {
        let source = origin.source
        let clusterCount = source.clusterCount(of: classID)
        var found = KeyBitmap(limit: clusterCount * source.clusterCapacity)
        let origins = try origin.keys()
        guard !origins.isEmpty else { return found }
        for cluster in 0..<clusterCount {
            guard let live = try source.liveMask(of: classID, cluster: cluster) else { continue }
            for slot in 0..<min(live.slotCount, source.clusterCapacity) where live.isLive(slot) {
                let key = ObjectKey(Int64(cluster * source.clusterCapacity + slot))
                let links = try source.backlinks(to: ObjectReference(classID, key), from: origin.classID, property)
                if links.contains(where: { origins.contains($0) }) { found.insert(key) }
            }
        }
        return found
    }
}
