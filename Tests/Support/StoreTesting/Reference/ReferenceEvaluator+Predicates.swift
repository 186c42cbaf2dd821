import ObjectModel
import QuerySyntax
import QueryLanguage

extension ReferenceEvaluator {
    func holds(_ predicate: BoundPredicate, for key: ObjectKey, in classID: ClassID) throws -> Bool {
        switch predicate {
        case .constant(let value): value
        case .comparison(let comparison): try holds(comparison, for: key, in: classID)
        case .between(let between): try holds(between, for: key, in: classID)
        case .fullText(let fullText): try holds(fullText, for: key, in: classID)
        case .geoWithin(let geo): try holds(geo, for: key, in: classID)
        case .not(let inner): try !holds(inner, for: key, in: classID)
        case .and(let parts): try parts.allSatisfy { try holds($0, for: key, in: classID) }
        case .or(let parts): try parts.contains { try holds($0, for: key, in: classID) }
        }
    }

    private func holds(_ comparison: BoundComparison, for key: ObjectKey, in classID: ClassID) throws -> Bool {
        // Folding each value once instead of for each pair saves minutes.
        func folded(_ values: [Value]) -> [Value] {
            values.map {
                ReferenceText.folded(
                    $0, ignoresCase: comparison.ignoresCase, ignoresDiacritics: comparison.ignoresDiacritics)
            }
        }
        let left = folded(try values(of: comparison.left, for: key, in: classID))
        let right = folded(try values(of: comparison.right, for: key, in: classID))
        let hasConstants = comparison.left.isConstant || comparison.right.isConstant
        func compare(_ left: Value, _ operation: ComparisonOperator, _ right: Value) -> Bool {
            switch operation {
            case .equal where hasConstants: ReferenceComparison.isEqual(left, toConstant: right)
            case .notEqual where hasConstants: !ReferenceComparison.isEqual(left, toConstant: right)
            default: ReferenceComparison.holds(left, operation, right)
            }
        }
        if comparison.isElementwise {
            let isTurned = comparison.operator == .notEqual
            let operation = isTurned ? .equal : comparison.operator
            let agree =
                left.count == right.count
                && zip(left, right).allSatisfy { compare($0, operation, $1) }
            return agree != isTurned
        }
        return quantified(left, comparison.left.isToMany ? comparison.leftQuantifier : .any) { leftValue in
            quantified(right, comparison.right.isToMany ? comparison.rightQuantifier : .any) { rightValue in
                compare(leftValue, comparison.operator, rightValue)
            }
        }
    }

    private func holds(_ between: BoundBetween, for key: ObjectKey, in classID: ClassID) throws -> Bool {
        let values = try values(of: between.operand, for: key, in: classID)
        return quantified(values, between.operand.isToMany ? between.quantifier : .any) { value in
            ReferenceComparison.holds(value, .greaterOrEqual, between.low)
                && ReferenceComparison.holds(value, .lessOrEqual, between.high)
        }
    }

    private func holds(_ fullText: BoundFullText, for key: ObjectKey, in classID: ClassID) throws -> Bool {
        let texts = try values(of: .path(fullText.path), for: key, in: classID)
        return quantified(texts, fullText.path.isToMany ? fullText.quantifier : .any) { text in
            guard case .string(let text) = text else { return false }
            return ReferenceText.satisfies(text, fullText.search)
        }
    }

    private func holds(_ geo: BoundGeoWithin, for key: ObjectKey, in classID: ClassID) throws -> Bool {
        let holders = try objects(along: geo.links[...], from: key, in: classID)
        let tests = try holders.objects.map { holder in
            let type = try source.value(holders.classID, holder, geo.typeProperty)
            let coordinates = try source.value(holders.classID, holder, geo.coordinatesProperty)
            guard let position = ReferenceGeography.position(type: type, coordinates: coordinates) else { return false }
            return ReferenceGeography.contains(geo.shape, position)
        }
        guard geo.links.contains(where: \.isToMany) else { return tests.first ?? false }
        switch geo.quantifier {
        case .any: return tests.contains(true)
        case .all: return !tests.contains(false)
        case .none: return !tests.contains(true)
        }
    }

    private func quantified(_ values: [Value], _ quantifier: Quantifier, _ test: (Value) -> Bool) -> Bool {
        switch quantifier {
        case .any: values.contains(where: test)
        case .all: values.allSatisfy(test)
        case .none: !values.contains(where: test)
        }
    }
}

extension BoundOperand {
    fileprivate var isConstant: Bool {
        switch self {
        case .constant, .list: true
        default: false
        }
    }
}
