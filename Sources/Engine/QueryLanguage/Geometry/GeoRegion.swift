import Glibc

/// A `GeoShape` prepared for tests of many positions. Positions on its edge are inside.
package struct GeoRegion {
    private enum Form {
        case circle(center: UnitVector, radius: Double)
        case polygon(outer: SphereRing, holes: [SphereRing])
    }

    private let form: Form

    package init(_ shape: GeoShape) {
        switch shape {
        case .circle(let center, let radius):
            // Rounding must not exclude a position at exactly that distance.
            form = .circle(center: UnitVector(center), radius: radius + 1e-12)
        case .box(let a, let b):
            let corners = [
                a, GeoPosition(longitude: b.longitude, latitude: a.latitude), b,
                GeoPosition(longitude: a.longitude, latitude: b.latitude),
            ]
            form = .polygon(outer: SphereRing(corners.map { UnitVector($0) }), holes: [])
        case .polygon(let rings):
            let compiled = rings.map { SphereRing($0.map { UnitVector($0) }) }
            form = .polygon(outer: compiled.first ?? SphereRing([]), holes: Array(compiled.dropFirst()))
        }
    }

    /// Returns false for an invalid position: a NaN, or a longitude or latitude out of bounds. Cost: two passes over
    /// the edges.
    package func contains(_ position: GeoPosition) -> Bool {
        guard abs(position.longitude) <= 180, abs(position.latitude) <= 90 else { return false }
        let point = UnitVector(position)
        switch form {
        case .circle(let center, let radius):
            return point.angle(to: center) <= radius
        case .polygon(let outer, let holes):
            switch outer.position(of: point) {
            case .outside: return false
            case .onEdge: return true
            case .inside: return holes.allSatisfy { $0.position(of: point) != .inside }
            }
        }
    }
}
