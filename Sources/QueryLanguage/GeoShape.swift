package import ObjectModel

/// A place on the sphere, in degrees: longitude -180...180, latitude -90...90.
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
    /// By two opposite corners.
    case box(GeoPosition, GeoPosition)
    /// Closed rings of at least 4 places, first = last: the outer one, then holes.
    case polygon([[GeoPosition]])
}

/// `place GEOWITHIN geoCircle(…)`: of objects that hold a point as `type: "Point"` and `coordinates: [longitude,
/// latitude, …]`. A null link and a malformed point do not match.
package struct BoundGeoWithin: Hashable, Sendable {
    /// To the objects that hold the points; not empty.
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
