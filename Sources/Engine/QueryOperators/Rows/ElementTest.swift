package import Columnar
package import ObjectModel
package import QuerySyntax
package import QueryLanguage

/// A comparison with constants, as a test of one value on the left.
package struct ElementTest {
    package let operation: ComparisonOperator
    package let constants: [Value]
    /// The quantifier over the constants; `any` for a single one.
    package let quantifier: Quantifier
    package let ignoresCase: Bool
    package let ignoresDiacritics: Bool
    /// Whether the test is negated.
    package let isNegated: Bool
    private let tests: [ConstantTest]
    /// The distinct forms of many constants that a value is compared with, with their texts folded.
    private let members: Set<Value>
    /// The folding under which texts are equal; nil when only the same bytes are.
    private let folding: TextFolding?

    /// Returns nil when the right side is not a constant, and for an element-wise comparison, which does not test
    /// single values.
    package init?(_ comparison: BoundComparison) {
        switch comparison.right {
        case .constant(let value):
            self.init(
                comparison.operator, [value], ignoresCase: comparison.ignoresCase,
                ignoresDiacritics: comparison.ignoresDiacritics)
        case .list(let values):
            guard !comparison.isElementwise else { return nil }
            self.init(
                comparison.operator, values, comparison.rightQuantifier, ignoresCase: comparison.ignoresCase,
                ignoresDiacritics: comparison.ignoresDiacritics)
        case .path, .objects, .aggregate, .subquery, .arithmetic: return nil
        }
    }

    package init(
        _ operation: ComparisonOperator, _ constants: [Value], _ quantifier: Quantifier = .any,
        ignoresCase: Bool = false, ignoresDiacritics: Bool = false
    ) {
        self.operation = operation
        self.constants = constants
        self.quantifier = quantifier
        self.ignoresCase = ignoresCase
        self.ignoresDiacritics = ignoresDiacritics
        isNegated = false
        let folding = TextFolding(ignoresCase: ignoresCase, ignoresDiacritics: ignoresDiacritics)
        let folds = ignoresCase || ignoresDiacritics
        // Data has a different folding, and collections of a kind have one distinct form.
        let isMembership =
            operation == .equal && quantifier != .all && !(folds && constants.contains(where: \.isData))
            && !constants.contains(where: \.isCollection)
        if isMembership, constants.count > 8 {
            // Nothing is equal to a NaN.
            members = Set(
                constants.filter { !$0.isNaN }.map { folds ? $0.folded(folding).distinctForm : $0.distinctForm })
            self.folding = folds ? folding : nil
            tests = []
        } else {
            members = []
            self.folding = nil
            tests = constants.map {
                ConstantTest(operation, $0, ignoresCase: ignoresCase, ignoresDiacritics: ignoresDiacritics)
            }
        }
    }

    private init(negating test: ElementTest) {
        operation = test.operation
        constants = test.constants
        quantifier = test.quantifier
        ignoresCase = test.ignoresCase
        ignoresDiacritics = test.ignoresDiacritics
        isNegated = !test.isNegated
        tests = test.tests
        members = test.members
        folding = test.folding
    }

    package var negated: ElementTest { ElementTest(negating: self) }

    /// The comparison with the constant when there is one and it is not negated.
    var single: ConstantTest? {
        tests.count == 1 && quantifier != .none && !isNegated ? tests[0] : nil
    }

    package func holds(view value: ValueView) -> Bool {
        if !members.isEmpty {
            let isMember = !value.isNaN && members.contains(distinctForm(of: value))
            return (isMember == (quantifier == .any)) != isNegated
        }
        return quantifier.holds(tests) { $0.holds(value) } != isNegated
    }

    private func distinctForm(of value: ValueView) -> Value {
        if let folding, case .string(let text) = value {
            return .string(String(decoding: folding.folded(text), as: UTF8.self))
        }
        return value.value.distinctForm
    }

    package func holds(_ value: Value) -> Bool {
        value.withView { holds(view: $0) }
    }

    /// The objects that pass, when the test is for being one of some objects.
    package var wantedKeys: [ObjectKey]? {
        guard operation == .equal, quantifier == .any, !isNegated else { return nil }
        var keys: [ObjectKey] = []
        for constant in constants {
            if case .reference(let object) = constant { keys.append(object.key) } else if constant.isNull { return nil }
        }
        return keys.filter { $0.rawValue >= 0 }
    }
}

extension Value {
    fileprivate var isData: Bool {
        if case .data = self { return true }
        return false
    }

    fileprivate func folded(_ folding: TextFolding) -> Value {
        guard case .string(let text) = self else { return self }
        return .string(String(decoding: folding.folded(text.utf8), as: UTF8.self))
    }
}
