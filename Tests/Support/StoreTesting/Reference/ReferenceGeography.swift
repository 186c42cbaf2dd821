import Glibc
import ObjectModel
import QueryLanguage

/// Positions and regions on the sphere, by vectors from its centre and triangles.
enum ReferenceGeography {
    /// The point that an object holds; nil when it is malformed.
    static func position(type: Value, coordinates: Value) -> GeoPosition? {
        guard case .string(let name) = type, name.lowercased() == "point", case .list(let numbers) = coordinates,
            numbers.count >= 2, case .double(let longitude) = numbers[0], case .double(let latitude) = numbers[1],
            (-180...180).contains(longitude), (-90...90).contains(latitude)
        else { return nil }
        return GeoPosition(longitude: longitude, latitude: latitude)
    }

    static func contains(_ shape: GeoShape, _ position: GeoPosition) -> Bool {
        switch shape {
        case .circle(let center, let radius): return angle(center, position) <= radius
        case .box(let a, let b):
            let corners = [
                a, GeoPosition(longitude: b.longitude, latitude: a.latitude), b,
                GeoPosition(longitude: a.longitude, latitude: b.latitude),
            ]
            return isInside(corners, position)
        case .polygon(let rings):
            guard let outer = rings.first, isInside(Array(outer.dropLast()), position) else { return false }
            return !rings.dropFirst().contains { isInside(Array($0.dropLast()), position) }
        }
    }

    /// The haversine formula.
    private static func angle(_ a: GeoPosition, _ b: GeoPosition) -> Double {
        let (latitudeA, latitudeB) = (radians(a.latitude), radians(b.latitude))
        let upright = sin((latitudeB - latitudeA) / 2)
        let across = sin(radians(b.longitude - a.longitude) / 2)
        let square = upright * upright + cos(latitudeA) * cos(latitudeB) * across * across
        return 2 * asin(min(1, square.squareRoot()))
    }

    /// Whether a position is on the smaller side of a closed line, given without its last corner.
    ///
    /// The triangles between one corner and each edge, counted as positive or negative by their orientation, cover
    /// every position on the line's left side once more than every position on its right side. Their areas show how
    /// often the whole sphere is covered in addition.
    private static func isInside(_ corners: [GeoPosition], _ position: GeoPosition) -> Bool {
        let points = corners.map(Vector.init)
        let sought = Vector(position)
        // The triangles may begin at any point. Their inner edges are not edges of the region: a position on one is
        // tested from another point.
        for apex in points + points.map(\.turned) {
            guard let (covered, area) = cover(points, from: apex, sought) else { continue }
            let spheres = (area / (4 * .pi)).rounded(.down)
            let isLeft = covered - Int(spheres) == 1
            return area - spheres * 4 * .pi <= 2 * .pi ? isLeft : !isLeft
        }
        return false
    }

    /// How often the triangles between a point and the edges cover a position, and their area; nil where the position
    /// is on the edge of one.
    private static func cover(
        _ points: [Vector], from apex: Vector, _ sought: Vector
    ) -> (count: Int, area: Double)? {
        var count = 0
        var area = 0.0
        for index in points.indices {
            let (a, b, c) = (apex, points[index], points[(index + 1) % points.count])
            let volume = a.volume(b, c)
            guard abs(volume) > 1e-15 else { continue }
            area += 2 * atan2(volume, 1 + a.dot(b) + b.dot(c) + c.dot(a))
            let sides = [a.volume(b, sought), b.volume(c, sought), c.volume(a, sought)]
            if sides.contains(where: { abs($0) < 1e-13 }) { return nil }
            if sides.allSatisfy({ ($0 > 0) == (volume > 0) }) { count += volume > 0 ? 1 : -1 }
        }
        return (count, area)
    }

    private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }

    private struct Vector {
        let x: Double
        let y: Double
        let z: Double

        init(_ position: GeoPosition) {
            let (longitude, latitude) = (radians(position.longitude), radians(position.latitude))
            x = cos(latitude) * cos(longitude)
            y = cos(latitude) * sin(longitude)
            z = sin(latitude)
        }

        private init(_ x: Double, _ y: Double, _ z: Double) { (self.x, self.y, self.z) = (x, y, z) }

        /// A point somewhere else.
        var turned: Vector { Vector(y, z, x) }

        func dot(_ other: Vector) -> Double { x * other.x + y * other.y + z * other.z }

        /// The signed volume of the body that the three span: positive when they are counterclockwise seen from
        /// outside.
        func volume(_ b: Vector, _ c: Vector) -> Double {
            x * (b.y * c.z - b.z * c.y) + y * (b.z * c.x - b.x * c.z) + z * (b.x * c.y - b.y * c.x)
        }
    }
}
