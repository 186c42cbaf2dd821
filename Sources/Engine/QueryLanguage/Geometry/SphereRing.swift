import Glibc

/// A closed ring of shortest lines on the sphere. Its inside is the smaller of the two sides.
struct SphereRing {
    /// The side of the ring that a position is on.
    enum Position {
        case inside
        case outside
        /// Within some micrometres of an edge or a corner.
        case onEdge
    }

    private struct Edge {
        let start: UnitVector
        let end: UnitVector
        let middle: UnitVector
        /// Points to the left of the edge; of length 1.
        let normal: UnitVector
    }

    /// In radians: well above rounding errors, and below any measurable distance.
    private static let tolerance = 1e-12

    private let edges: [Edge]
    private let isLeftInside: Bool
    /// A ring without an area consists of its edges only.
    private let hasInside: Bool
    /// A circle around the ring and its inside, when it is smaller than a hemisphere: positions beyond it are outside.
    private let cap: (center: UnitVector, cosine: Double)?

    /// Corners in order; the last one may repeat the first one.
    init(_ corners: [UnitVector]) {
        var edges: [Edge] = []
        for (index, start) in corners.enumerated() {
            let end = corners[(index + 1) % corners.count]
            let normal = start.normal(end)
            // Equal corners have no line between them, and opposite ones no shortest line.
            guard normal.length > 1e-15 else { continue }
            edges.append(
                Edge(start: start, end: end, middle: (start + end).normalized, normal: normal.normalized))
        }
        self.edges = edges
        let left = Self.areaToTheLeft(edges)
        isLeftInside = left <= 2 * .pi
        hasInside = min(left, 4 * .pi - left) > 1e-20
        cap = Self.cap(around: edges)
    }

    func position(of point: UnitVector) -> Position {
        if let cap, cap.center.dot(point) < cap.cosine { return .outside }
        for edge in edges where Self.touches(edge, point) { return .onEdge }
        guard hasInside, let target = target(from: point) else { return .outside }
        // Seen from the position, the edge that the line ends at shows one of its sides; every edge that the line
        // crosses before inverts that.
        var isLeft = edges[target].normal.dot(point) > 0
        let line = Line(from: point, to: edges[target].middle)
        for (index, edge) in edges.enumerated() where index != target {
            if line.crosses(edge.start, edge.end) { isLeft.toggle() }
        }
        return isLeft == isLeftInside ? .inside : .outside
    }

    /// The edge whose side is seen best from the position.
    private func target(from point: UnitVector) -> Int? {
        var best: (index: Int, height: Double)?
        for (index, edge) in edges.enumerated() {
            // A line to a middle almost opposite to the position would have no direction.
            guard edge.middle.dot(point) > -0.999_999 else { continue }
            let height = abs(edge.normal.dot(point))
            if height > best?.height ?? 0 { best = (index, height) }
        }
        return best?.index
    }

    private static func touches(_ edge: Edge, _ point: UnitVector) -> Bool {
        guard abs(edge.normal.dot(point)) <= tolerance else { return false }
        return edge.start.cross(point).dot(edge.normal) >= -tolerance
            && point.cross(edge.end).dot(edge.normal) >= -tolerance
            // Points opposite to the edge are within the same bounds.
            && edge.middle.dot(point) > 0
    }

    /// The area in 0..<4π: the sum of triangles from the first corner, positive for those to the left.
    private static func areaToTheLeft(_ edges: [Edge]) -> Double {
        guard let origin = edges.first?.start else { return 0 }
        var area = 0.0
        for edge in edges {
            let volume = origin.dot((edge.start - origin).cross(edge.end - origin))
            let sum = 1 + origin.dot(edge.start) + edge.start.dot(edge.end) + edge.end.dot(origin)
            area += 2 * atan2(volume, sum)
        }
        area = fmod(area, 4 * .pi)
        return area < 0 ? area + 4 * .pi : area
    }

    private static func cap(around edges: [Edge]) -> (center: UnitVector, cosine: Double)? {
        let sum = edges.reduce(UnitVector(0, 0, 0)) { $0 + $1.start }
        guard sum.length > 1e-6 else { return nil }
        let center = sum.normalized
        let cosine = edges.map { center.dot($0.start) }.min() ?? 1
        // Shortest lines between positions in less than a hemisphere stay within it.
        return cosine > 0.01 ? (center, cosine - 1e-9) : nil
    }
}

/// The shortest line from one position to another.
private struct Line {
    private let start: UnitVector
    private let end: UnitVector
    private let normal: UnitVector

    init(from start: UnitVector, to end: UnitVector) {
        self.start = start
        self.end = end
        normal = start.normal(end)
    }

    /// Whether it crosses the shortest line from `a` to `b`. A point exactly on this line always counts as being to its
    /// left: then a corner is crossed once or not at all, whatever edges meet there.
    func crosses(_ a: UnitVector, _ b: UnitVector) -> Bool {
        let heightA = normal.dot(a)
        let heightB = normal.dot(b)
        guard (heightA >= 0) != (heightB >= 0) else { return false }
        // Between a and b, on the great circle of this line.
        let crossing = a.scaled(by: abs(heightB)) + b.scaled(by: abs(heightA))
        return start.cross(crossing).dot(normal) >= 0 && crossing.cross(end).dot(normal) >= 0
    }
}
