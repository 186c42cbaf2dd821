import QuerySyntax
import ObjectModel

extension Binding {
    /// `place GEOWITHIN geoCircle([1.0, 2.0], 0.1)`
    func geoWithin(_ parsed: ParsedComparison) throws(QueryError) -> BoundPredicate {
        let left = try side(parsed.left)
        if dialect == .format { try checkQuantifier(left) }
        guard case .operand(_, let type) = left.content, case .object(let target) = type,
            let bound = left.path?.bound, !bound.links.isEmpty
        else {
            let name =
                switch left.content {
                case .operand(_, let type): type.name
                case .constants(let constants, let isList): isList ? "list" : constants.first?.typeName ?? "list"
                }
            throw source.error(
                .typeMismatch,
                "The left hand side of 'geoWithin' must be a link to geoJSON formatted data. But the provided type is '\(name)'",
                left.range)
        }
        guard let kind = target["type"], kind.type.base == .string, kind.type.collection == .single,
            let coordinates = target["coordinates"], coordinates.type.base == .double,
            coordinates.type.collection == .list
        else {
            throw source.error(
                .invalid,
                "Class '\(target.name)' does not have the form of geoJSON points: it needs the properties 'type' (string) and 'coordinates' (double[]).",
                left.range)
        }
        return .geoWithin(
            BoundGeoWithin(
                links: bound.links, type: kind.id, coordinates: coordinates.id, try shape(parsed.right),
                quantifier: left.quantifier ?? .any))
    }

    private func shape(_ operand: ParsedOperand) throws(QueryError) -> GeoShape {
        let range = operand.range.value
        let shape: GeoShape
        switch operand.kind {
        case .shape(let parsed): shape = try self.shape(parsed, range)
        case .constant(.argument(let number)):
            guard case .shape(let argument) = try self.argument(number, range) else {
                throw noShape(try side(operand), range)
            }
            shape = argument
        default: throw noShape(try side(operand), range)
        }
        if let fault = shape.fault {
            throw source.error(
                .invalid, "The Geospatial query argument region is invalid: '\(fault)'", range)
        }
        return shape
    }

    private func noShape(_ side: ComparisonSide, _ range: SourceRange) -> QueryError {
        let name =
            switch side.content {
            case .operand(_, let type): type.name
            case .constants(let constants, let isList): isList ? "list" : constants.first?.typeName ?? "list"
            }
        return source.error(
            .typeMismatch,
            "The right hand side of 'geoWithin' must be a geospatial constant value. But the provided type is '\(name)'",
            range)
    }

    private func shape(_ parsed: ParsedShape, _ range: SourceRange) throws(QueryError) -> GeoShape {
        switch parsed.kind {
        case .circle(let center, let radius):
            return .circle(center: try position(center, range), radius: try coordinate(radius, range))
        case .box(let corner, let other): return .box(try position(corner, range), try position(other, range))
        case .polygon(let rings):
            var bound: [[GeoPosition]] = []
            for ring in rings {
                var positions: [GeoPosition] = []
                for parsed in ring { positions.append(try position(parsed, range)) }
                bound.append(positions)
            }
            return .polygon(bound)
        }
    }

    private func position(_ parsed: ParsedShape.Position, _ range: SourceRange) throws(QueryError) -> GeoPosition {
        GeoPosition(
            longitude: try coordinate(parsed.longitude, range), latitude: try coordinate(parsed.latitude, range))
    }

    private func coordinate(_ parsed: ParsedConstant, _ range: SourceRange) throws(QueryError) -> Double {
        let (constants, isList) = try self.constants(parsed, range)
        switch isList ? nil : constants.first?.value {
        case .int(let value)?: return Double(value)
        case .float(let value)?: return Double(value)
        case .double(let value)?: return value
        case .decimal(let value)?: return value.double
        default:
            throw source.error(
                .argument,
                "A coordinate must be a number, not a value of type '\(isList ? "list" : constants.first?.typeName ?? "list")'.",
                range)
        }
    }
}
