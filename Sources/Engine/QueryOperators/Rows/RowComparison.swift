import Columnar
import ObjectModel
import QuerySyntax
import QueryLanguage

/// One comparison, object by object, with any operands and quantifiers. Used by one thread at a time.
final class RowComparison {
    private enum Form {
        /// The value of a path with one constant: most comparisons.
        case pathWithConstant(PathReader, ConstantTest)
        case withConstants(RowOperand, ElementTest)
        case singles(RowOperand, RowOperand)
        case quantified(RowOperand, RowOperand)
        case inOrder(RowOperand, RowOperand)
    }

    private let form: Form
    private let operation: ComparisonOperator
    private let leftQuantifier: Quantifier
    private let rightQuantifier: Quantifier
    private let ignoresCase: Bool
    private let ignoresDiacritics: Bool
    /// Whether one side is constants, which equal collections with the same elements.
    private let comparesContents: Bool
    // Values of one object, reused for the next.
    private var lefts: [ValueView] = []
    private var rights: [ValueView] = []

    init(_ comparison: BoundComparison, on classID: ClassID, in source: any ColumnSource) {
        operation = comparison.operator
        leftQuantifier = comparison.leftQuantifier
        rightQuantifier = comparison.rightQuantifier
        ignoresCase = comparison.ignoresCase
        ignoresDiacritics = comparison.ignoresDiacritics
        comparesContents =
            comparison.operator.isEquality && (comparison.left.hasCollections || comparison.right.hasCollections)
        let left = RowOperand(comparison.left, on: classID, in: source)
        if !comparison.isElementwise, let test = ElementTest(comparison) {
            if case .path(let reader) = left, !reader.isToMany, let single = test.single {
                form = .pathWithConstant(reader, single)
            } else {
                form = .withConstants(left, test)
            }
            return
        }
        let right = RowOperand(comparison.right, on: classID, in: source)
        if comparison.isElementwise {
            form = .inOrder(left, right)
        } else if !left.isToMany, !right.isToMany {
            form = .singles(left, right)
        } else {
            form = .quantified(left, right)
        }
    }

    func holds(_ key: ObjectKey) throws -> Bool {
        switch form {
        case .pathWithConstant(let reader, let test):
            return test.holds(try reader.view(key) ?? .null)
        case .withConstants(let left, let test):
            return try left.holds(leftQuantifier, key) { test.holds(view: $0) }
        case .singles(let left, let right):
            return holds(try left.single(key), try right.single(key))
        case .quantified(let left, let right):
            return try holdsQuantified(left, right, key)
        case .inOrder(let left, let right):
            return try holdsInOrder(left, right, key)
        }
    }

    @inline(__always)
    private func holds(_ left: ValueView, _ right: ValueView) -> Bool {
        if comparesContents, left.kindRank == right.kindRank {
            return ScalarComparison.areEqualByContents(left.value, right.value) == (operation == .equal)
        }
        return ScalarComparison.holds(
            left, operation, right, ignoresCase: ignoresCase, ignoresDiacritics: ignoresDiacritics)
    }

    private func holdsQuantified(_ left: RowOperand, _ right: RowOperand, _ key: ObjectKey) throws -> Bool {
        guard right.isToMany else {
            let other = try right.single(key)
            return try left.holds(leftQuantifier, key) { holds($0, other) }
        }
        guard left.isToMany else {
            let one = try left.single(key)
            return try right.holds(rightQuantifier, key) { holds(one, $0) }
        }
        var rights = try gathered(right, key, into: &self.rights)
        defer { swap(&rights, &self.rights) }
        return try left.holds(leftQuantifier, key) { one in
            rightQuantifier.holds(rights) { holds(one, $0) }
        }
    }

    /// Whether both sides have the same number of values and each pair satisfies the operator.
    private func holdsInOrder(_ left: RowOperand, _ right: RowOperand, _ key: ObjectKey) throws -> Bool {
        var lefts = try gathered(left, key, into: &self.lefts)
        defer { swap(&lefts, &self.lefts) }
        var rights = try gathered(right, key, into: &self.rights)
        defer { swap(&rights, &self.rights) }
        guard operation == .notEqual else { return lefts.elementsEqual(rights, by: holds) }
        return !lefts.elementsEqual(rights) { !holds($0, $1) }
    }

    /// Takes the buffer out, so that it is not copied; the caller puts it back.
    private func gathered(
        _ operand: RowOperand, _ key: ObjectKey, into buffer: inout [ValueView]
    ) throws -> [ValueView] {
        var values: [ValueView] = []
        swap(&values, &buffer)
        values.removeAll(keepingCapacity: true)
        try operand.append(key, to: &values)
        return values
    }
}

extension BoundOperand {
    /// Whether the operand is constants with a list or dictionary among them.
    fileprivate var hasCollections: Bool {
        switch self {
        case .constant(let value): value.isCollection
        case .list(let values): values.contains(where: \.isCollection)
        case .path, .objects, .aggregate, .subquery, .arithmetic: false
        }
    }
}
