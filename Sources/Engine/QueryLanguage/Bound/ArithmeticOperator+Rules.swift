package import ObjectModel
package import QuerySyntax

extension ArithmeticOperator {
    /// The result for two values, with the rules of `BoundArithmetic`. Total: any two values have a result.
    package func callAsFunction(_ a: Value, _ b: Value) -> Value {
        switch (a, b) {
        case (.int(let a), .int(let b)): integer(a, b).map { .int($0) } ?? .decimal(self(Decimal128(a), Decimal128(b)))
        case (.float(let a), .float(let b)): .float(self(a, b))
        case (.int(let a), .float(let b)): .float(self(Float(a), b))
        case (.float(let a), .int(let b)): .float(self(a, Float(b)))
        case (.decimal(let a), .decimal(let b)): .decimal(self(a, b))
        case (.decimal(let a), _): b.asDecimal.map { .decimal(self(a, $0)) } ?? .null
        case (_, .decimal(let b)): a.asDecimal.map { .decimal(self($0, b)) } ?? .null
        default:
            if let a = a.asDouble, let b = b.asDouble { .double(self(a, b)) } else { .null }
        }
    }

    /// The result for two integers; nil if it has more than 64 bits, when it is that of the two as decimals.
    @inlinable
    package func integer(_ a: Int64, _ b: Int64) -> Int64? {
        let (result, isTooLarge) =
            switch self {
            case .add: a.addingReportingOverflow(b)
            case .subtract: a.subtractingReportingOverflow(b)
            case .multiply: a.multipliedReportingOverflow(by: b)
            case .divide: b == 0 ? (a < 0 ? .min : .max, false) : a.dividedReportingOverflow(by: b)
            }
        return isTooLarge ? nil : result
    }

    // One for each type, so that other modules call specialised code.
    package func callAsFunction(_ a: Float, _ b: Float) -> Float { floating(a, b) }

    package func callAsFunction(_ a: Double, _ b: Double) -> Double { floating(a, b) }

    private func floating<Number: BinaryFloatingPoint>(_ a: Number, _ b: Number) -> Number {
        switch self {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        }
    }

    package func callAsFunction(_ a: Decimal128, _ b: Decimal128) -> Decimal128 {
        switch self {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        }
    }
}

extension Value {
    fileprivate var asDouble: Double? {
        switch self {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// A number as a decimal: a binary fraction by its shortest text, as people write it.
    var asDecimal: Decimal128? {
        switch self {
        case .int(let value): Decimal128(value)
        case .float(let value): value.isFinite ? Decimal128(value.description) : Decimal128(value)
        case .double(let value): value.isFinite ? Decimal128(shortest: value) : Decimal128(value)
        case .decimal(let value): value
        default: nil
        }
    }
}
