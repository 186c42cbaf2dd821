import ObjectModel

/// One side of a comparison with its names and arguments looked up.
private enum Side {
    case path(ResolvedPath, Quantifier?, SourceRange)
    case constants([Constant], isList: Bool, Quantifier?, SourceRange)

    var quantifier: Quantifier? {
        switch self {
        case .path(_, let quantifier, _), .constants(_, _, let quantifier, _): quantifier
        }
    }

    var range: SourceRange {
        switch self {
        case .path(_, _, let range), .constants(_, _, _, let range): range
        }
    }

    /// Whether it can give several values for one object.
    var isToMany: Bool {
        switch self {
        case .path(let path, _, _): path.bound.isToMany
        case .constants(_, let isList, _, _): isList
        }
    }
}

extension Binding {
    func comparison(_ parsed: ParsedComparison) throws(QueryError) -> BoundPredicate {
        let left = try side(parsed.left)
        let right = try side(parsed.right)
        switch (left, right) {
        case (.constants, .constants):
            throw source.error(.invalid, "Cannot compare two constants", left.range.joined(right.range))
        case (.path(let path, _, _), .path(let other, _, _)):
            return try compare(path, left, parsed, with: other, right)
        case (.path(let path, _, _), .constants(let constants, _, _, _)):
            return try compare(path, left, parsed, with: constants, right)
        case (.constants(let constants, _, _, _), .path(let path, _, _)):
            return try compare(constants, left, parsed, with: path, right)
        }
    }

    // MARK: Sides

    private func side(_ operand: ParsedOperand) throws(QueryError) -> Side {
        let range = operand.range.value
        switch operand.kind {
        case .path(let path):
            let resolved = try resolve(path)
            if let quantifier = operand.quantifier, !resolved.bound.isToMany {
                throw source.error(
                    .invalid,
                    "The keypath following '\(quantifier.rawValue)' must contain a list. Found '\(resolved.text)'",
                    range)
            }
            return .path(resolved, operand.quantifier, range)
        case .list(let elements):
            var constants: [Constant] = []
            constants.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                let places = operand.elementRanges.value
                let range = places.indices.contains(index) ? places[index] : range
                let (found, isList) = try self.constants(element, range)
                guard !isList else {
                    throw source.error(
                        .argument, "A list cannot stand inside a list. Pass one list as the argument.", range)
                }
                constants += found
            }
            return .constants(constants, isList: true, operand.quantifier, range)
        case .constant(let constant):
            let (found, isList) = try constants(constant, range)
            if operand.quantifier != nil, !isList, case .argument(let number) = constant {
                throw source.error(
                    .argument,
                    "ANY/ALL/NONE are only allowed on arguments which contain a list but '$\(number)' is not a list.",
                    range)
            }
            return .constants(found, isList: isList, operand.quantifier, range)
        case .subquery, .arithmetic, .shape:
            throw source.error(.unsupported, "This operand is not supported by this version.", range)
        }
    }

    private func constants(
        _ parsed: ParsedConstant, _ range: SourceRange
    ) throws(QueryError) -> ([Constant], isList: Bool) {
        switch parsed {
        case .value(let value), .floating(let value, _):
            return ([Constant(.value(value), argument: nil, range)], false)
        case .object(let name, let key):
            return ([Constant(.object(className: name, primaryKey: key), argument: nil, range)], false)
        case .argument(let number):
            switch try argument(number, range) {
            case .value(let value): return ([Constant(.value(value), argument: number, range)], false)
            case .object(let name, let key):
                return ([Constant(.object(className: name, primaryKey: key), argument: number, range)], false)
            case .list(let values):
                return (values.map { Constant(.value($0), argument: number, range) }, true)
            case .shape:
                throw source.error(.argument, "A shape goes with GEOWITHIN only.", range)
            }
        }
    }

    // MARK: Path and path

    private func compare(
        _ path: ResolvedPath, _ left: Side, _ parsed: ParsedComparison, with other: ResolvedPath, _ right: Side
    ) throws(QueryError) -> BoundPredicate {
        let whole = left.range.joined(right.range)
        let comparison: ComparisonOperator
        switch parsed.operator {
        case .between:
            throw source.error(.invalid, "BETWEEN takes a list of two constants, as in {1, 5}.", right.range)
        case .isIn:
            guard right.isToMany else {
                throw source.error(
                    .invalid, "The keypath following 'IN' must contain a list. Found '\(other.text)'", right.range)
            }
            comparison = .equal
        case .comparison(let simple):
            comparison = simple
        case .text, .geoWithin:
            throw source.error(.unsupported, "This operator is not supported by this version.", whole)
        }
        try refuseOrderedComparison(left, right, whole)
        try check(comparison, parsed.ignoresCase, path.end.type, other.end.type, whole)
        return .comparison(
            BoundComparison(
                .path(path.bound), comparison, .path(other.bound), ignoresCase: parsed.ignoresCase,
                leftQuantifier: left.quantifier ?? .any, rightQuantifier: right.quantifier ?? .any))
    }

    /// Whether the types can be compared at all with the operator.
    private func check(
        _ comparison: ComparisonOperator, _ ignoresCase: Bool, _ left: OperandType, _ right: OperandType,
        _ range: SourceRange
    ) throws(QueryError) {
        guard left.isComparable(with: right) else {
            throw source.error(
                .typeMismatch, "Unsupported comparison between type '\(left.name)' and type '\(right.name)'", range)
        }
        try check(comparison, ignoresCase, left, range)
    }

    /// Whether the operator suits the type.
    private func check(
        _ comparison: ComparisonOperator, _ ignoresCase: Bool, _ type: OperandType, _ range: SourceRange
    ) throws(QueryError) {
        if case .object = type, comparison != .equal, comparison != .notEqual {
            throw source.error(
                .typeMismatch,
                "Unsupported operator \(comparison.rawValue) in query. Only equal (==) and not equal (!=) are supported for this type.",
                range)
        }
        guard type != .scalar(.string) else { return }
        if comparison.isStringOperator {
            throw source.error(
                .typeMismatch,
                "Unsupported comparison operator '\(comparison.rawValue.lowercased())' against type '\(type.name)', right side must be a string or binary type",
                range)
        }
        if ignoresCase {
            throw source.error(
                .typeMismatch,
                "Unsupported comparison operator '\(comparison.rawValue)[c]' against type '\(type.name)'", range)
        }
    }

    /// A string operator takes strings and null.
    private func checkStrings(_ comparison: ComparisonOperator, _ constants: [Constant]) throws(QueryError) {
        guard comparison.isStringOperator else { return }
        for constant in constants {
            let name: String
            switch constant.kind {
            case .value(.string), .value(.null): continue
            case .value(let value): name = value.typeName
            case .object: name = "link"
            }
            throw source.error(
                .typeMismatch,
                "Unsupported comparison operator '\(comparison.rawValue.lowercased())' against type '\(name)', right side must be a string or binary type",
                constant.range)
        }
    }

    private func refuseOrderedComparison(_ left: Side, _ right: Side, _ range: SourceRange) throws(QueryError) {
        if left.isToMany, right.isToMany, left.quantifier == nil, right.quantifier == nil {
            throw source.error(
                .unsupported,
                "Comparing two collections element by element is not supported by this version. Write ANY, ALL or NONE before one of them.",
                range, hint: "ANY")
        }
    }

    // MARK: Path and constants

    private func compare(
        _ path: ResolvedPath, _ left: Side, _ parsed: ParsedComparison, with constants: [Constant], _ right: Side
    ) throws(QueryError) -> BoundPredicate {
        let whole = left.range.joined(right.range)
        switch parsed.operator {
        case .between: return try between(path, left, constants, right)
        case .isIn:
            guard right.isToMany else {
                throw source.error(
                    .argument, "The right side of 'IN' must be a list, as in {1, 2}, or an argument that is one.",
                    right.range)
            }
            try refuseOrderedComparison(left, right, whole)
            return try bound(path, left, .equal, constants, right, parsed.ignoresCase, whole)
        case .text, .geoWithin:
            throw source.error(.unsupported, "This operator is not supported by this version.", whole)
        case .comparison(let comparison):
            try refuseOrderedComparison(left, right, whole)
            try check(comparison, parsed.ignoresCase, path.end.type, whole)
            try checkStrings(comparison, constants)
            return try bound(path, left, comparison, constants, right, parsed.ignoresCase, whole)
        }
    }

    private func compare(
        _ constants: [Constant], _ left: Side, _ parsed: ParsedComparison, with path: ResolvedPath, _ right: Side
    ) throws(QueryError) -> BoundPredicate {
        let whole = left.range.joined(right.range)
        switch parsed.operator {
        case .between:
            throw source.error(.invalid, "BETWEEN takes a list of two constants, as in {1, 5}.", right.range)
        case .isIn:
            guard right.isToMany else {
                throw source.error(
                    .invalid, "The keypath following 'IN' must contain a list. Found '\(path.text)'", right.range)
            }
            try refuseOrderedComparison(left, right, whole)
            return try bound(path, right, .equal, constants, left, parsed.ignoresCase, whole)
        case .text, .geoWithin:
            throw source.error(.unsupported, "This operator is not supported by this version.", whole)
        case .comparison(let comparison) where comparison.isStringOperator:
            try refuseOrderedComparison(left, right, whole)
            try check(comparison, parsed.ignoresCase, path.end.type, whole)
            try checkStrings(comparison, constants)
            let operand = try operand(constants, left, for: path.end.type)
            return .comparison(
                BoundComparison(
                    operand, comparison, .path(path.bound), ignoresCase: parsed.ignoresCase,
                    leftQuantifier: left.quantifier ?? .any, rightQuantifier: right.quantifier ?? .any))
        case .comparison(let comparison):
            try refuseOrderedComparison(left, right, whole)
            return try bound(path, right, comparison.mirrored, constants, left, parsed.ignoresCase, whole)
        }
    }

    private func bound(
        _ path: ResolvedPath, _ pathSide: Side, _ comparison: ComparisonOperator, _ constants: [Constant],
        _ constantSide: Side,
        _ ignoresCase: Bool, _ range: SourceRange
    ) throws(QueryError) -> BoundPredicate {
        try check(comparison, ignoresCase, path.end.type, range)
        if case .object = path.end, path.bound.isToMany, constants.contains(where: \.isNull) {
            throw source.error(.invalid, "Cannot compare linklist ('\(path.text)') with NULL", range)
        }
        var boundPath = path.bound
        var type = path.end.type
        // A link is compared through its target's primary key, so that binding needs no look-up and an object
        // that is created later is found.
        if case .object(let target) = path.end, constants.contains(where: { !$0.isNull }),
            let key = target.primaryKeyProperty
        {
            boundPath.end = .property(key.id, key.type)
            type = .key(of: target, key.type.base)
            try refuseNullKeys(constants, key, range)
        }
        return .comparison(
            BoundComparison(
                .path(boundPath), comparison, try operand(constants, constantSide, for: type), ignoresCase: ignoresCase,
                leftQuantifier: pathSide.quantifier ?? .any, rightQuantifier: constantSide.quantifier ?? .any))
    }

    /// Where a primary key may be null, null cannot stand for both that object and no object.
    private func refuseNullKeys(
        _ constants: [Constant], _ key: PropertySchema, _ range: SourceRange
    ) throws(QueryError) {
        let namesNull = constants.contains { if case .object(_, .null) = $0.kind { true } else { false } }
        guard namesNull || (key.type.isOptional && constants.contains(where: \.isNull)) else { return }
        throw source.error(
            .unsupported,
            "An object whose primary key is null is not supported in comparisons of links by this version. Compare the key itself, as in link.\(key.name) == null.",
            range)
    }

    private func operand(
        _ constants: [Constant], _ side: Side, for type: OperandType
    ) throws(QueryError) -> BoundOperand {
        var values: [Value] = []
        values.reserveCapacity(constants.count)
        for constant in constants { values.append(try adapt(constant, to: type)) }
        return side.isToMany ? .list(values) : .constant(values[0])
    }

    /// `p BETWEEN {a, b}` is `p >= a AND p <= b`; over several values both hold for each, which is why only ALL
    /// has that meaning.
    private func between(
        _ path: ResolvedPath, _ left: Side, _ constants: [Constant], _ right: Side
    ) throws(QueryError) -> BoundPredicate {
        guard right.isToMany, constants.count == 2 else {
            throw source.error(
                .invalid, "The right side of BETWEEN must be a list of exactly two elements, as in {1, 5}.", right.range
            )
        }
        if left.isToMany, left.quantifier != .all {
            throw source.error(
                .invalid, "Only 'ALL' supported for operator 'BETWEEN' when applied to lists.", left.range)
        }
        try check(.greaterOrEqual, false, path.end.type, left.range)
        func bound(_ comparison: ComparisonOperator, _ constant: Constant) throws(QueryError) -> BoundPredicate {
            .comparison(
                BoundComparison(
                    .path(path.bound), comparison, .constant(try adapt(constant, to: path.end.type)),
                    leftQuantifier: left.quantifier ?? .any))
        }
        return .and([try bound(.greaterOrEqual, constants[0]), try bound(.lessOrEqual, constants[1])])
    }
}

extension ComparisonOperator {
    /// The operator with its sides exchanged; string operators have none and stay.
    var mirrored: ComparisonOperator {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: self
        }
    }
}
