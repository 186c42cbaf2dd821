package import ObjectModel
package import QueryLanguage
package import TestBasics

extension RandomValues {
    /// A value that fits a property: for the parts of points and for full-text indexed texts, mostly meaningful ones.
    package static func value(of property: PropertySchema, _ random: inout SeededRandom) -> Value {
        if property.isFullTextIndexed {
            if property.type.isOptional, random.oneIn(6) { return .null }
            let separators = [" ", ", ", "-", "\n", "  ", "."]
            return .string(
                (0..<random.below(5)).map { _ in searchWord(&random) + (random.pick(separators) ?? " ") }.joined())
        }
        guard property.isPartOfPoint, !random.oneIn(12) else { return value(of: property.type, &random) }
        if property.name == "type" {
            return .string(random.pick(["Point", "Point", "point", "POINT", "Polygon"]) ?? "")
        }
        var numbers = [longitude(&random), latitude(&random)]
        if random.oneIn(10) { numbers.append(Double(random.below(3))) }
        if random.oneIn(20) { numbers.removeLast() }
        return .list(numbers.map { .double($0) })
    }

    /// Words that are equal except for case, diacritics and suffixes.
    package static func searchWord(_ random: inout SeededRandom) -> String {
        random.pick(["swim", "Swim", "swimming", "jump", "École", "ecole", "climb", "climber", "12a", "日本", "ω"]) ?? ""
    }

    /// Whole degrees, mostly near the origin, sometimes where the map is cut.
    private static func longitude(_ random: inout SeededRandom) -> Double {
        random.oneIn(6) ? random.pick([180, -180, 179, -179, 90, 200, .nan]) ?? 0 : Double(random.below(13) - 6)
    }

    private static func latitude(_ random: inout SeededRandom) -> Double {
        random.oneIn(8) ? random.pick([90, -90, 89, -89, 45, 91]) ?? 0 : Double(random.below(13) - 6)
    }

    /// Regions whose edges avoid whole degrees, so that rounding decides about no point.
    package static func shape(_ random: inout SeededRandom) -> GeoShape {
        let center = GeoPosition(
            longitude: random.oneIn(6) ? 179.7182 : uneven(6, &random), latitude: uneven(6, &random))
        switch random.below(4) {
        case 0:
            let pole = GeoPosition(longitude: uneven(6, &random), latitude: random.oneIn(2) ? 88.3141 : -88.3141)
            return .circle(center: pole, radius: 0.051_371)
        case 1:
            let radii = [0.0, 0.013_717, 0.051_371, 0.097_133, 0.513_17, 1.634_19, 3.2]
            return .circle(center: center, radius: random.pick(radii) ?? 0)
        case 2:
            return .box(
                center,
                GeoPosition(
                    longitude: wrapped(center.longitude + uneven(8, &random)),
                    latitude: center.latitude + uneven(8, &random)))
        default:
            var rings = [ring(around: center, from: 2, to: 6, &random)]
            if random.oneIn(2) { rings.append(ring(around: center, from: 0.4, to: 1.3, &random)) }
            return .polygon(rings)
        }
    }

    /// A star around the centre, in degrees.
    private static func ring(
        around center: GeoPosition, from inner: Double, to outer: Double, _ random: inout SeededRandom
    ) -> [GeoPosition] {
        // Corners of the unit circle, so that no trigonometry is needed to go around.
        let directions: [(Double, Double)] = [
            (1, 0), (0.7071, 0.7071), (0, 1), (-0.7071, 0.7071), (-1, 0), (-0.7071, -0.7071), (0, -1),
            (0.7071, -0.7071),
        ]
        let isBackward = random.oneIn(2)
        var corners = directions.filter { $0.0 * $0.1 == 0 || random.oneIn(2) }.map { x, y in
            let distance = Double.random(in: inner..<outer, using: &random)
            return GeoPosition(
                longitude: wrapped(center.longitude + x * distance),
                latitude: center.latitude + y * distance)
        }
        if isBackward { corners.reverse() }
        return corners + corners.prefix(1)
    }

    private static func wrapped(_ longitude: Double) -> Double {
        longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
    }

    /// Within -limit...limit, and not a whole number.
    private static func uneven(_ limit: Int, _ random: inout SeededRandom) -> Double {
        Double(random.below(2 * limit) - limit) + Double.random(in: 0.05..<0.95, using: &random)
    }
}

extension PropertySchema {
    var isPartOfPoint: Bool {
        name == "type" && type == PropertyType(.string)
            || name == "coordinates" && type == PropertyType(.double, collection: .list)
    }
}
