import Columnar
import ObjectModel
import QueryLanguage

/// Arithmetic between two operands, object by object. Used by one thread at a time.
final class RowArithmetic {
    let isToMany: Bool
    private let left: RowOperand
    private let operation: BoundArithmetic.Operation
    private let right: RowOperand
    // Values of one object, reused for the next.
    private var values: [ValueView] = []

    init(_ arithmetic: BoundArithmetic, on classID: ClassID, in source: any ColumnSource) {
        left = RowOperand(arithmetic.left, on: classID, in: source)
        right = RowOperand(arithmetic.right, on: classID, in: source)
        operation = arithmetic.operation
        isToMany = left.isToMany || right.isToMany
    }

    func single(_ key: ObjectKey) throws -> ValueView {
        operation.result(try left.single(key), try right.single(key))
    }

    /// Calls `body` with one result for each value of the to-many side.
    func forEach(_ key: ObjectKey, _ body: (ValueView) throws -> Bool) throws -> Bool {
        guard isToMany else { return try body(single(key)) }
        // Values are read before `body` is called. With its code within the loops of either side, which may be
        // arithmetic again, the compiler would make a copy of them for each combination.
        var values: [ValueView] = []
        swap(&values, &self.values)
        values.removeAll(keepingCapacity: true)
        defer { swap(&values, &self.values) }
        if left.isToMany { try left.append(key, to: &values) } else { values.append(try left.single(key)) }
        let count = values.count
        guard count > 0 else { return true }
        if right.isToMany { try right.append(key, to: &values) } else { values.append(try right.single(key)) }
        for left in values[..<count] {
            for right in values[count...] {
                guard try body(operation.result(left, right)) else { return false }
            }
        }
        return true
    }
}

extension BoundArithmetic.Operation {
    /// Computes by the rules of `BoundArithmetic`, in the wider type of the two.
    func result(_ left: ValueView, _ right: ValueView) -> ValueView {
        switch (left, right) {
        case (.int(let a), .int(let b)): return integers(a, b)
        case (.double(let a), .double(let b)): return .double(self(a, b))
        default:
            guard let left = Number(left), let right = Number(right) else { return .null }
            return result(left, right)
        }
    }

    private func integers(_ a: Int64, _ b: Int64) -> ValueView {
        integer(a, b).map { .int($0) } ?? .decimal(self(Decimal128(a), Decimal128(b)))
    }

    private func result(_ left: Number, _ right: Number) -> ValueView {
        switch max(left.width, right.width) {
        case .int: integers(left.integer, right.integer)
        case .float: .float(self(left.float, right.float))
        case .double: .double(self(left.double, right.double))
        case .decimal: .decimal(self(left.decimal, right.decimal))
        }
    }
}

/// A number of one of the four types, as any wider one.
private struct Number {
    enum Width: Int, Comparable {
        case int, float, double, decimal

        static func < (a: Width, b: Width) -> Bool { a.rawValue < b.rawValue }
    }

    let width: Width
    private let view: ValueView

    /// Returns nil for a value that is not a number.
    init?(_ view: ValueView) {
        switch view {
        case .int: width = .int
        case .float: width = .float
        case .double: width = .double
        case .decimal: width = .decimal
        default: return nil
        }
        self.view = view
    }

    var integer: Int64 {
        if case .int(let value) = view { return value }
        return 0
    }

    var float: Float {
        switch view {
        case .int(let value): Float(value)
        case .float(let value): value
        default: .nan
        }
    }

    var double: Double {
        switch view {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        default: .nan
        }
    }

    var decimal: Decimal128 {
        switch view {
        case .int(let value): Decimal128(value)
        case .float(let value): Decimal128(value)
        case .double(let value): Decimal128(value)
        case .decimal(let value): value
        default: .nan
        }
    }
}
