package import ObjectModel
package import QueryLanguage
package import StoreContract

extension ReferenceEvaluator {
    /// The aggregates, in the order of the requests, over the query's result; see `AggregateRequest`.
    package func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        try aggregates(requests, over: try select(query), of: query.classID)
    }

    /// The aggregates of each group of objects with equal values, ascending by those. For values that are equal in the
    /// order but not the same, such as 1 and 1.0, the group's key has those of its first object. Without paths there is
    /// one group, of the whole result.
    package func aggregate(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath]
    ) throws -> [AggregateGroup] {
        try groups(of: query, by: paths).map {
            AggregateGroup(
                key: $0.key, count: $0.members.count,
                results: try aggregates(requests, over: $0.members, of: query.classID))
        }
    }

    private func groups(
        of query: BoundQuery, by paths: [BoundPath]
    ) throws -> [(key: [Value], members: [ObjectKey])] {
        let objects = try select(query)
        if paths.isEmpty { return [([], objects)] }
        var groups: [(key: [Value], members: [ObjectKey])] = []
        for object in objects {
            let key = try paths.map { try singleValue(of: $0, from: object, in: query.classID) ?? .null }
            if let index = groups.firstIndex(where: { Self.areAlike($0.key, key) }) {
                groups[index].members.append(object)
            } else {
                groups.append((key, [object]))
            }
        }
        return groups.sorted { a, b in
            zip(a.key, b.key).lazy.map { Value.order($0, $1) }.first { $0 != 0 } ?? 0 < 0
        }
    }

    /// The aggregates over all values of one object's collection.
    package func aggregate(
        _ object: ObjectReference, _ property: PropertyID, _ functions: [AggregateRequest.Function]
    ) throws -> [Value] {
        let type = source.schema[object.classID]?[property]?.type ?? PropertyType(.mixed)
        let path = BoundPath(end: .property(property, type), steps: [.elements(.all)])
        let values = try values(of: path, from: object.key, in: object.classID)
        return try functions.map { try Self.aggregate($0, values, as: path.valueType.base, isChecked: true) }
    }

    private func aggregates(
        _ requests: [AggregateRequest], over keys: [ObjectKey], of classID: ClassID
    ) throws -> [Value] {
        try requests.map { request in
            let values = try keys.compactMap { try singleValue(of: request.path, from: $0, in: classID) }
            return try Self.aggregate(
                request.function, values, as: request.path.valueType.base, isChecked: request.isChecked)
        }
    }

    /// The aggregate of values, which are added in their order. `base` is their property's type; nil when it has no
    /// sum.
    static func aggregate(
        _ function: AggregateRequest.Function, _ all: [Value], as base: BaseType?, isChecked: Bool
    ) throws -> Value {
        if isChecked, function == .sum, base == .int {
            let numbers = all.filter(\.isNumber)
            let sum = numbers.reduce(Int128(0)) { $0 + Int128($1.integer) }
            guard Int64(exactly: sum) != nil else { throw StoreError.sumOverflow }
        }
        return aggregate(function, all, as: base)
    }

    /// Anything that is not a number is the same one: infinities of both signs have no other sum.
    static func aggregate(_ function: AggregateRequest.Function, _ all: [Value], as base: BaseType?) -> Value {
        switch result(function, all, as: base) {
        case .double(let number) where number.isNaN: .double(.nan)
        case .decimal(let number) where number.isNaN: .decimal(.nan)
        case let result: result
        }
    }

    private static func result(_ function: AggregateRequest.Function, _ all: [Value], as base: BaseType?) -> Value {
        let values = all.filter { !$0.isNull && !$0.isNaN }
        let numbers = values.filter(\.isNumber)
        switch (function, base) {
        case (.minimum, _): return values.min { Value.order($0, $1) < 0 } ?? .null
        case (.maximum, _): return values.max { Value.order($0, $1) < 0 } ?? .null
        case (.sum, .int): return .int(numbers.reduce(0) { $0 &+ $1.integer })
        case (.sum, .float), (.sum, .double): return .double(numbers.reduce(0) { $0 + $1.number })
        case (.sum, .decimal128), (.sum, .mixed): return .decimal(numbers.reduce(.zero) { $0 + $1.decimal })
        case (.average, _) where numbers.isEmpty: return .null
        case (.average, .int):
            // Large numbers of both signs nearly cancel out, which sums of doubles would lose.
            return .double(Double(numbers.reduce(Int128(0)) { $0 + Int128($1.integer) }) / Double(numbers.count))
        case (.average, .float), (.average, .double):
            return .double(numbers.reduce(0) { $0 + $1.number } / Double(numbers.count))
        case (.average, .decimal128), (.average, .mixed):
            return .decimal(numbers.reduce(.zero) { $0 + $1.decimal } / Decimal128(Int64(numbers.count)))
        default: return .null
        }
    }
}

extension ReferenceEvaluator {
    /// Whether a store's answer to an aggregate over a query is right. Minimum, maximum and sums of Int must be equal;
    /// the other sums and the averages may differ by the rounding of another order of addition.
    package func agrees(_ answer: Value, to request: AggregateRequest, over query: BoundQuery) throws -> Bool {
        try agrees(answer, to: request, over: try select(query), of: query.classID)
    }

    /// Whether a store's groups are right, with the right aggregates.
    ///
    /// - Parameter answer: nil when the store found a sum too large.
    package func agree(
        _ answer: [AggregateGroup]?, to requests: [AggregateRequest], over query: BoundQuery, by paths: [BoundPath]
    ) throws -> Bool {
        guard let answer else { return try unlessTooLarge { try aggregate(query, requests, by: paths) } == nil }
        let expected = try groups(of: query, by: paths)
        guard answer.count == expected.count else { return false }
        for (group, wanted) in zip(answer, expected) {
            guard Self.areAlike(group.key, wanted.key), group.count == wanted.members.count,
                group.results.count == requests.count
            else { return false }
            for (result, request) in zip(group.results, requests) {
                guard try agrees(result, to: request, over: wanted.members, of: query.classID) else { return false }
            }
        }
        return true
    }

    /// Whether an aggregate over all values of one object's collection is right.
    package func agrees(
        _ answer: Value, to function: AggregateRequest.Function, of property: PropertyID, in object: ObjectReference
    ) throws -> Bool {
        let type = source.schema[object.classID]?[property]?.type ?? PropertyType(.mixed)
        let path = BoundPath(end: .property(property, type), steps: [.elements(.all)])
        let values = try values(of: path, from: object.key, in: object.classID)
        return Self.agrees(answer, to: function, of: values, as: path.valueType.base)
    }

    private func agrees(
        _ answer: Value, to request: AggregateRequest, over keys: [ObjectKey], of classID: ClassID
    ) throws -> Bool {
        let values = try keys.compactMap { try singleValue(of: request.path, from: $0, in: classID) }
        return Self.agrees(answer, to: request.function, of: values, as: request.path.valueType.base)
    }

    private static func agrees(
        _ answer: Value, to function: AggregateRequest.Function, of all: [Value], as base: BaseType?
    ) -> Bool {
        let expected = aggregate(function, all, as: base)
        guard function == .sum || function == .average else {
            // -0 and 0, or 1 and 1.0 among mixed values, are one value to minimum and maximum.
            return Value.order(answer, expected) == 0 && (base == .mixed || answer.typeName == expected.typeName)
        }
        let numbers = all.filter { $0.isNumber && !$0.isNaN }
        switch (answer, expected) {
        case (.double(let given), .double(let wanted)):
            if wanted.isNaN || given.isNaN { return wanted.isNaN && given.isNaN }
            if wanted.isInfinite || given.isInfinite { return wanted == given }
            let magnitude = numbers.reduce(0) { $0 + $1.number.magnitude }
            let scale = function == .average ? magnitude / Double(numbers.count) : magnitude
            return (wanted - given).magnitude <= scale * Double(numbers.count) * .ulpOfOne
        case (.decimal(let given), .decimal(let wanted)):
            // Where the sum of the magnitudes does not fit, the order decides whether it is infinite.
            let magnitude = numbers.reduce(Decimal128.zero) { $0 + $1.decimal.magnitude }
            if magnitude.isInfinite { return numbers.contains { $0.decimal.isInfinite } ? true : !given.isNaN }
            let tolerance = magnitude * Decimal128(Int64(numbers.count)) * ReferenceArithmetic.lastDecimalPlace
            return Decimal128.order((wanted - given).magnitude, tolerance) <= 0
        default: return answer == expected
        }
    }
}

extension ReferenceArithmetic {
    /// The rounding error of a decimal of 1.
    static let lastDecimalPlace = Decimal128("1e-33") ?? .zero
}

extension Decimal128 {
    fileprivate var magnitude: Decimal128 { isNegative ? -self : self }
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

    fileprivate var decimal: Decimal128 {
        switch self {
        case .int(let value): Decimal128(value)
        case .float(let value): Decimal128(value)
        case .double(let value): Decimal128(value)
        case .decimal(let value): value
        default: .zero
        }
    }
}
