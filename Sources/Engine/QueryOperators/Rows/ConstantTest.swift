import Columnar
import ObjectModel
import QuerySyntax
import QueryLanguage

/// A comparison of any value with one constant on the right, whose text is folded and parsed once.
struct ConstantTest {
    private enum Form {
        case string(TextPattern)
        case data(TextPattern)
        /// A list or dictionary, whose elements are compared.
        case collection
        case other
    }

    let operation: ComparisonOperator
    let constant: Value
    private let view: ConstantView
    private let form: Form

    init(
        _ operation: ComparisonOperator, _ constant: Value, ignoresCase: Bool = false, ignoresDiacritics: Bool = false
    ) {
        self.operation = operation
        self.constant = constant
        view = ConstantView(constant)
        // The negation of equality is tested as equality.
        let test = TextPattern.Test(operation) ?? .equal
        switch constant {
        case .string(let text):
            form = .string(
                TextPattern(test, text, ignoresCase: ignoresCase, ignoresDiacritics: ignoresDiacritics))
        case .data(let bytes):
            form = .data(TextPattern(test, data: bytes, ignoresCase: ignoresCase))
        default:
            form = operation.isEquality && constant.isCollection ? .collection : .other
        }
    }

    @inline(__always)
    func holds(_ value: ValueView) -> Bool {
        switch form {
        case .string(let pattern):
            if case .string(let text) = value { return pattern.matches(text) != (operation == .notEqual) }
            return operation == .notEqual
        case .data(let pattern):
            if case .data(let bytes) = value { return pattern.matches(bytes) != (operation == .notEqual) }
            return operation == .notEqual
        case .collection:
            guard value.kindRank == view.view.kindRank else { return operation == .notEqual }
            return ScalarComparison.areEqualByContents(value.value, constant) != (operation == .notEqual)
        case .other:
            return ScalarComparison.holds(value, operation, view.view)
        }
    }
}
