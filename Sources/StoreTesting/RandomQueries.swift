package import ObjectModel
package import QueryLanguage

/// Makes bound queries, sorts, windows and aggregates that fit a schema, as the binder could have made them.
package struct RandomQueries: Sendable {
    private let schema: Schema

    package init(_ schema: Schema) { self.schema = schema }

    /// A query over a random class with any steps.
    package func query(_ random: inout SeededRandom) -> BoundQuery {
        guard let objectClass = random.pick(schema.classes) else { return BoundQuery(classID: ClassID(0)) }
        return query(of: objectClass.id, &random)
    }

    package func query(of classID: ClassID, _ random: inout SeededRandom) -> BoundQuery {
        var steps: [ResultStep] = []
        for _ in 0..<(random.oneIn(3) ? 0 : 1 + random.below(3)) {
            switch random.below(5) {
            case 0: steps.append(.limit(random.below(12)))
            case 1: steps.append(.distinct((0...random.below(2)).map { _ in sortPath(from: classID, &random) }))
            default: steps.append(.sort(sortKeys(from: classID, &random)))
            }
        }
        return BoundQuery(classID: classID, predicate: predicate(of: classID, depth: 2, &random), steps: steps)
    }

    /// A query whose result follows from each object's own values: no links behind the object, and sorts as the only
    /// steps.
    package func localQuery(of classID: ClassID, _ random: inout SeededRandom) -> BoundQuery {
        let steps: [ResultStep] = (0..<random.below(3)).map { _ in
            .sort(
                (0...random.below(2)).map { _ in
                    SortKey(ownPath(of: classID, &random), ascending: random.oneIn(2))
                })
        }
        let parts: [BoundPredicate] = (0..<random.below(3)).map { _ in
            .comparison(comparison(ownPath(of: classID, &random), in: classID, isLocal: true, &random))
        }
        let predicate: BoundPredicate = random.oneIn(2) ? .and(parts) : .not(.or(parts))
        return BoundQuery(classID: classID, predicate: predicate, steps: steps)
    }

    package func predicate(of classID: ClassID, depth: Int, _ random: inout SeededRandom) -> BoundPredicate {
        switch random.below(depth > 0 ? 10 : 6) {
        case 0: return random.oneIn(3) ? .constant(random.oneIn(4)) : .constant(true)
        case 6: return .not(predicate(of: classID, depth: depth - 1, &random))
        case 7: return .and((0..<random.below(4)).map { _ in predicate(of: classID, depth: depth - 1, &random) })
        case 8, 9: return .or((0..<random.below(4)).map { _ in predicate(of: classID, depth: depth - 1, &random) })
        default:
            return .comparison(comparison(path(from: classID, &random), in: classID, isLocal: false, &random))
        }
    }

    /// Sort keys over to-one links.
    package func sortKeys(from classID: ClassID, _ random: inout SeededRandom) -> [SortKey] {
        (0...random.below(2)).map { _ in SortKey(sortPath(from: classID, &random), ascending: random.oneIn(2)) }
    }

    /// A window without a cursor.
    package func window(_ random: inout SeededRandom) -> Window {
        Window(
            offset: random.oneIn(2) ? 0 : random.below(8), limit: random.oneIn(2) ? nil : random.below(12))
    }

    /// Aggregates that fit their paths' types.
    package func aggregates(of classID: ClassID, _ random: inout SeededRandom) -> [AggregateRequest] {
        (0...random.below(3)).compactMap { _ in
            var found: BoundPath?
            for _ in 0..<20 where found == nil {
                let path = sortPath(from: classID, &random)
                if case .property(_, let type) = path.end, type.base.isNumeric || type.base == .date { found = path }
            }
            guard let path = found, case .property(_, let type) = path.end else { return nil }
            let functions: [AggregateRequest.Function] =
                type.base == .date ? [.minimum, .maximum] : AggregateRequest.Function.allCases
            return AggregateRequest(random.pick(functions) ?? .minimum, path)
        }
    }

    // MARK: Paths

    /// A path to a value through to-one links.
    private func sortPath(from classID: ClassID, _ random: inout SeededRandom) -> BoundPath {
        var links: [LinkStep] = []
        var current = classID
        while random.oneIn(3), links.count < 3, let step = forwardStep(from: current, &random) {
            links.append(step.0)
            current = step.1
        }
        return BoundPath(links: links, end: valueEnd(of: current, &random))
    }

    /// A path to one of the object's own values.
    private func ownPath(of classID: ClassID, _ random: inout SeededRandom) -> BoundPath {
        BoundPath(end: valueEnd(of: classID, &random))
    }

    /// Any path that a comparison can use.
    private func path(from classID: ClassID, _ random: inout SeededRandom) -> BoundPath {
        var links: [LinkStep] = []
        var current = classID
        while random.oneIn(2), links.count < 3 {
            let step =
                random.oneIn(2) ? forwardStep(from: current, &random) : backwardStep(from: current, &random)
            guard let step else { break }
            links.append(step.0)
            current = step.1
        }
        if !links.isEmpty, random.oneIn(4) { return BoundPath(links: links, end: .count) }
        if !links.isEmpty, random.oneIn(4) { return BoundPath(links: links, end: .object(current)) }
        return BoundPath(links: links, end: valueEnd(of: current, &random))
    }

    private func forwardStep(from classID: ClassID, _ random: inout SeededRandom) -> (LinkStep, ClassID)? {
        let links = schema[classID]?.properties.filter(\.type.isToOneLink) ?? []
        guard let link = random.pick(links), let target = link.targetClass else { return nil }
        return (.forward(link.id, target: target), target)
    }

    private func backwardStep(from classID: ClassID, _ random: inout SeededRandom) -> (LinkStep, ClassID)? {
        let computed = schema[classID]?.properties.filter(\.type.isComputed) ?? []
        guard let property = random.pick(computed), let origin = property.targetClass,
            let link = property.originProperty
        else { return nil }
        return (.backward(origin: origin, property: link), origin)
    }

    private func valueEnd(of classID: ClassID, _ random: inout SeededRandom) -> PathEnd {
        let values = schema[classID]?.storedProperties.filter { !$0.type.isToOneLink } ?? []
        guard let property = random.pick(values) else { return .count }
        return .property(property.id, property.type)
    }

    // MARK: Comparisons

    private func comparison(
        _ path: BoundPath, in classID: ClassID, isLocal: Bool, _ random: inout SeededRandom
    ) -> BoundComparison {
        let left = BoundOperand.path(path)
        switch path.end {
        case .object(let linked):
            let target = BoundOperand.constant(
                !path.isToMany && random.oneIn(3)
                    ? .null : .reference(ObjectReference(linked, ObjectKey(Int64(random.below(8))))))
            return BoundComparison(
                left, random.oneIn(2) ? .equal : .notEqual, target, leftQuantifier: quantifier(&random))
        case .count:
            let number = BoundOperand.constant(
                random.oneIn(5) ? .double(Double(random.below(5)) / 2) : .int(Int64(random.below(4))))
            return BoundComparison(left, relational(&random), number)
        case .property(_, let type):
            return comparison(left, of: type, in: classID, isLocal: isLocal, &random)
        }
    }

    private func comparison(
        _ left: BoundOperand, of type: PropertyType, in classID: ClassID, isLocal: Bool, _ random: inout SeededRandom
    ) -> BoundComparison {
        var operation = relational(&random)
        var ignoresCase = false
        if type.base == .string {
            if random.oneIn(2) { operation = random.pick(ComparisonOperator.allCases) ?? .equal }
            let canIgnoreCase = operation.isStringOperator || operation == .equal || operation == .notEqual
            ignoresCase = canIgnoreCase && random.oneIn(2)
        }
        let right: BoundOperand
        switch random.below(6) {
        case 0:
            operation = operation == .notEqual && random.oneIn(2) ? .notEqual : .equal
            right = .list((0..<random.below(4)).map { _ in constant(for: type, &random) })
        case 1:
            if let other = comparablePath(to: type, in: classID, isLocal: isLocal, &random) {
                right = .path(other)
            } else {
                right = .constant(constant(for: type, &random))
            }
        default:
            right = .constant(
                operation == .like && random.oneIn(2)
                    ? .string(random.pick(["a*", "*b*", "?", "?b*", "*", "", "*é", "??", "A?*", "*a*b*"]) ?? "")
                    : constant(for: type, &random))
        }
        return BoundComparison(
            left, operation, right, ignoresCase: ignoresCase, leftQuantifier: quantifier(&random),
            rightQuantifier: quantifier(&random))
    }

    /// A constant that the binder lets stand against the type: of the type, null, or a number of another type.
    private func constant(for type: PropertyType, _ random: inout SeededRandom) -> Value {
        if random.oneIn(8) { return .null }
        if type.base.isNumeric, random.oneIn(4) {
            return random.oneIn(2) ? .double(RandomValues.double(&random)) : .int(RandomValues.int(&random))
        }
        return RandomValues.value(of: PropertyType(type.base), &random)
    }

    private func comparablePath(
        to type: PropertyType, in classID: ClassID, isLocal: Bool, _ random: inout SeededRandom
    ) -> BoundPath? {
        for _ in 0..<10 {
            let candidate = isLocal ? ownPath(of: classID, &random) : path(from: classID, &random)
            switch candidate.end {
            case .property(_, let other) where other.base == type.base: return candidate
            case .property(_, let other) where other.base.isNumeric && type.base.isNumeric: return candidate
            case .count where type.base.isNumeric: return candidate
            default: continue
            }
        }
        return nil
    }

    private func relational(_ random: inout SeededRandom) -> ComparisonOperator {
        random.pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]) ?? .equal
    }

    private func quantifier(_ random: inout SeededRandom) -> Quantifier {
        random.pick([.any, .any, .all, .none]) ?? .any
    }
}
