import Glibc

/// A vector in space; a position on the sphere is one of length 1.
struct UnitVector {
    var x: Double
    var y: Double
    var z: Double

    init(_ x: Double, _ y: Double, _ z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    init(_ position: GeoPosition) {
        let longitude = position.longitude * .pi / 180
        let latitude = position.latitude * .pi / 180
        // At the poles all longitudes are the same position.
        let radius = abs(position.latitude) == 90 ? 0 : cos(latitude)
        self.init(radius * cos(longitude), radius * sin(longitude), sin(latitude))
    }

    func dot(_ other: UnitVector) -> Double { x * other.x + y * other.y + z * other.z }

    func cross(_ other: UnitVector) -> UnitVector {
        UnitVector(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }

    /// Perpendicular to both, as `cross`, but precise also for almost equal vectors of length 1: their sum and
    /// difference are perpendicular.
    func normal(_ other: UnitVector) -> UnitVector { ((self + other).cross(other - self)).scaled(by: 0.5) }

    var length: Double { dot(self).squareRoot() }

    var normalized: UnitVector { scaled(by: 1 / length) }

    func scaled(by factor: Double) -> UnitVector { UnitVector(x * factor, y * factor, z * factor) }

    static func + (a: UnitVector, b: UnitVector) -> UnitVector { UnitVector(a.x + b.x, a.y + b.y, a.z + b.z) }

    static func - (a: UnitVector, b: UnitVector) -> UnitVector { UnitVector(a.x - b.x, a.y - b.y, a.z - b.z) }

    /// The angle between two positions, in radians; precise for small angles and for those near to half a turn.
    func angle(to other: UnitVector) -> Double { atan2(normal(other).length, dot(other)) }
}
