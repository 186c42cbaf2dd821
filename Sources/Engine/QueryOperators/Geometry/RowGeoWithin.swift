import Columnar
import ObjectModel
import QuerySyntax
import QueryLanguage

/// `GEOWITHIN`, object by object. Used by one thread at a time.
final class RowGeoWithin {
    private let links: LinkReader
    private let quantifier: Quantifier
    private let type: ColumnReader
    private let coordinates: ColumnReader
    private let region: GeoRegion
    private let isPoint = TextPattern(.equal, "point", ignoresCase: true)

    init(_ search: BoundGeoWithin, on classID: ClassID, in source: any ColumnSource) {
        links = LinkReader(search.links, from: classID, in: source)
        quantifier = search.quantifier
        type = ColumnReader(source, links.endClass, search.typeProperty)
        coordinates = ColumnReader(source, links.endClass, search.coordinatesProperty)
        region = GeoRegion(search.shape)
    }

    func holds(_ key: ObjectKey) throws -> Bool {
        guard links.isToMany else { return try links.single(key).map { try isWithin($0) } ?? false }
        return quantifier.holds(reachedEnd: try links.forEach(key) { quantifier.goesOn(after: try isWithin($0)) })
    }

    private func isWithin(_ point: ObjectKey) throws -> Bool {
        guard case .string(let name) = try type.view(point), isPoint.matches(name),
            let position = try position(of: point)
        else { return false }
        return region.contains(position)
    }

    /// Returns nil for a malformed point.
    private func position(of point: ObjectKey) throws -> GeoPosition? {
        guard let numbers = try coordinates.collection(point), numbers.count >= 2,
            case .double(let longitude)? = try numbers.element(at: 0),
            case .double(let latitude)? = try numbers.element(at: 1)
        else { return nil }
        return GeoPosition(longitude: longitude, latitude: latitude)
    }
}
