import Columnar
import ObjectModel
import QuerySyntax
import QueryLanguage
import QueryOperators

/// Chooses the test of one column: an index, a range, the null mask, the texts.
struct ColumnPlanner {
    let planner: Planner
    let classID: ClassID
    let property: PropertyID
    let base: BaseType
    /// Whether the property's index is known not to decide the test.
    var indexIsOut = false

    private var source: any ColumnSource { planner.source }
    private var capacity: Int { source.clusterCapacity }

    func plan(_ test: ElementTest) throws -> any Operator {
        guard hasRanges else {
            if test.operation == .equal, test.quantifier == .any, !test.isNegated, !test.folds,
                let found = try lookUpAll(test.constants)
            {
                return found
            }
            return ElementOperator(property, test, capacity: capacity)
        }
        let found: any Operator
        switch test.quantifier {
        case .any: found = try planAny(test)
        case .all: found = try planner.conjunction(try test.constants.map { try planOne(test, $0) }, classID)
        case .none: found = planner.negation(try planAny(test))
        }
        return test.isNegated ? planner.negation(found) : found
    }

    /// Whether comparisons of the column's values are equivalent to ranges, texts or identifiers.
    private var hasRanges: Bool {
        switch base {
        case .data, .mixed, .linkingObjects: false
        default: true
        }
    }

    private func planAny(_ test: ElementTest) throws -> any Operator {
        if test.operation == .equal, !test.folds, test.constants.count > 1 { return try planIn(test.constants) }
        // Many texts that differ by case or marks from the wanted ones are searched for at once.
        if test.operation == .equal, base == .string, test.constants.count > 8 {
            let members = ElementTest(
                .equal, test.constants, ignoresCase: test.ignoresCase, ignoresDiacritics: test.ignoresDiacritics)
            return ElementOperator(property, members, capacity: capacity)
        }
        return planner.disjunction(try test.constants.map { try planOne(test, $0) })
    }

    // MARK: One constant

    private func planOne(_ test: ElementTest, _ constant: Value) throws -> any Operator {
        let operation = test.operation
        if constant.isNull { return planNull(operation) }
        if operation == .equal, !test.folds, let found = try lookUpAll([constant]) { return found }
        let inverted = operation == .notEqual
        if let range = ColumnRange(operation, constant, base: base) {
            return RangeOperator(property, range, inverted: inverted, capacity: capacity)
        }
        if base == .decimal128 || (constant.isDecimal && base.isNumeric) { return valueTest(operation, constant) }
        switch (base, constant) {
        case (.string, .string(let text)):
            let pattern = TextPattern(
                TextPattern.Test(operation) ?? .equal, text,
                ignoresCase: test.ignoresCase, ignoresDiacritics: test.ignoresDiacritics)
            return TextOperator(property, .pattern(pattern), inverted: inverted, capacity: capacity)
        case (.objectId, .objectId(let id)) where !operation.isStringOperator:
            return IdentifierOperator(property, .objectId { operation.isInOrder($0, id) }, inverted: inverted)
        case (.uuid, .uuid(let id)) where !operation.isStringOperator:
            return IdentifierOperator(property, .uuid { operation.isInOrder($0, id) }, inverted: inverted)
        default:
            // Values of different kinds are neither equal nor ordered.
            return ConstantOperator(inverted)
        }
    }

    /// A test for a constant that has no range of the column's own type.
    private func valueTest(_ operation: ComparisonOperator, _ constant: Value) -> any Operator {
        ElementOperator(property, ElementTest(operation, [constant]), capacity: capacity)
    }

    private func planNull(_ operation: ComparisonOperator) -> any Operator {
        switch operation {
        case .equal, .lessOrEqual, .greaterOrEqual, .like: NullOperator(property, isNull: true)
        case .notEqual: NullOperator(property, isNull: false)
        case .less, .greater: ConstantOperator(false)
        case .beginsWith, .endsWith, .contains:
            base == .string ? ConstantOperator(true) : NullOperator(property, isNull: true)
        }
    }

    /// The objects that the property's index lists. Nil without an index, when the index cannot decide equality, as for
    /// a constant of another kind such as 3.0, and when a pass over the column costs less.
    private func lookUpAll(_ constants: [Value], origin: String = "index") throws -> (any Operator)? {
        guard !indexIsOut, !constants.isEmpty, constants.allSatisfy(isListed) else { return nil }
        let limit = entryLimit(constants.count)
        if let assumed = planner.assumed, assumed.isOf(classID, property) {
            return try assumed.lookUp(constants, limit: limit).map {
                AssumedIndexOperator($0, capacity: capacity, origin: origin)
            }
        }
        return try source.lookUp(constants, in: classID, property, limit: limit).map {
            KeySetOperator($0, capacity: capacity, origin: origin)
        }
    }

    /// Whether an index finds exactly the values that equal the constant. A bool has too few values for one to pay.
    private func isListed(_ constant: Value) -> Bool {
        switch base {
        case .bool: return false
        case .mixed:
            // The index does not distinguish collections of a kind, and finds NaN, which equals nothing.
            switch constant {
            case .null, .list, .set, .dictionary, .embedded, .link: return false
            default: return !constant.isNaN
            }
        default: return PropertyType(base).accepts(constant)
        }
    }

    /// With more entries a pass over the column costs less: an entry costs some 40 ns, a value of the column from 0.2
    /// ns, for a range, to 20 ns, for a test against many values.
    private func entryLimit(_ constantCount: Int) -> Int {
        let objects = source.objectCount(of: classID)
        let share =
            switch base {
            case .decimal128, .data, .mixed, .linkingObjects: 4
            case _ where constantCount > 16: 4
            case .string: 50
            default: 200
            }
        return max(64, objects / share)
    }

    /// The objects that the property's index lists under one of several values; nil where it cannot tell, or where a pass
    /// over the column costs less. Null is not among the values.
    func planMembers(_ values: [Value]) throws -> (any Operator)? {
        try lookUpAll(values, origin: values.count == 1 || !hasRanges ? "index" : "index, \(values.count) look-ups")
    }

    // MARK: IN

    private func planIn(_ constants: [Value]) throws -> any Operator {
        let values = constants.filter { !$0.isNull }
        let nulls: [any Operator] = values.count < constants.count ? [NullOperator(property, isNull: true)] : []
        return planner.disjunction(nulls + (try planParts(values)))
    }

    private func planParts(_ values: [Value]) throws -> [any Operator] {
        if let found = try lookUpAll(values, origin: "index, \(values.count) look-ups") { return [found] }
        switch base {
        case .string:
            let texts = values.compactMap { value -> [UInt8]? in
                if case .string(let text) = value { return Array(text.utf8) }
                return nil
            }
            return [TextOperator(property, .anyOf(Set(texts)), inverted: false, capacity: capacity)]
        case .int, .link:
            guard values.count > 16, !values.contains(where: \.isDecimal) else { break }
            let integers = values.compactMap { value -> Int64? in
                guard case .integers(let low, let high) = ColumnRange(.equal, value, base: base), low == high else {
                    return nil
                }
                return low
            }
            return [IntegerSetOperator(property, Set(integers))]
        case .objectId:
            let ids = Set(values.compactMap { if case .objectId(let id) = $0 { id } else { nil } })
            return [IdentifierOperator(property, .objectId { ids.contains($0) }, inverted: false)]
        case .uuid:
            let ids = Set(values.compactMap { if case .uuid(let id) = $0 { id } else { nil } })
            return [IdentifierOperator(property, .uuid { ids.contains($0) }, inverted: false)]
        case .decimal128:
            // Looking each value up among many is faster than a pass for each.
            if values.count > 8 {
                return [ElementOperator(property, ElementTest(.equal, values), capacity: capacity)]
            }
        default: break
        }
        return values.map { value in
            if let range = ColumnRange(.equal, value, base: base) {
                return RangeOperator(property, range, inverted: false, capacity: capacity)
            }
            let mayBeEqual = base == .decimal128 || (value.isDecimal && base.isNumeric)
            return mayBeEqual ? valueTest(.equal, value) : ConstantOperator(false)
        }
    }
}

extension ElementTest {
    /// Whether texts are compared otherwise than byte by byte.
    fileprivate var folds: Bool { ignoresCase || ignoresDiacritics }
}
