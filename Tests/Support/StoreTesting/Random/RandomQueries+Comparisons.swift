import ObjectModel
import QuerySyntax
import QueryLanguage
import TestBasics

extension RandomQueries {
    func comparison(
        in classID: ClassID, depth: Int, isLocal: Bool, _ random: inout SeededRandom
    ) -> BoundComparison {
        let left = operand(in: classID, depth: depth, isLocal: isLocal, &random)
        if case .object(let linked) = left.kind {
            return objectComparison(left.operand, to: linked, in: classID, isLocal: isLocal, &random)
        }
        var operation = relational(&random)
        let isText = isText(left.kind)
        if isText, random.oneIn(2) { operation = random.pick(ComparisonOperator.allCases) ?? .equal }
        let folds = isText && (operation.isStringOperator || isEquality(operation) && left.kind != .value(.data))
        let right: BoundOperand
        switch random.below(7) {
        case 0:
            if forms == .basic || random.oneIn(2) {
                operation = operation == .notEqual && random.oneIn(2) ? .notEqual : .equal
            }
            right = .list((0..<random.below(4)).map { _ in constant(for: left.kind, operation, &random) })
        case 1, 2:
            right =
                partner(of: left.kind, in: classID, depth: depth, isLocal: isLocal, &random)
                ?? .constant(constant(for: left.kind, operation, &random))
        default: right = .constant(constant(for: left.kind, operation, &random))
        }
        var comparison = BoundComparison(
            left.operand, operation, right, ignoresCase: folds && random.oneIn(2),
            ignoresDiacritics: folds && forms == .all && operation != .like && left.kind != .value(.data)
                && random.oneIn(3), leftQuantifier: quantifier(&random), rightQuantifier: quantifier(&random))
        if forms == .all {
            comparison.isElementwise = left.operand.isToMany && right.isToMany && random.oneIn(3)
            if canTurn(right, operation), random.oneIn(3) {
                (comparison.left, comparison.right) = (right, left.operand)
            }
        }
        return comparison
    }

    /// A single constant is on the right, except with an operator that has no mirrored form.
    private func canTurn(_ right: BoundOperand, _ operation: ComparisonOperator) -> Bool {
        if case .constant(let value) = right { return operation.isStringOperator && !value.isNull }
        return true
    }

    private func objectComparison(
        _ left: BoundOperand, to linked: ClassID, in classID: ClassID, isLocal: Bool, _ random: inout SeededRandom
    ) -> BoundComparison {
        func reference(_ random: inout SeededRandom) -> Value {
            .reference(ObjectReference(linked, ObjectKey(Int64(random.below(8)))))
        }
        let right: BoundOperand
        switch random.below(forms == .all ? 8 : 2) {
        case 0 where !left.isToMany && random.oneIn(2): right = .constant(.null)
        case 2: right = .list((0..<random.below(4)).map { _ in reference(&random) })
        case 3, 4: right = namedObjects(of: linked, &random) ?? .constant(reference(&random))
        case 5:
            right =
                partner(of: .object(linked), in: classID, depth: 0, isLocal: isLocal, &random)
                ?? .constant(reference(&random))
        default: right = .constant(reference(&random))
        }
        return BoundComparison(
            left, random.oneIn(2) ? .equal : .notEqual, right, leftQuantifier: quantifier(&random),
            rightQuantifier: quantifier(&random),
            isElementwise: forms == .all && left.isToMany && right.isToMany && random.oneIn(4))
    }

    /// Objects by their primary keys, some of which do not exist.
    private func namedObjects(of classID: ClassID, _ random: inout SeededRandom) -> BoundOperand? {
        guard let key = schema[classID]?.primaryKeyProperty else { return nil }
        func object(_ random: inout SeededRandom) -> ObjectConstants.Element {
            let value =
                key.type.isOptional && random.oneIn(6)
                ? .null : RandomValues.uniqueValue(of: key.type, number: Int64(random.below(20)))
            return .object(classID, primaryKey: value)
        }
        if random.oneIn(2) { return .objects(ObjectConstants([object(&random)], isList: false)) }
        let elements = (0..<random.below(3)).map { _ in object(&random) }
        return .objects(ObjectConstants(elements, isList: true))
    }

    /// A constant that the binder accepts against the type: of the type, null, a number of another type, or any value
    /// against mixed values.
    func constant(for kind: Kind, _ operation: ComparisonOperator, _ random: inout SeededRandom) -> Value {
        guard case .value(let base) = kind else { return .string(typeName(&random)) }
        if operation == .like, base != .data, random.oneIn(2) {
            let patterns = [
                "a*", "*b*", "?", "?b*", "*", "", "*é", "??", "A?*", "*a*b*", "É*", "*?", "?*?", "日?", "\\*", "**a",
            ]
            return .string(random.pick(patterns) ?? "")
        }
        if operation == .like, base == .data, random.oneIn(2) {
            return .data(Array((random.pick(["a*", "*", "?", "??", "*b", "?*"]) ?? "").utf8))
        }
        if random.oneIn(8) { return .null }
        if base.isNumeric, random.oneIn(4) {
            switch random.below(forms == .all ? 3 : 2) {
            case 0: return .double(RandomValues.double(&random))
            case 1: return .int(RandomValues.int(&random))
            default: return .decimal(RandomValues.decimal(&random))
            }
        }
        if base == .mixed, random.oneIn(6), let target = random.pick(schema.classes.filter { !$0.isEmbedded }) {
            return .reference(ObjectReference(target.id, objectKey(&random)))
        }
        // Printed queries name no collections.
        if base == .mixed {
            return RandomValues.mixed(&random, depth: forms == .all && isEquality(operation) ? 2 : .max)
        }
        return RandomValues.value(of: PropertyType(base), &random)
    }

    private func typeName(_ random: inout SeededRandom) -> String {
        random.pick([
            "null", "bool", "int", "float", "double", "decimal", "string", "data", "date", "objectid", "uuid", "link",
            "list", "dictionary",
        ]) ?? ""
    }

    /// Something that values of the kind can be compared with.
    private func partner(
        of kind: Kind, in classID: ClassID, depth: Int, isLocal: Bool, _ random: inout SeededRandom
    ) -> BoundOperand? {
        for _ in 0..<10 {
            let candidate = operand(in: classID, depth: depth - 1, isLocal: isLocal, &random)
            if areComparable(candidate.kind, kind) { return candidate.operand }
        }
        return nil
    }

    private func areComparable(_ a: Kind, _ b: Kind) -> Bool {
        switch (a, b) {
        case (.value(let a), .value(let b)):
            a == b || a.isNumeric && b.isNumeric || a == .mixed || b == .mixed
        case (.value(let base), .object), (.object, .value(let base)): base == .mixed
        default: a == b
        }
    }

    private func isText(_ kind: Kind) -> Bool {
        kind == .value(.string) || forms == .all && (kind == .value(.data) || kind == .value(.mixed))
    }

    private func isEquality(_ operation: ComparisonOperator) -> Bool {
        operation == .equal || operation == .notEqual
    }

    private func relational(_ random: inout SeededRandom) -> ComparisonOperator {
        random.pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]) ?? .equal
    }
}
