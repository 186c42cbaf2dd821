import ObjectModel

extension QueryParser {
    /// Whether a shape begins at the current token.
    var isShape: Bool { isCall(.geoBox) || isCall(.geoCircle) || isCall(.geoPolygon) }

    /// Throws unless the left side of GEOWITHIN is a path.
    func checkLeftOfGeoWithin(_ left: ParsedOperand, _ start: SourceRange) throws(QueryError) {
        if case .path(let path) = left.kind, !path.isAggregate { return }
        throw source.error(
            .syntax, "The left hand side of GEOWITHIN must be a path to a point.", start.joined(left.range.value))
    }

    /// The right side of GEOWITHIN: a shape or an argument.
    mutating func shapeOperand() throws(QueryError) -> ParsedOperand {
        let start = current.range
        let kind: ParsedOperand.Kind
        if isShape {
            kind = .shape(try shape())
        } else {
            switch current.kind {
            case .argument(let number): kind = .constant(.argument(number))
            case .nextArgument: kind = .constant(.argument(takeArgumentNumber()))
            default:
                throw unexpected(
                    "geoBox(…), geoCircle(…), geoPolygon(…) or an argument", ["geoBox", "geoCircle", "geoPolygon"])
            }
            advance()
        }
        return ParsedOperand(
            kind: kind, quantifier: nil, range: Uncompared(start.joined(previous.range)), elementRanges: Uncompared([]))
    }

    private mutating func shape() throws(QueryError) -> ParsedShape {
        let keyword = current.keyword
        advance()
        advance()
        let kind: ParsedShape.Kind
        switch keyword {
        case .geoCircle:
            let center = try position()
            try expect(",", "a comma and the radius")
            kind = .circle(center, radius: try coordinate("the radius in radians, such as 0.01"))
        case .geoBox:
            let corner = try position()
            try expect(",", "a comma and the opposite corner")
            kind = .box(corner, try position())
        default:
            var rings: [[ParsedShape.Position]] = []
            repeat { rings.append(try ring()) } while consume(",")
            kind = .polygon(rings)
        }
        try expect(")", "a closing parenthesis")
        return ParsedShape(kind)
    }

    /// `{[0.0, 0.0], [1.0, 0.0], …}`
    private mutating func ring() throws(QueryError) -> [ParsedShape.Position] {
        try expect("{", "a ring of points in braces")
        var positions: [ParsedShape.Position] = []
        repeat { positions.append(try position()) } while consume(",")
        try expect("}", "a comma or a closing brace", [","])
        return positions
    }

    /// `[longitude, latitude]`; an altitude may follow and is ignored.
    private mutating func position() throws(QueryError) -> ParsedShape.Position {
        try expect("[", "a point, such as [2.35, 48.86]")
        let longitude = try coordinate("a longitude, such as 2.35")
        try expect(",", "a comma and the latitude")
        let latitude = try coordinate("a latitude, such as 48.86")
        if consume(",") {
            guard case .constant(.floating) = current.kind else { throw unexpected("an altitude, such as 10.0") }
            advance()
        }
        try expect("]", "a closing bracket")
        return ParsedShape.Position(longitude, latitude)
    }

    /// A number with a point, a natural number or an argument. As in Realm, `-1` is none of them.
    private mutating func coordinate(_ expected: String) throws(QueryError) -> ParsedConstant {
        let constant: ParsedConstant
        switch current.kind {
        case .constant(let number):
            if case .value(.int) = number, !isNatural(current) {
                throw unexpected(expected, hint: source.slice(current.range) + ".0")
            }
            guard number.isNumber else { throw unexpected(expected) }
            constant = number
        case .argument(let number): constant = .argument(number)
        case .nextArgument: constant = .argument(takeArgumentNumber())
        default: throw unexpected(expected)
        }
        advance()
        return constant
    }
}

extension ParsedConstant {
    /// Whether it is a finite number.
    fileprivate var isNumber: Bool {
        switch self {
        case .value(.int), .floating: true
        case .value, .argument, .object: false
        }
    }
}
