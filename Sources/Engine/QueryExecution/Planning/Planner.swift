import Columnar
import ObjectModel
import QuerySyntax
import QueryLanguage
import QueryOperators

/// Turns bound predicates into operators. Objects by primary keys must already have been looked up.
struct Planner {
    let source: any ColumnSource
    /// An index that the store does not have, for what the plan would be with it.
    var assumed: AssumedIndex?

    private var capacity: Int { source.clusterCapacity }

    /// A prepared scan.
    func scan(_ classID: ClassID, _ predicate: BoundPredicate) throws -> ClassScan {
        try unprepared(classID, predicate).prepared()
    }

    /// A scan whose operators measure themselves; see `MeasuredOperator`.
    func measuredScan(_ classID: ClassID, _ predicate: BoundPredicate) throws -> ClassScan {
        let scan = try unprepared(classID, predicate)
        scan.root = MeasuredOperator.measuring(scan.root)
        return try scan.prepared()
    }

    /// A scan of `keys` alone.
    func scan(_ classID: ClassID, _ predicate: BoundPredicate, among keys: [ObjectKey]) throws -> ClassScan {
        let scan = try unprepared(classID, predicate)
        let given = KeySetOperator(keys, capacity: capacity, origin: "given objects")
        scan.root = AndOperator([given, scan.root], samples: [])
        return try scan.prepared()
    }

    private func unprepared(_ classID: ClassID, _ predicate: BoundPredicate) throws -> ClassScan {
        // For a class without objects nothing is looked up.
        if source.objectCount(of: classID) == 0 { return ClassScan(source, classID, ConstantOperator(false)) }
        return ClassScan(source, classID, try plan(predicate, classID))
    }

    func plan(_ predicate: BoundPredicate, _ classID: ClassID) throws -> any Operator {
        switch predicate {
        case .constant(let value): return ConstantOperator(value)
        case .comparison(let comparison): return try plan(comparison, classID)
        case .between(let between): return try plan(between, classID)
        case .fullText(let search): return try plan(search, classID)
        case .geoWithin: return RowOperator(source, classID, predicate, about: "positions within a shape")
        case .not(let inner): return negation(try plan(inner, classID))
        case .and(let parts):
            if parts.contains(.constant(false)) { return ConstantOperator(false) }
            return try conjunction(try parts.map { try plan($0, classID) }, classID)
        case .or(let parts):
            if parts.contains(.constant(true)) { return ConstantOperator(true) }
            return disjunction(try parts.map { try plan($0, classID) })
        }
    }

    // MARK: Comparisons

    private func plan(_ comparison: BoundComparison, _ classID: ClassID) throws -> any Operator {
        var indexIsOut = false
        if let column = indexed(comparison, classID) {
            if let found = try column.planner.planMembers(column.values) { return found }
            indexIsOut = true
        }
        if !comparison.isElementwise, let test = ElementTest(comparison) {
            if let found = try planNumber(comparison.left, classID, test) { return found }
            if case .path(let path) = comparison.left {
                if let found = try plan(insideOf: path, classID, quantifier: comparison.leftQuantifier, test) {
                    return found
                }
                if path.isColumn, !isShorter(path.links, classID) {
                    if path.links.isEmpty { return try plan(path.end, test, classID, indexIsOut: indexIsOut) }
                    return try plan(path, classID, quantifier: comparison.leftQuantifier, [test])
                }
            }
        }
        return RowOperator(
            source, classID, .comparison(comparison), about: "\(comparison.operator.rawValue) between computed values")
    }

    /// The column and the constants of an equality that an index of the object's own property may decide. Then nothing
    /// else is made of the constants, which costs as much as looking them up when there are many.
    private func indexed(
        _ comparison: BoundComparison, _ classID: ClassID
    ) -> (planner: ColumnPlanner, values: [Value])? {
        guard comparison.operator == .equal, !comparison.ignoresCase, !comparison.ignoresDiacritics,
            !comparison.isElementwise, case .path(let path) = comparison.left, path.links.isEmpty, path.steps.isEmpty,
            case .property(let property, let type) = path.end, type.collection == .single
        else { return nil }
        let values: [Value]
        switch comparison.right {
        case .constant(let value): values = [value]
        case .list(let list) where comparison.rightQuantifier == .any: values = list
        case .list, .objects, .path, .aggregate, .subquery, .arithmetic: return nil
        }
        // Nulls are found by the null mask.
        guard !values.isEmpty, !values.contains(where: \.isNull) else { return nil }
        return (ColumnPlanner(planner: self, classID: classID, property: property, base: type.base), values)
    }

    private func plan(_ between: BoundBetween, _ classID: ClassID) throws -> any Operator {
        func bound(_ operation: ComparisonOperator, _ value: Value) -> ElementTest? {
            ElementTest(BoundComparison(between.operand, operation, .constant(value)))
        }
        guard case .path(let path) = between.operand, path.isColumn, !isShorter(path.links, classID),
            let low = bound(.greaterOrEqual, between.low), let high = bound(.lessOrEqual, between.high)
        else { return RowOperator(source, classID, .between(between), about: "between two values") }
        return try plan(path, classID, quantifier: between.quantifier, [low, high])
    }

    /// Finds the objects with as many values of the path that pass all tests as the quantifier requires.
    private func plan(
        _ path: BoundPath, _ classID: ClassID, quantifier: Quantifier, _ tests: [ElementTest]
    ) throws -> any Operator {
        func find(_ tests: [ElementTest], keepsNull: Bool) throws -> any Operator {
            let steps = LinkWalk(keepsNull: keepsNull) { endClass in
                try conjunction(try tests.map { try plan(path.end, $0, endClass) }, endClass)
            } link: { property, origin in
                guard case .object(let target) = path.end else { return nil }
                return try conjunction(
                    try tests.map { try linkColumn(property, $0, origin, target, keepsNull: keepsNull) }, origin)
            }
            return try plan(path.links[...], classID, steps)
        }
        guard path.isToMany else { return try find(tests, keepsNull: tests.allSatisfy { $0.holds(.null) }) }
        switch quantifier {
        case .any: return try find(tests, keepsNull: false)
        case .none: return negation(try find(tests, keepsNull: false))
        case .all:
            // None of the values fails one of the tests.
            return negation(disjunction(try tests.map { try find([$0.negated], keepsNull: false) }))
        }
    }

    /// A test of the elements, the keys, one element or the size of a collection at the end of to-one links; nil for
    /// other paths.
    private func plan(
        insideOf path: BoundPath, _ classID: ClassID, quantifier: Quantifier, _ test: ElementTest
    ) throws -> (any Operator)? {
        guard path.steps.count == 1, case .property(let property, let type) = path.end, type.collection != .single
        else { return nil }
        for link in path.links {
            switch link {
            case .forward, .rowSecurity: continue
            case .elements, .backward: return nil
            }
        }
        let part: CollectionOperator.Part
        switch path.steps[0] {
        case .elements(.all): part = .elements(quantifier)
        case .elements(let selector): part = .one(selector)
        case .keys: part = .keys(quantifier)
        case .size: part = .size
        case .length, .typeName, .rowSecurity: return nil
        }
        // A null link on the path makes a single value null; a path to several elements then has none.
        let keepsNull = path.isToMany ? quantifier != .any : test.holds(.null)
        return try plan(
            path.links[...], classID,
            LinkWalk(keepsNull: keepsNull) { _ in
                CollectionOperator(property, of: type.base, part, test, capacity: capacity)
            } link: { _, _ in
                nil
            })
    }

    private func plan(_ search: BoundFullText, _ classID: ClassID) throws -> any Operator {
        guard case .property(let property, let type) = search.path.end, type.collection == .single,
            type.base == .string, search.path.isColumn, !isShorter(search.path.links, classID)
        else { return RowOperator(source, classID, .fullText(search), about: "words of a text") }
        func find(inverted: Bool) throws -> any Operator {
            try plan(
                search.path.links[...], classID,
                LinkWalk(keepsNull: false) { endClass in
                    guard let found = try WordPlanner(source: source, classID: endClass, property).plan(search.search)
                    else {
                        var own = search
                        own.path.links = []
                        let rows = RowOperator(source, endClass, .fullText(own), about: "words of a text")
                        return inverted ? negation(rows) : rows
                    }
                    return inverted ? negation(found) : found
                } link: { _, _ in
                    nil
                })
        }
        guard search.path.isToMany else { return try find(inverted: false) }
        switch search.quantifier {
        case .any: return try find(inverted: false)
        case .none: return negation(try find(inverted: false))
        case .all: return negation(try find(inverted: true))
        }
    }

    // MARK: Links

    /// The condition at the end of a path's links.
    struct LinkWalk {
        /// Whether a null link on the path passes.
        var keepsNull: Bool
        var end: (ClassID) throws -> any Operator
        /// A faster operator when the condition is on the last link itself; nil when there is none.
        var link: (PropertyID, ClassID) throws -> (any Operator)?
    }

    func plan(
        _ links: ArraySlice<LinkStep>, _ classID: ClassID, _ walk: LinkWalk
    ) throws -> any Operator {
        switch links.first {
        case nil:
            return try walk.end(classID)
        case .forward(let property, let target):
            if links.count == 1, let column = try walk.link(property, classID) { return column }
            let inner = try plan(links.dropFirst(), target, walk)
            return LinkSetOperator(
                source, classID, property, target: ClassScan(source, target, inner), keepsNull: walk.keepsNull)
        case .elements(let property, let target, let selector):
            let inner = ClassScan(source, target, try plan(links.dropFirst(), target, walk))
            let wanted: ElementLinkOperator.Wanted =
                selector == .all ? .any : .one(selector, orNull: walk.keepsNull)
            return ElementLinkOperator(source, classID, property, wanted, target: inner)
        case .backward(let origin, let property):
            let inner = try plan(links.dropFirst(), origin, walk)
            return BacklinkSetOperator(classID, property, origin: ClassScan(source, origin, inner))
        case .rowSecurity(let predicate, _):
            // A walk that keeps nulls accepts an invisible object like one that passes.
            let inner = try plan(links.dropFirst(), classID, walk)
            let isThere = try plan(try predicate.namingObjects { try source.key(of: $0, primaryKey: $1) }, classID)
            return walk.keepsNull
                ? disjunction([inner, negation(isThere)]) : try conjunction([isThere, inner], classID)
        }
    }

    private func plan(
        _ end: PathEnd, _ test: ElementTest, _ classID: ClassID, indexIsOut: Bool = false
    ) throws -> any Operator {
        switch end {
        case .property(let property, let type):
            let column = ColumnPlanner(
                planner: self, classID: classID, property: property, base: type.base, indexIsOut: indexIsOut)
            return try column.plan(test)
        case .object:
            let own = BoundComparison(
                .path(BoundPath(end: .object(classID))), test.operation, .list(test.constants),
                rightQuantifier: test.quantifier)
            if let keys = test.wantedKeys(in: classID) {
                return KeySetOperator(keys, capacity: capacity, origin: "given objects")
            }
            let rows = RowOperator(source, classID, .comparison(own), about: "the object itself")
            return test.isNegated ? negation(rows) : rows
        case .count:
            // A count is not a value of a single element; `isColumn` excludes it.
            return ConstantOperator(false)
        }
    }

    /// A link as a value: `dog == obj(…)`, `dog == null`.
    private func linkColumn(
        _ property: PropertyID, _ test: ElementTest, _ classID: ClassID, _ target: ClassID, keepsNull: Bool
    ) throws -> any Operator {
        if !keepsNull, !test.holds(.null), let keys = test.wantedKeys(in: target), keys.count <= 1 {
            // One target: the objects that link to it are already listed.
            let found =
                try keys.first.map {
                    try source.backlinks(to: ObjectReference(target, $0), from: classID, property)
                } ?? []
            return KeySetOperator(found, capacity: capacity, origin: "backlinks")
        }
        let column = ColumnPlanner(planner: self, classID: classID, property: property, base: .link(""))
        let found = try column.plan(test.about(target))
        if keepsNull == test.holds(.null) { return found }
        let nulls = NullOperator(property, isNull: keepsNull)
        return keepsNull ? disjunction([found, nulls]) : try conjunction([found, nulls], classID)
    }

    /// Whether following the links of each object costs less than testing all objects that they may lead to: those are
    /// so many more that a pass over their column takes longer. True also where only that is correct: a position among
    /// the visible elements is known for each object alone.
    func isShorter(_ links: [LinkStep], _ classID: ClassID) -> Bool {
        for (link, next) in zip(links, links.dropFirst()) {
            if case .elements(_, _, let selector) = link, selector.isPosition, case .rowSecurity = next { return true }
        }
        let rows = source.objectCount(of: classID)
        return links.contains { link in
            guard case .elements(_, let target, _) = link else { return false }
            return rows < source.objectCount(of: target) / 500
        }
    }

    // MARK: AND, OR, NOT

    func conjunction(_ operators: [any Operator], _ classID: ClassID) throws -> any Operator {
        var merged: [any Operator] = []
        for part in operators {
            if let constant = part as? ConstantOperator {
                if !constant.value { return constant }
                continue
            }
            guard let range = part as? RangeOperator, !range.inverted,
                let index = merged.firstIndex(where: { Self.canMerge($0, range) }),
                let other = merged[index] as? RangeOperator, let both = other.range.intersection(range.range)
            else {
                merged.append(part)
                continue
            }
            merged[index] = RangeOperator(range.property, both, inverted: false, capacity: capacity)
        }
        switch merged.count {
        case 0: return ConstantOperator(true)
        case 1: return merged[0]
        default: return AndOperator(merged, samples: try samples(of: classID))
        }
    }

    func disjunction(_ operators: [any Operator]) -> any Operator {
        var parts: [any Operator] = []
        for part in operators {
            guard let constant = part as? ConstantOperator else {
                parts.append(part)
                continue
            }
            if constant.value { return constant }
        }
        switch parts.count {
        case 0: return ConstantOperator(false)
        case 1: return parts[0]
        default: return OrOperator(parts, capacity: capacity)
        }
    }

    func negation(_ part: any Operator) -> any Operator {
        if let constant = part as? ConstantOperator { return ConstantOperator(!constant.value) }
        if let not = part as? NotOperator, let inner = not.parts.first { return inner }
        return NotOperator(part, capacity: capacity)
    }

    /// Two bounds of one column become one range.
    private static func canMerge(_ part: any Operator, _ range: RangeOperator) -> Bool {
        guard let other = part as? RangeOperator else { return false }
        return !other.inverted && other.property == range.property
    }

    /// A few representative clusters; none in a class so small that the order of operators does not matter.
    private func samples(of classID: ClassID) throws -> [ClusterView] {
        let count = source.clusterCount(of: classID)
        guard count > 1 else { return [] }
        var samples: [ClusterView] = []
        for part in 0..<4 {
            let index = (count - 1) * part / 3
            if let live = try source.liveMask(of: classID, cluster: index), live.liveCount > 0 {
                samples.append(ClusterView(source: source, classID: classID, index: index, live: live))
            }
        }
        return samples
    }
}

extension BoundPath {
    /// Whether its values are in columns of single values that links between objects lead to.
    fileprivate var isColumn: Bool {
        guard steps.isEmpty else { return false }
        switch end {
        case .property(_, let type): return type.collection == .single
        case .object: return true
        case .count: return false
        }
    }
}

extension ElementTest {
    /// The objects of a class that pass, when the test is for being one of some objects.
    fileprivate func wantedKeys(in classID: ClassID) -> [ObjectKey]? {
        guard wantedKeys != nil else { return nil }
        return constants.compactMap { constant in
            guard case .reference(let object) = constant, object.classID == classID, object.key.rawValue >= 0 else {
                return nil
            }
            return object.key
        }
    }

    /// The same test for links to objects of a class: objects of other classes become one that does not exist.
    fileprivate func about(_ classID: ClassID) -> ElementTest {
        let own = constants.map { constant in
            guard case .reference(let object) = constant, object.classID != classID else { return constant }
            return Value.reference(ObjectReference(classID, ObjectKey(-1)))
        }
        let test = ElementTest(
            operation, own, quantifier, ignoresCase: ignoresCase, ignoresDiacritics: ignoresDiacritics)
        return isNegated ? test.negated : test
    }
}
