import QuerySyntax
import ObjectModel

extension Binding {
    /// `left operation right`; two constants are computed at once.
    func arithmetic(
        _ left: ParsedOperand, _ operation: BoundArithmetic.Operation, _ right: ParsedOperand, _ range: SourceRange
    ) throws(QueryError) -> ComparisonSide {
        let a = try side(left)
        let b = try side(right)
        guard !a.isToMany || !b.isToMany else {
            throw source.error(
                .invalid, "Cannot perform '\(operation.rawValue)' operation on two lists.", range)
        }
        // Made only when needed: it costs a pass over the text.
        func refusal() -> QueryError {
            source.error(
                .invalid, "Cannot perform '\(operation.rawValue)' operation on '\(name(a))' and '\(name(b))'", range)
        }
        let content: ComparisonSide.Content
        switch (a.content, b.content) {
        case (.constants(let first, let isList), .constants(let second, let isOtherList)):
            content = .constants(
                try fold(first, operation, second, range, refusal), isList: isList || isOtherList)
        case (.constants(let constants, let isList), .operand(let operand, let type)):
            let (numbers, base) = try self.numbers(constants, isList, beside: type, refusal)
            content = .operand(.arithmetic(BoundArithmetic(numbers, operation, operand)), .scalar(base))
        case (.operand(let operand, let type), .constants(let constants, let isList)):
            let (numbers, base) = try self.numbers(constants, isList, beside: type, refusal)
            content = .operand(.arithmetic(BoundArithmetic(operand, operation, numbers)), .scalar(base))
        case (.operand(let first, let type), .operand(let second, let otherType)):
            guard case .scalar(let base) = type, case .scalar(let otherBase) = otherType, type.isArithmetic,
                otherType.isArithmetic
            else { throw refusal() }
            content = .operand(
                .arithmetic(BoundArithmetic(first, operation, second)), .scalar(base.wider(otherBase)))
        }
        return ComparisonSide(content, quantifier: a.quantifier ?? b.quantifier, range)
    }

    private func fold(
        _ first: [Constant], _ operation: BoundArithmetic.Operation, _ second: [Constant], _ range: SourceRange,
        _ refusal: () -> QueryError
    ) throws(QueryError) -> [Constant] {
        var results: [Constant] = []
        for a in first {
            for b in second {
                guard let x = a.number, let y = b.number else { throw refusal() }
                // In addition to the binary result the decimal one, for comparisons with decimals.
                let exact: String? =
                    if a.text != nil || b.text != nil, let x = a.decimal, let y = b.decimal,
                        case .decimal(let result) = operation(.decimal(x), .decimal(y)), !result.isNaN,
                        !result.isInfinite
                    { result.description } else { nil }
                results.append(Constant(.value(operation(x, y)), text: exact, range))
            }
        }
        return results
    }

    /// Constants beside an operand of the type, and the type of the result.
    private func numbers(
        _ constants: [Constant], _ isList: Bool, beside type: OperandType, _ refusal: () -> QueryError
    ) throws(QueryError) -> (BoundOperand, BaseType) {
        guard case .scalar(var base) = type, type.isArithmetic else { throw refusal() }
        var values: [Value] = []
        for constant in constants {
            guard var number = constant.number else { throw refusal() }
            if base == .decimal128, let decimal = constant.decimal { number = .decimal(decimal) }
            values.append(number)
        }
        for value in values {
            if let other = value.numberType { base = base.wider(other) }
        }
        return (isList || values.count != 1 ? .list(values) : .constant(values[0]), base)
    }
}

extension Constant {
    /// Null or a number.
    fileprivate var number: Value? {
        switch value {
        case .null?, .int?, .float?, .double?, .decimal?: value
        default: nil
        }
    }

    /// A number as a decimal, with all digits of its text.
    var decimal: Decimal128? {
        if let text, let exact = Decimal128(text.hasSuffix("f") ? String(text.dropLast()) : text) { return exact }
        return value?.asDecimal
    }
}

extension Value {
    var numberType: BaseType? {
        switch self {
        case .int: .int
        case .float: .float
        case .double: .double
        case .decimal: .decimal128
        default: nil
        }
    }
}
