import QueryLanguage

/// A region that objects can be asked for: a box, a polygon or a circle on the sphere.
public protocol RLMGeospatial {
    var _shape: _GeoRegion { get }
}

/// A region as the engine has it.
public struct _GeoRegion {
    let shape: GeoShape
}

extension RLMGeospatial {
    var engineShape: GeoShape { _shape.shape }
}

/// A place on the Earth. For queries only: what is stored is an embedded object with a `type` of "Point" and
/// `coordinates` of longitude and latitude.
public struct GeoPoint: Hashable, Sendable {
    /// In degrees, -90...90.
    public let latitude: Double
    /// In degrees, -180...180.
    public let longitude: Double
    /// In metres; queries do not look at it.
    public let altitude: Double

    /// Nil for what is no place.
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
        guard -90...90 ~= latitude, -180...180 ~= longitude, altitude >= 0 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }

    fileprivate var position: GeoPosition { GeoPosition(longitude: longitude, latitude: latitude) }
}

extension GeoPoint {
    fileprivate init?(_ place: (Double, Double)) { self.init(latitude: place.0, longitude: place.1) }
}

/// A region between two corners.
public struct GeoBox: Hashable, Sendable, RLMGeospatial {
    public let bottomLeft: GeoPoint
    public let topRight: GeoPoint

    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        self.bottomLeft = bottomLeft
        self.topRight = topRight
    }

    /// With corners as latitude and longitude; nil where one is no place.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let first = GeoPoint(bottomLeft), let second = GeoPoint(topRight) else { return nil }
        self.init(bottomLeft: first, topRight: second)
    }

    public var _shape: _GeoRegion { _GeoRegion(shape: .box(bottomLeft.position, topRight.position)) }
}

/// A region within a ring of places, perhaps with holes. Its edges are the shortest lines between the places.
public struct GeoPolygon: Hashable, Sendable, RLMGeospatial {
    public let outerRing: [GeoPoint]
    public let holes: [[GeoPoint]]

    /// Rings have at least four places and end where they begin; nil for others.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]) {
        for ring in [outerRing] + holes {
            guard ring.count >= 4, ring.first == ring.last else { return nil }
        }
        self.outerRing = outerRing
        self.holes = holes
    }

    public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) { self.init(outerRing: outerRing, holes: holes) }

    /// With places as latitude and longitude.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]]) {
        var rings: [[GeoPoint]] = []
        for ring in [outerRing] + holes {
            let points = ring.compactMap { GeoPoint($0) }
            guard points.count == ring.count else { return nil }
            rings.append(points)
        }
        self.init(outerRing: rings[0], holes: Array(rings.dropFirst()))
    }

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

    /// As an angle at the Earth's centre.
    public let radians: Double

    private init?(_ radians: Double) {
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    /// Nil for negative numbers, here and below.
    public static func kilometers(_ kilometers: Double) -> Distance? { Distance(kilometers / earthRadius) }
    public static func miles(_ miles: Double) -> Distance? { Distance(miles * mile / earthRadius) }
    public static func degrees(_ degrees: Double) -> Distance? { Distance(degrees * .pi / 180) }
    public static func radians(_ radians: Double) -> Distance? { Distance(radians) }

    public func asKilometers() -> Double { radians * Self.earthRadius }
    public func asMiles() -> Double { radians * Self.earthRadius / Self.mile }
    public func asDegrees() -> Double { radians * 180 / .pi }

    public static func < (a: Distance, b: Distance) -> Bool { a.radians < b.radians }
}

/// A region around a place.
public struct GeoCircle: Hashable, Sendable, RLMGeospatial {
    public let center: GeoPoint
    public let radiusInRadians: Double

    public init(center: GeoPoint, radius: Distance) {
        self.center = center
        radiusInRadians = radius.radians
    }

    /// Nil for a negative radius.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard let radius = Distance.radians(radiusInRadians) else { return nil }
        self.init(center: center, radius: radius)
    }

    /// With the centre as latitude and longitude; nil where that is no place.
    public init?(center: (Double, Double), radius: Distance) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radius: radius)
    }

    /// With the centre as latitude and longitude; nil where that is no place, and for a negative radius.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    public var _shape: _GeoRegion { _GeoRegion(shape: .circle(center: center.position, radius: radiusInRadians)) }
}
