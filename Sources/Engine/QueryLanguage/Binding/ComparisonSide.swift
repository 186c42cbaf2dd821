import QuerySyntax
import ObjectModel

/// One side of a comparison after its names and arguments were resolved.
struct ComparisonSide {
    enum Content {
        case constants([Constant], isList: Bool)
        case operand(BoundOperand, OperandType)
    }

    var content: Content
    var quantifier: Quantifier?
    var range: SourceRange
    /// The path, if the side is nothing else.
    var path: ResolvedPath?

    init(_ content: Content, quantifier: Quantifier? = nil, _ range: SourceRange, path: ResolvedPath? = nil) {
        self.content = content
        self.quantifier = quantifier
        self.range = range
        self.path = path
    }

    /// Whether it can have several values for one object.
    var isToMany: Bool {
        switch content {
        case .constants(_, let isList): isList
        case .operand(let operand, _): operand.isToMany
        }
    }
}

extension Binding {
    /// The name of the side in errors: its text.
    func name(_ side: ComparisonSide) -> String { side.path?.text ?? source.shown(side.range) }

    func side(_ operand: ParsedOperand) throws(QueryError) -> ComparisonSide {
        let range = operand.range.value
        if operand.quantifier == .all, dialect == .format {
            throw source.error(.invalid, "ALL modifier not supported", range, hint: "NONE")
        }
        var side: ComparisonSide
        switch operand.kind {
        case .path(let path): side = try self.side(path, range)
        case .list(let elements): side = try list(elements, operand, range)
        case .constant(let constant):
            let (found, isList) = try constants(constant, range)
            if operand.quantifier != nil, !isList, case .argument(let number) = constant {
                throw source.error(
                    .argument,
                    "ANY/ALL/NONE are only allowed on arguments which contain a list but '$\(number)' is not a list.",
                    range)
            }
            side = ComparisonSide(.constants(found, isList: isList), range)
        case .subquery(let parsed):
            side = ComparisonSide(.operand(.subquery(try subquery(parsed)), .scalar(.int)), range)
        case .arithmetic(let left, let operation, let right):
            side = try arithmetic(left, operation, right, range)
        case .shape: throw source.error(.invalid, "A shape can only be used with GEOWITHIN.", range)
        }
        if let quantifier = operand.quantifier {
            try refuse(quantifier, unlessList: side)
            side.quantifier = quantifier
        }
        return side
    }

    private func refuse(_ quantifier: Quantifier, unlessList side: ComparisonSide) throws(QueryError) {
        guard !side.isToMany else { return }
        if dialect == .format {
            throw source.error(
                .invalid,
                "Aggregate operations can only be used on key paths that include an collection property", side.range)
        }
        throw source.error(
            .invalid,
            "The keypath following '\(quantifier.rawValue)' must contain a list. Found '\(name(side))'",
            side.range)
    }

    private func side(_ parsed: ParsedPath, _ range: SourceRange) throws(QueryError) -> ComparisonSide {
        let path = try resolve(parsed)
        let content: ComparisonSide.Content =
            switch path.meaning {
            case .path(let bound): .operand(.path(bound), path.type)
            case .aggregate(let aggregate): .operand(.aggregate(aggregate), path.type)
            case .total(let paths): .operand(ResolvedPath.sum(paths[...]), path.type)
            case .typeName(let name): .constants([Constant(.typeName(name), range)], isList: false)
            }
        return ComparisonSide(content, range, path: path)
    }

    private func list(
        _ elements: [ParsedConstant], _ operand: ParsedOperand, _ whole: SourceRange
    ) throws(QueryError) -> ComparisonSide {
        var constants: [Constant] = []
        constants.reserveCapacity(elements.count)
        let ranges = operand.elementRanges.value
        for (index, element) in elements.enumerated() {
            let range = ranges.indices.contains(index) ? ranges[index] : whole
            let (found, isList) = try self.constants(element, range)
            guard !isList else {
                throw source.error(
                    .argument, "A list cannot be inside a list. Pass one list as the argument.", range)
            }
            constants += found
        }
        return ComparisonSide(.constants(constants, isList: true), whole)
    }
}
