import Glibc
import QueryLanguage
import StoreTesting
import TestBasics
import Testing

@Suite("Faults of polygons")
struct PolygonFaultTests {
    typealias Corners = [(Double, Double)]

    static func polygon(_ rings: Corners...) -> GeoShape {
        .polygon(rings.map { ring in (ring + ring.prefix(1)).map { GeoPosition(longitude: $0.0, latitude: $0.1) } })
    }

    static let square: Corners = [(0, 0), (10, 0), (10, 10), (0, 10)]

    static func square(_ west: Double, _ south: Double, _ size: Double) -> Corners {
        [(west, south), (west + size, south), (west + size, south + size), (west, south + size)]
    }

    static let valid: [GeoShape] = [
        polygon(square), polygon(square.reversed()), polygon(square, square(4, 4, 2)),
        polygon(square, square(4, 4, 2).reversed(), square(7, 7, 2)),
        // Rings that touch at a corner.
        polygon(square, [(0, 0), (3, 1), (1, 3)]), polygon(square, square(2, 2, 2), square(4, 4, 2)),
        polygon([(170, -10), (-170, -10), (-170, 10), (170, 10)], square(175, -2, 4)),
        polygon([(0, 80), (90, 80), (180, 80), (-90, 80)], [(0, 85), (120, 85), (-120, 85)]),
        // A ring without an area.
        polygon([(0, 0), (10, 0), (5, 0)]),
    ]

    @Test("a polygon whose rings lie within and beside each other has none", arguments: valid)
    func accepted(_ shape: GeoShape) { #expect(shape.fault == nil) }

    static let faulty: [(GeoShape, String)] = [
        (polygon([(0, 0), (10, 10), (10, 0), (0, 10)]), "cross"),
        (polygon([(0, 0), (10, 0), (5, 5), (10, 10), (0, 10), (5, 5)]), "visits [5.0, 5.0] twice"),
        (polygon([(0, 0), (10, 0), (0, 0), (0, 10)]), "visits [0.0, 0.0] twice"),
        (polygon(square, square(20, 20, 2)), "Ring 1 is not within ring 0"),
        (polygon(square, square(8, 8, 4)), "cross"),
        (polygon(square, square(-5, -5, 40)), "Ring 1 is not within ring 0"),
        (polygon(square, square(2, 2, 6), square(4, 4, 2)), "Ring 2 is within ring 1"),
        (polygon(square, square(4, 4, 2), square(2, 2, 6)), "Ring 1 is within ring 2"),
        (polygon(square, square(2, 2, 4), square(4, 4, 4)), "cross"),
        (polygon(square, square), "share the edge"),
        (polygon(square, square(2, 2, 2), square(4, 2, 2)), "share the edge"),
        (polygon([(170, -10), (-170, 10), (-170, -10), (170, 10)]), "cross"),
    ]

    @Test("each fault is described", arguments: faulty)
    func refused(_ shape: GeoShape, _ words: String) {
        #expect(shape.fault?.contains(words) == true, "\(shape.fault ?? "none")")
    }

    @Test("crossing edges are found as in the plane, in small random rings")
    func random() {
        var random = SeededRandom.ofTest()
        var counts = [false: 0, true: 0]
        for _ in 0..<2000 {
            let corners = (0..<4 + random.below(5)).map { _ in
                (Double(random.below(2000)) / 1e5, Double(random.below(2000)) / 1e5)
            }
            guard let crosses = Self.crossesInThePlane(corners) else { continue }
            let fault = Self.polygon(corners).fault
            #expect((fault != nil) == crosses, "\(corners) \(fault ?? "none"), seed \(random.seed)")
            counts[crosses, default: 0] += 1
        }
        if TestRun.hasFixedSeeds { #expect(counts.values.allSatisfy { $0 > 20 }) }
    }

    /// Nil for rings that are too close to a touch to tell.
    private static func crossesInThePlane(_ corners: Corners) -> Bool? {
        func side(_ a: (Double, Double), _ b: (Double, Double), _ c: (Double, Double)) -> Double {
            (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
        }
        var crosses = false
        for i in corners.indices {
            for j in corners.indices where j > i + 1 && !(i == 0 && j == corners.count - 1) {
                let (a, b) = (corners[i], corners[(i + 1) % corners.count])
                let (c, d) = (corners[j], corners[(j + 1) % corners.count])
                let sides = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)]
                guard sides.allSatisfy({ abs($0) > 1e-8 }) else { return nil }
                if (sides[0] > 0) != (sides[1] > 0), (sides[2] > 0) != (sides[3] > 0) { crosses = true }
            }
        }
        return crosses
    }

    @Test("rings of many short edges are compared; edges that would take too long are refused")
    func size() {
        let round = (0..<20_000).map { step in
            let angle = Double(step) / 20_000 * 2 * .pi
            return GeoPosition(longitude: 30 + 20 * cos(angle), latitude: 20 * sin(angle))
        }
        #expect(GeoShape.polygon([round + round.prefix(1)]).fault == nil)
        // A comb whose long teeth all overlap.
        var comb: [GeoPosition] = []
        for tooth in 0..<6000 {
            let longitude = Double(tooth) / 1000
            comb.append(
                GeoPosition(longitude: longitude, latitude: tooth.isMultiple(of: 2) ? longitude - 30 : longitude + 30))
        }
        comb.append(GeoPosition(longitude: 60, latitude: 60))
        comb.append(GeoPosition(longitude: -60, latitude: 60))
        #expect(GeoShape.polygon([comb + comb.prefix(1)]).fault != nil)
    }
}
