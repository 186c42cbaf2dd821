import QuerySyntax
import ObjectModel
import QueryLanguage

extension ReferenceEvaluator {
    /// All values of one side of a comparison: one, unless it is to-many.
    func values(of operand: BoundOperand, for key: ObjectKey, in classID: ClassID) throws -> [Value] {
        switch operand {
        case .constant(let value): [value]
        case .list(let values): values
        case .objects(let constants): try constants.elements.map { try value(of: $0) }
        case .path(let path):
            if path.isToMany {
                try values(of: path, from: key, in: classID)
            } else {
                [try singleValue(of: path, from: key, in: classID) ?? .null]
            }
        case .aggregate(let aggregate):
            [
                try Self.aggregate(
                    aggregate.function, try values(of: aggregate.path, from: key, in: classID),
                    as: aggregate.path.valueType.base, isChecked: aggregate.isChecked)
            ]
        case .subquery(let subquery):
            [
                .int(
                    Int64(
                        try objects(along: subquery.links[...], from: key, in: classID).objects.filter {
                            try holds(subquery.predicate, for: $0, in: subquery.classID)
                        }.count))
            ]
        case .arithmetic(let arithmetic):
            try values(of: arithmetic.left, for: key, in: classID).flatMap { left in
                try values(of: arithmetic.right, for: key, in: classID).map { right in
                    ReferenceArithmetic.result(left, arithmetic.operation, right)
                }
            }
        }
    }

    /// An object by its primary key: found by reading all of its class.
    private func value(of element: ObjectConstants.Element) throws -> Value {
        switch element {
        case .value(let value): return value
        case .object(let classID, let primaryKey):
            let property = source.schema[classID]?.primaryKeyProperty
            let found = try source.keys(of: classID).first { key in
                try property.map { try source.value(classID, key, $0.id) } == primaryKey
            }
            return .reference(ObjectReference(classID, found ?? ObjectKey(-1)))
        }
    }
}

/// `+ - * /` of two values.
enum ReferenceArithmetic {
    static func result(_ left: Value, _ operation: BoundArithmetic.Operation, _ right: Value) -> Value {
        switch (left, right) {
        case (.int(let a), .int(let b)): return integer(a, operation, b)
        case (.decimal, _), (_, .decimal):
            guard let a = decimal(left), let b = decimal(right) else { return .null }
            let result =
                switch operation {
                case .add: a + b
                case .subtract: a - b
                case .multiply: a * b
                case .divide: a / b
                }
            return .decimal(result)
        case (.double, _), (_, .double):
            guard let a = double(left), let b = double(right) else { return .null }
            return .double(floating(a, operation, b))
        case (.float, _), (_, .float):
            guard let a = float(left), let b = float(right) else { return .null }
            return .float(floating(a, operation, b))
        default: return .null
        }
    }

    /// Computes in 128 bits; what has more than 64 becomes a decimal, by its digits.
    private static func integer(_ a: Int64, _ operation: BoundArithmetic.Operation, _ b: Int64) -> Value {
        let (wideA, wideB) = (Int128(a), Int128(b))
        let result: Int128 =
            switch operation {
            case .add: wideA + wideB
            case .subtract: wideA - wideB
            case .multiply: wideA * wideB
            case .divide where b == 0: Int128(a < 0 ? Int64.min : .max)
            case .divide: wideA / wideB
            }
        return Int64(exactly: result).map { .int($0) } ?? Decimal128(result.description).map { .decimal($0) } ?? .null
    }

    private static func floating<Number: FloatingPoint>(
        _ a: Number, _ operation: BoundArithmetic.Operation, _ b: Number
    ) -> Number {
        switch operation {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        }
    }

    private static func decimal(_ value: Value) -> Decimal128? {
        switch value {
        case .int(let number): Decimal128(number)
        case .float(let number): Decimal128(number)
        case .double(let number): Decimal128(number)
        case .decimal(let number): number
        default: nil
        }
    }

    private static func double(_ value: Value) -> Double? {
        switch value {
        case .int(let number): Double(number)
        case .float(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    private static func float(_ value: Value) -> Float? {
        switch value {
        case .int(let number): Float(number)
        case .float(let number): number
        default: nil
        }
    }
}
