package import ObjectModel
package import QueryLanguage

extension ReferenceEvaluator {
    /// The aggregates in the order asked for, over what the query gives; see `AggregateRequest`.
    package func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        let keys = try select(query)
        return try requests.map { try aggregate($0, over: keys, of: query.classID) }
    }

    /// The values that an aggregate is made of: neither null nor NaN.
    package func aggregated(_ path: BoundPath, over keys: [ObjectKey], of classID: ClassID) throws -> [Value] {
        try keys.compactMap { key in
            guard let value = try singleValue(of: path, from: key, in: classID), !value.isNull, !value.isNaN else {
                return nil
            }
            return value
        }
    }

    private func aggregate(
        _ request: AggregateRequest, over keys: [ObjectKey], of classID: ClassID
    ) throws -> Value {
        let values = try aggregated(request.path, over: keys, of: classID)
        switch request.function {
        case .minimum: return values.min { Value.order($0, $1) < 0 } ?? .null
        case .maximum: return values.max { Value.order($0, $1) < 0 } ?? .null
        case .sum:
            if request.path.isInteger { return .int(values.reduce(0) { $0 &+ $1.integer }) }
            return .double(values.reduce(0) { $0 + $1.number })
        case .average:
            guard !values.isEmpty else { return .null }
            return .double(values.reduce(0) { $0 + $1.number } / Double(values.count))
        }
    }

    /// Whether a store's answer to an aggregate is right. Minimum, maximum and sums of Int must be equal; the other
    /// sums and the averages may differ by what rounding in another order of addition can make.
    package func agrees(
        _ answer: Value, to request: AggregateRequest, over query: BoundQuery
    ) throws -> Bool {
        let keys = try select(query)
        let expected = try aggregate(request, over: keys, of: query.classID)
        guard case .double(let wanted) = expected, request.function == .sum || request.function == .average else {
            // -0 and 0 are one value to minimum and maximum.
            return answer.kind == expected.kind && Value.order(answer, expected) == 0
        }
        guard case .double(let given) = answer else { return false }
        if wanted.isNaN || given.isNaN { return wanted.isNaN && given.isNaN }
        if wanted.isInfinite || given.isInfinite { return wanted == given }
        let values = try aggregated(request.path, over: keys, of: query.classID)
        let magnitude = values.reduce(0) { $0 + $1.number.magnitude }
        let scale = request.function == .average ? magnitude / Double(values.count) : magnitude
        return (wanted - given).magnitude <= scale * Double(values.count) * .ulpOfOne
    }
}

extension BoundPath {
    fileprivate var isInteger: Bool {
        switch end {
        case .property(_, let type): type.base == .int
        case .object: false
        case .count: true
        }
    }
}

extension Value {
    fileprivate var integer: Int64 {
        if case .int(let value) = self { return value }
        return 0
    }

    fileprivate var number: Double {
        switch self {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        default: 0
        }
    }

    fileprivate var kind: String { typeName }
}
