import JSONCoding
import QueryLanguage

/// Parses shapes for GEOWITHIN from JSON: `{"$geoCircle": {"center": [longitude, latitude], "radius": radians}}`,
/// `{"$geoBox": [corner, corner]}` and `{"$geoPolygon": [[point, …], …]}`, the outer ring first, then holes.
enum ShapeForm {
    /// Nil for JSON that is not a shape. Throws for a shape with an invalid form.
    static func shape(_ json: JSONValue) throws(ValueError) -> GeoShape? {
        guard case .object(let object) = json, object.members.count == 1, let member = object.members.first else {
            return nil
        }
        let path = JSONPath.member(member.name)
        switch member.name {
        case "$geoCircle":
            guard let radius = number(member.value["radius"]), let center = member.value["center"] else {
                throw ValueError(
                    expected:
                        "a circle such as {\"center\": [-123.3, 48.4], \"radius\": 0.001} with the radius in radians",
                    got: member.value.inWords, path: path)
            }
            return .circle(center: try position(center, path + ".center"), radius: radius)
        case "$geoBox":
            guard case .array(let corners) = member.value, corners.count == 2 else {
                throw ValueError(
                    expected: "two opposite corners such as [[-124, 48], [-123, 49]]", got: member.value.inWords,
                    path: path)
            }
            return .box(try position(corners[0], path + "[0]"), try position(corners[1], path + "[1]"))
        case "$geoPolygon":
            guard case .array(let elements) = member.value else {
                throw ValueError(
                    expected: "an array of rings, each an array of points", got: member.value.inWords, path: path)
            }
            var rings: [[GeoPosition]] = []
            for (index, element) in elements.enumerated() { rings.append(try ring(element, path + "[\(index)]")) }
            return .polygon(rings)
        default: return nil
        }
    }

    private static func ring(_ json: JSONValue, _ path: String) throws(ValueError) -> [GeoPosition] {
        guard case .array(let elements) = json else {
            throw ValueError(expected: "an array of points", got: json.inWords, path: path)
        }
        var positions: [GeoPosition] = []
        for (index, element) in elements.enumerated() { positions.append(try position(element, path + "[\(index)]")) }
        return positions
    }

    /// Parses `[longitude, latitude]`; ignores an altitude after them.
    private static func position(_ json: JSONValue, _ path: String) throws(ValueError) -> GeoPosition {
        guard case .array(let parts) = json, parts.count == 2 || parts.count == 3, let longitude = number(parts[0]),
            let latitude = number(parts[1])
        else {
            throw ValueError(
                expected: "a point such as [-123.3, 48.4], longitude first", got: json.inWords, path: path)
        }
        return GeoPosition(longitude: longitude, latitude: latitude)
    }

    private static func number(_ json: JSONValue?) -> Double? {
        switch json {
        case .int(let value)?: Double(value)
        case .double(let value)?, .precise(_, nearest: let value)?: value
        default: nil
        }
    }
}
