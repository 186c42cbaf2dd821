import QueryLanguage

/// A region for queries: a box, a polygon or a circle on the sphere.
public protocol RLMGeospatial {
    var _shape: _GeoRegion { get }
}

/// A region in the engine's form.
public struct _GeoRegion {
    let shape: GeoShape
}

extension RLMGeospatial {
    var engineShape: GeoShape { _shape.shape }
}

/// A point on the Earth, for queries only. A stored point is an embedded object with a `type` of "Point" and
/// `coordinates` of longitude and latitude.
public struct GeoPoint: Hashable, Sendable {
    /// The latitude in degrees, -90...90.
    public let latitude: Double
    /// The longitude in degrees, -180...180.
    public let longitude: Double
    /// The altitude in metres; queries ignore it.
    public let altitude: Double

    /// Returns nil if a coordinate is out of range.
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
        guard -90...90 ~= latitude, -180...180 ~= longitude, altitude >= 0 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }

    fileprivate var position: GeoPosition { GeoPosition(longitude: longitude, latitude: latitude) }
}

extension GeoPoint {
    fileprivate init?(_ coordinates: (Double, Double)) { self.init(latitude: coordinates.0, longitude: coordinates.1) }
}

/// A region between two corners.
public struct GeoBox: Hashable, Sendable, RLMGeospatial {
    /// One corner.
    public let bottomLeft: GeoPoint
    /// The opposite corner.
    public let topRight: GeoPoint

    /// Creates a box from two opposite corners.
    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        self.bottomLeft = bottomLeft
        self.topRight = topRight
    }

    /// Creates a box from corners as latitude and longitude; nil if a coordinate is out of range.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let first = GeoPoint(bottomLeft), let second = GeoPoint(topRight) else { return nil }
        self.init(bottomLeft: first, topRight: second)
    }

    public var _shape: _GeoRegion { _GeoRegion(shape: .box(bottomLeft.position, topRight.position)) }
}

/// A region within a ring of points, optionally with holes. Its edges are the shortest lines between the points.
public struct GeoPolygon: Hashable, Sendable, RLMGeospatial {
    /// The boundary. Its last point is its first one.
    public let outerRing: [GeoPoint]
    /// The boundaries of what is left out of the region. The last point of each is its first one.
    public let holes: [[GeoPoint]]

    /// Returns nil unless every ring has at least four points and ends where it begins.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]) {
        for ring in [outerRing] + holes {
            guard ring.count >= 4, ring.first == ring.last else { return nil }
        }
        self.outerRing = outerRing
        self.holes = holes
    }

    /// Returns nil unless every ring has at least four points and ends where it begins.
    public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) { self.init(outerRing: outerRing, holes: holes) }

    /// Creates a polygon from points as latitude and longitude.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]]) {
        var rings: [[GeoPoint]] = []
        for ring in [outerRing] + holes {
            let points = ring.compactMap { GeoPoint($0) }
            guard points.count == ring.count else { return nil }
            rings.append(points)
        }
        self.init(outerRing: rings[0], holes: Array(rings.dropFirst()))
    }

    /// Creates a polygon from points as latitude and longitude; nil if a coordinate is out of range, or a ring has
    /// fewer than four points or does not end where it begins.
    public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    public var _shape: _GeoRegion {
        _GeoRegion(shape: .polygon(([outerRing] + holes).map { $0.map(\.position) }))
    }
}

/// A distance along the Earth's surface.
public struct Distance: Hashable, Sendable, Comparable {
    private static let earthRadius = 6378.1
    private static let mile = 1.609344

    /// The distance as an angle at the Earth's centre.
    public let radians: Double

    private init?(_ radians: Double) {
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    /// Returns nil for negative numbers, as do the functions below.
    public static func kilometers(_ kilometers: Double) -> Distance? { Distance(kilometers / earthRadius) }
    /// A distance in international miles of 1.609344 km; nil for negative numbers.
    public static func miles(_ miles: Double) -> Distance? { Distance(miles * mile / earthRadius) }
    /// A distance as an angle in degrees at the Earth's centre; nil for negative numbers.
    public static func degrees(_ degrees: Double) -> Distance? { Distance(degrees * .pi / 180) }
    /// A distance as an angle in radians at the Earth's centre; nil for negative numbers.
    public static func radians(_ radians: Double) -> Distance? { Distance(radians) }

    /// Returns the distance in kilometres, on a sphere with a radius of 6378.1 km.
    public func asKilometers() -> Double { radians * Self.earthRadius }
    /// Returns the distance in international miles.
    public func asMiles() -> Double { radians * Self.earthRadius / Self.mile }
    /// Returns the angle at the Earth's centre in degrees.
    public func asDegrees() -> Double { radians * 180 / .pi }

    public static func < (a: Distance, b: Distance) -> Bool { a.radians < b.radians }
}

/// A region around a point.
public struct GeoCircle: Hashable, Sendable, RLMGeospatial {
    /// The centre.
    public let center: GeoPoint
    /// The radius as an angle at the Earth's centre.
    public let radiusInRadians: Double

    /// Creates a circle around a point.
    public init(center: GeoPoint, radius: Distance) {
        self.center = center
        radiusInRadians = radius.radians
    }

    /// Returns nil for a negative radius.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard let radius = Distance.radians(radiusInRadians) else { return nil }
        self.init(center: center, radius: radius)
    }

    /// Creates a circle with the centre as latitude and longitude; nil if a coordinate is out of range.
    public init?(center: (Double, Double), radius: Distance) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radius: radius)
    }

    /// Creates a circle with the centre as latitude and longitude; nil if a coordinate is out of range or the radius is
    /// negative.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    public var _shape: _GeoRegion { _GeoRegion(shape: .circle(center: center.position, radius: radiusInRadians)) }
}
