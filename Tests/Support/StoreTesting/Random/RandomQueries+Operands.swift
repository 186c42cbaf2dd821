import QuerySyntax
import ObjectModel
import QueryLanguage
import TestBasics

extension RandomQueries {
    typealias TypedOperand = (operand: BoundOperand, kind: Kind)

    /// Any side of a comparison except a constant or a list of them.
    func operand(
        in classID: ClassID, depth: Int, isLocal: Bool, _ random: inout SeededRandom
    ) -> TypedOperand {
        if forms == .all {
            switch random.below(9) {
            case 0: if let found = aggregate(in: classID, isLocal: isLocal, &random) { return found }
            case 1 where depth > 0 && !isLocal:
                if let (links, target) = manyLinks(from: classID, &random) {
                    let inner = predicate(of: target, depth: depth - 1, &random)
                    return (
                        .subquery(BoundSubquery(links: links, classID: target, predicate: inner)), .value(.int)
                    )
                }
            case 2: if let found = arithmetic(in: classID, isLocal: isLocal, depth: 2, &random) { return found }
            default: break
            }
        }
        let found =
            isLocal ? ownPath(of: classID, isToMany: forms == .all, &random) : path(from: classID, &random)
        return (.path(found.path), found.kind)
    }

    private func aggregate(in classID: ClassID, isLocal: Bool, _ random: inout SeededRandom) -> TypedOperand? {
        for _ in 0..<10 {
            let found = isLocal ? ownPath(of: classID, isToMany: true, &random) : path(from: classID, &random)
            guard found.path.isToMany, case .value(let base) = found.kind, let function = function(of: base, &random)
            else { continue }
            let isExtreme = function == .minimum || function == .maximum
            let result: BaseType =
                switch base {
                case .mixed: isExtreme ? .mixed : .decimal128
                case .decimal128: .decimal128
                case .int: function == .average ? .double : .int
                case .float: isExtreme ? .float : .double
                default: base
                }
            return (.aggregate(BoundAggregate(function, found.path)), .value(result))
        }
        return nil
    }

    /// Arithmetic with at most one to-many side.
    private func arithmetic(
        in classID: ClassID, isLocal: Bool, depth: Int, _ random: inout SeededRandom
    ) -> TypedOperand? {
        guard var left = number(in: classID, isLocal: isLocal, depth: depth, mayBeToMany: true, &random) else {
            return nil
        }
        let isMany = left.operand.isToMany
        var right: TypedOperand =
            if random.oneIn(2),
                let found = number(in: classID, isLocal: isLocal, depth: depth, mayBeToMany: !isMany, &random)
            { found } else { numericConstant(&random) }
        if random.oneIn(3) { (left, right) = (right, left) }
        let operation = random.pick(BoundArithmetic.Operation.allCases) ?? .add
        let bases = [left.kind, right.kind]
        let ranked: [BaseType] = [.mixed, .decimal128, .double, .float]
        let widest = ranked.first { bases.contains(.value($0)) } ?? .int
        return (.arithmetic(BoundArithmetic(left.operand, operation, right.operand)), .value(widest))
    }

    private func number(
        in classID: ClassID, isLocal: Bool, depth: Int, mayBeToMany: Bool, _ random: inout SeededRandom
    ) -> TypedOperand? {
        if depth > 0, random.oneIn(4),
            let found = arithmetic(in: classID, isLocal: isLocal, depth: depth - 1, &random),
            mayBeToMany || !found.operand.isToMany
        {
            return found
        }
        for _ in 0..<10 {
            let found: TypedOperand
            if random.oneIn(5), let aggregate = aggregate(in: classID, isLocal: isLocal, &random) {
                found = aggregate
            } else {
                let path = isLocal ? ownPath(of: classID, isToMany: true, &random) : path(from: classID, &random)
                found = (.path(path.path), path.kind)
            }
            guard mayBeToMany || !found.operand.isToMany, case .value(let base) = found.kind,
                base.isNumeric || base == .mixed
            else { continue }
            return found
        }
        return nil
    }

    private func numericConstant(_ random: inout SeededRandom) -> TypedOperand {
        let base = random.pick([BaseType.int, .int, .float, .double, .decimal128]) ?? .int
        return (.constant(RandomValues.value(of: PropertyType(base), &random)), .value(base))
    }
}
