import ObjectModel
import QueryLanguage

/// A comparison with constants, as a test of one value on the left.
struct ElementTest {
    let operation: ComparisonOperator
    let constants: [Value]
    /// How many of the constants must hold; `any` for a single one.
    let quantifier: Quantifier
    let ignoresCase: Bool
    /// Whether the test is the opposite.
    let isNegated: Bool

    /// Nil when the right side is no constant.
    init?(_ comparison: BoundComparison) {
        switch comparison.right {
        case .constant(let value):
            constants = [value]
            quantifier = .any
        case .list(let values):
            constants = values
            quantifier = comparison.rightQuantifier
        case .path, .objects, .aggregate, .subquery, .arithmetic: return nil
        }
        operation = comparison.operator
        ignoresCase = comparison.ignoresCase
        isNegated = false
    }

    private init(negating test: ElementTest) {
        operation = test.operation
        constants = test.constants
        quantifier = test.quantifier
        ignoresCase = test.ignoresCase
        isNegated = !test.isNegated
    }

    var negated: ElementTest { ElementTest(negating: self) }

    func holds(_ value: Value) -> Bool {
        quantifier.holds(constants) {
            ScalarComparison.holds(value, operation, $0, ignoresCase: ignoresCase)
        } != isNegated
    }

    /// The objects that pass, when the test is for being one of some objects.
    var wantedKeys: [ObjectKey]? {
        guard operation == .equal, quantifier == .any, !isNegated else { return nil }
        var keys: [ObjectKey] = []
        for constant in constants {
            if case .reference(let object) = constant { keys.append(object.key) } else if constant.isNull { return nil }
        }
        return keys.filter { $0.rawValue >= 0 }
    }
}
