package import QuerySyntax
package import ObjectModel

/// A position on the sphere, in degrees: longitude -180...180, latitude -90...90.
package struct GeoPosition: Hashable, Sendable {
    package var longitude: Double
    package var latitude: Double

    package init(longitude: Double, latitude: Double) {
        self.longitude = longitude
        self.latitude = latitude
    }
}

/// A region of the sphere. Edges are the shortest lines between their corners, parts of great circles.
package enum GeoShape: Hashable, Sendable {
    /// Radius in radians: kilometres / 6378.1.
    case circle(center: GeoPosition, radius: Double)
    /// Two opposite corners.
    case box(GeoPosition, GeoPosition)
    /// Closed rings of at least 4 positions, first = last: the outer one, then holes.
    case polygon([[GeoPosition]])
}

/// `place GEOWITHIN geoCircle(…)`, for objects that hold a point as `type: "Point"` and `coordinates: [longitude,
/// latitude, …]`. A null link and a malformed point do not match.
package struct BoundGeoWithin: Hashable, Sendable {
    /// The path to the objects that hold the points; not empty.
    package var links: [LinkStep]
    package var quantifier: Quantifier
    /// The string property `type` of their class, and the list of doubles `coordinates`.
    package var typeProperty: PropertyID
    package var coordinatesProperty: PropertyID
    package var shape: GeoShape

    package init(
        links: [LinkStep], type: PropertyID, coordinates: PropertyID, _ shape: GeoShape, quantifier: Quantifier = .any
    ) {
        self.links = links
        self.quantifier = quantifier
        typeProperty = type
        coordinatesProperty = coordinates
        self.shape = shape
    }
}

extension GeoShape {
    /// A description of the region's fault; nil for a valid region.
    package var fault: String? {
        switch self {
        case .circle(let center, let radius):
            if let fault = center.fault { return fault }
            return radius.isFinite && radius >= 0 ? nil : "The radius of a circle must be a finite, non-negative number"
        case .box(let corner, let other): return corner.fault ?? other.fault
        case .polygon(let rings):
            guard !rings.isEmpty else { return "A polygon needs at least one ring" }
            for (index, ring) in rings.enumerated() {
                if let fault = ring.lazy.compactMap(\.fault).first { return fault }
                guard ring.count >= 4 else {
                    return
                        "Ring \(index) has \(ring.count) points; a ring needs at least 4, the first and last of which are the same"
                }
                guard ring.first == ring.last else {
                    return "Ring \(index) is not closed; its first and last points must be the same"
                }
            }
            return PolygonRings(rings).fault
        }
    }
}

extension GeoPosition {
    /// A description of the position's fault; nil for a valid position. NaN is invalid.
    fileprivate var fault: String? {
        guard (-180...180).contains(longitude), (-90...90).contains(latitude) else {
            return "Longitude/latitude is out of bounds, lng: \(longitude) lat: \(latitude)"
        }
        return nil
    }
}
