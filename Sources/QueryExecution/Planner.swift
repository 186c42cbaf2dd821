import Columnar
import ObjectModel
import QueryLanguage

/// Turns bound predicates into operators.
struct Planner {
    let source: any ColumnSource

    private var capacity: Int { source.clusterCapacity }

    func scan(_ classID: ClassID, _ predicate: BoundPredicate) throws -> ClassScan {
        // Nothing is looked up for a class without objects.
        if source.objectCount(of: classID) == 0 { return ClassScan(source, classID, ConstantOperator(false)) }
        return ClassScan(source, classID, try plan(predicate, classID))
    }

    private func plan(_ predicate: BoundPredicate, _ classID: ClassID) throws -> any Operator {
        switch predicate {
        case .constant(let value): return ConstantOperator(value)
        case .comparison(let comparison): return try plan(comparison, classID)
        case .between, .fullText, .geoWithin: return ConstantOperator(false)
        case .not(.constant(let value)): return ConstantOperator(!value)
        case .not(let inner): return NotOperator(try plan(inner, classID), capacity: capacity)
        case .and(let parts):
            let parts = parts.filter { $0 != .constant(true) }
            if parts.contains(.constant(false)) { return ConstantOperator(false) }
            return conjunction(try parts.map { try plan($0, classID) })
        case .or(let parts):
            let parts = parts.filter { $0 != .constant(false) }
            if parts.contains(.constant(true)) { return ConstantOperator(true) }
            return disjunction(try parts.map { try plan($0, classID) })
        }
    }

    // MARK: Comparisons

    private func plan(_ comparison: BoundComparison, _ classID: ClassID) throws -> any Operator {
        guard case .path(let path) = comparison.left, path.end != .count,
            let test = ElementTest(comparison)
        else { return rowByRow(comparison, classID) }
        let links = path.links[...]
        guard path.isToMany else {
            return try plan(links, path.end, test, classID, keepsNull: test.holds(.null))
        }
        switch comparison.leftQuantifier {
        case .any:
            return try plan(links, path.end, test, classID, keepsNull: false)
        case .none:
            return NotOperator(try plan(links, path.end, test, classID, keepsNull: false), capacity: capacity)
        case .all:
            // None of the values fails the test.
            let failing = try plan(links, path.end, test.negated, classID, keepsNull: false)
            return NotOperator(failing, capacity: capacity)
        }
    }

    /// Finds the objects of which some value at the end of the links passes the test. `keepsNull` says whether a null link on the way
    /// passes.
    private func plan(
        _ links: ArraySlice<LinkStep>, _ end: PathEnd, _ test: ElementTest, _ classID: ClassID, keepsNull: Bool
    ) throws -> any Operator {
        switch links.first {
        case nil:
            return try plan(end, test, classID)
        case .forward(let property, let target):
            if links.count == 1, case .object = end {
                return try linkColumn(property, test, classID, keepsNull: keepsNull)
            }
            let inner = try plan(links.dropFirst(), end, test, target, keepsNull: keepsNull)
            return LinkSetOperator(
                source, classID, property, target: ClassScan(source, target, inner), keepsNull: keepsNull)
        case .elements: return ConstantOperator(false)
        case .backward(let origin, let property):
            let inner = try plan(links.dropFirst(), end, test, origin, keepsNull: false)
            return BacklinkSetOperator(classID, property, origin: ClassScan(source, origin, inner))
        }
    }

    private func plan(_ end: PathEnd, _ test: ElementTest, _ classID: ClassID) throws -> any Operator {
        switch end {
        case .property(let property, let type):
            return try ColumnPlanner(source: source, classID: classID, property: property, base: type.base).plan(test)
        case .object:
            if let keys = test.wantedKeys {
                return KeySetOperator(keys, capacity: capacity, origin: "given objects")
            }
            return RowOperator(words: "the object itself") { test.holds(.reference(ObjectReference(classID, $0))) }
        case .count:
            // A count is no value of a single element; `plan` of the comparison sends it row by row.
            return ConstantOperator(false)
        }
    }

    /// A link as a value: `dog == obj(…)`, `dog == null`.
    private func linkColumn(
        _ property: PropertyID, _ test: ElementTest, _ classID: ClassID, keepsNull: Bool
    ) throws -> any Operator {
        if !keepsNull, !test.holds(.null), let keys = test.wantedKeys, keys.count == 1 {
            // One target: the objects that link to it are already listed.
            let found = try source.backlinks(to: keys[0], from: classID, property)
            return KeySetOperator(found, capacity: capacity, origin: "backlinks")
        }
        let column = ColumnPlanner(
            source: source, classID: classID, property: property, base: .link(""))
        let found = try column.plan(test)
        if keepsNull == test.holds(.null) { return found }
        let nulls = NullOperator(property, isNull: keepsNull)
        return keepsNull ? disjunction([found, nulls]) : conjunction([found, nulls])
    }

    private func rowByRow(_ comparison: BoundComparison, _ classID: ClassID) -> any Operator {
        let row = RowComparison(comparison, on: classID, in: source)
        return RowOperator(words: "\(comparison.operator.rawValue) between computed values") { try row.holds($0) }
    }

    // MARK: AND and OR

    func conjunction(_ operators: [any Operator]) -> any Operator {
        var merged: [any Operator] = []
        for part in operators {
            guard let range = part as? RangeOperator, !range.inverted,
                let place = merged.firstIndex(where: { Self.canMerge($0, range) }),
                let other = merged[place] as? RangeOperator, let both = other.range.intersection(range.range)
            else {
                merged.append(part)
                continue
            }
            merged[place] = RangeOperator(range.property, both, inverted: false, capacity: capacity)
        }
        switch merged.count {
        case 0: return ConstantOperator(true)
        case 1: return merged[0]
        default: return AndOperator(merged)
        }
    }

    func disjunction(_ operators: [any Operator]) -> any Operator {
        switch operators.count {
        case 0: ConstantOperator(false)
        case 1: operators[0]
        default: OrOperator(operators, capacity: capacity)
        }
    }

    /// Two bounds of one column become one range.
    private static func canMerge(_ part: any Operator, _ range: RangeOperator) -> Bool {
        guard let other = part as? RangeOperator else { return false }
        return !other.inverted && other.property == range.property
    }
}
