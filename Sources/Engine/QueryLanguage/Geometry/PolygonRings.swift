/// The rings of a polygon, each of at least four positions and closed, and what may be wrong with them together.
///
/// The rules are those of polygons on the sphere that other databases have: a ring visits no position twice, edges do
/// not cross, no two rings share an edge, and every hole is within the outer ring and beside the other holes. Rings may
/// touch each other at corners.
struct PolygonRings {
    private struct Edge {
        let ring: Int
        let from: GeoPosition
        let to: GeoPosition
        let start: UnitVector
        let end: UnitVector
        let normal: UnitVector
        /// The bounds of the edge in space. An edge bulges beyond its ends by at most `1 - cos(half its length)`.
        let low: UnitVector
        let high: UnitVector

        init(_ ring: Int, _ from: GeoPosition, _ to: GeoPosition) {
            (self.ring, self.from, self.to) = (ring, from, to)
            (start, end) = (UnitVector(from), UnitVector(to))
            normal = start.normal(end)
            let bulge = 1 - (start + end).length / 2 + 1e-12
            low = UnitVector(
                min(start.x, end.x) - bulge, min(start.y, end.y) - bulge, min(start.z, end.z) - bulge)
            high = UnitVector(
                max(start.x, end.x) + bulge, max(start.y, end.y) + bulge, max(start.z, end.z) + bulge)
        }

        var name: String { "\(from.text) to \(to.text)" }

        func mayMeet(_ other: Edge) -> Bool {
            low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y && other.low.y <= high.y
        }

        func isSame(as other: Edge) -> Bool {
            from == other.from && to == other.to || from == other.to && to == other.from
        }

        func crosses(_ other: Edge) -> Bool {
            let (a, b) = (normal.dot(other.start), normal.dot(other.end))
            let (c, d) = (other.normal.dot(start), other.normal.dot(end))
            // Below that a corner touches the other edge, which may be rounding.
            let least = 1e-15
            guard min(abs(a), abs(b), abs(c), abs(d)) > least, (a > 0) != (b > 0), (c > 0) != (d > 0) else {
                return false
            }
            // The great circles meet on two opposite sides of the sphere.
            let here = other.start.scaled(by: abs(b)) + other.end.scaled(by: abs(a))
            return here.dot(start + end) > 0
        }
    }

    private let rings: [[GeoPosition]]

    init(_ rings: [[GeoPosition]]) { self.rings = rings }

    /// The number of pairs of edges and positions that may be compared, some 5 ns each: queries are bound on threads
    /// that others wait for. A ring whose edges are short compared with it needs few comparisons for each.
    private static let mostComparisons = 4_000_000

    /// A description of the first fault found; nil for a valid polygon. Cost: some 10 ns for each two edges at the same
    /// height above the equator.
    var fault: String? {
        for (index, ring) in rings.enumerated() {
            var seen: Set<GeoPosition> = []
            for position in ring.dropLast() where !seen.insert(position).inserted {
                return "Ring \(index) visits \(position.text) twice"
            }
        }
        var left = Self.mostComparisons
        return edgeFault(&left) ?? nestingFault(&left)
    }

    private static let tooMany =
        "The rings have too many long edges beside each other to be compared; use fewer positions"

    private func edgeFault(_ left: inout Int) -> String? {
        var edges: [Edge] = []
        for (index, ring) in rings.enumerated() {
            for (from, to) in zip(ring, ring.dropFirst()) { edges.append(Edge(index, from, to)) }
        }
        edges.sort { $0.low.z < $1.low.z }
        // The edges that reach up to the present one.
        var open: [Edge] = []
        for edge in edges {
            left -= open.count
            guard left >= 0 else { return Self.tooMany }
            open.removeAll { $0.high.z < edge.low.z }
            for other in open where edge.mayMeet(other) {
                if edge.isSame(as: other) {
                    return edge.ring == other.ring
                        ? "Ring \(edge.ring) visits the edge from \(edge.name) twice"
                        : "Rings \(other.ring) and \(edge.ring) share the edge from \(edge.name)"
                }
                if edge.crosses(other) {
                    return "The edges from \(other.name) and from \(edge.name) cross"
                }
            }
            open.append(edge)
        }
        return nil
    }

    /// Edges do not cross, so the position of one corner decides for its whole ring.
    private func nestingFault(_ left: inout Int) -> String? {
        let spheres = rings.map { SphereRing($0.map { UnitVector($0) }) }
        for hole in rings.indices.dropFirst() {
            if position(of: hole, in: 0, spheres, &left) == .outside {
                return "Ring \(hole) is not within ring 0; all rings after the first must be holes in it"
            }
            for other in rings.indices.dropFirst() where other != hole {
                if position(of: hole, in: other, spheres, &left) == .inside {
                    return "Ring \(hole) is within ring \(other), which is a hole; a hole cannot have holes"
                }
            }
            guard left >= 0 else { return Self.tooMany }
        }
        return nil
    }

    private func position(
        of ring: Int, in other: Int, _ spheres: [SphereRing], _ left: inout Int
    ) -> SphereRing.Position {
        for corner in rings[ring].dropLast() {
            left -= rings[other].count
            guard left >= 0 else { break }
            let position = spheres[other].position(of: UnitVector(corner))
            if position != .onEdge { return position }
        }
        return .onEdge
    }
}

extension GeoPosition {
    /// Longitude and latitude, as in a query.
    fileprivate var text: String { "[\(longitude), \(latitude)]" }
}
