import QueryExecution
import QueryLanguage
import StoreTesting
import Testing
import TestBasics

@Suite("Regions of the sphere")
struct GeoRegionTests {
    static func at(_ longitude: Double, _ latitude: Double) -> GeoPosition {
        GeoPosition(longitude: longitude, latitude: latitude)
    }

    static func ring(_ corners: (Double, Double)...) -> [GeoPosition] {
        (corners + corners.prefix(1)).map { at($0.0, $0.1) }
    }

    static let square = GeoShape.polygon([ring((0, 0), (10, 0), (10, 10), (0, 10))])
    static let holed = GeoShape.polygon([
        ring((0, 0), (10, 0), (10, 10), (0, 10)), ring((4, 4), (4, 6), (6, 6), (6, 4)),
    ])
    static let arctic = GeoShape.polygon([ring((0, 80), (90, 80), (180, 80), (-90, 80))])
    static let antarctic = GeoShape.polygon([ring((0, -80), (-90, -80), (180, -80), (90, -80))])
    static let dateLine = GeoShape.polygon([ring((170, -10), (-170, -10), (-170, 10), (170, 10))])
    static let bent = GeoShape.polygon([ring((0, 0), (10, 0), (10, 10), (5, 2), (0, 10))])
    static let flat = GeoShape.polygon([ring((0, 0), (10, 0), (5, 0))])

    static let cases: [(GeoShape, Double, Double, Bool)] = [
        (square, 5, 5, true), (square, 11, 5, false), (square, -0.0001, 5, false), (square, 0, 0, true),
        (square, 10, 10, true), (square, 5, 0, true), (square, 0, 5, true), (square, -175, -5, false),
        // The shortest line between two positions north of the equator bends to the north.
        (square, 5, 10.03, true), (square, 5, 10.04, false),
        (holed, 5, 5, false), (holed, 4, 5, true), (holed, 6, 6, true), (holed, 2, 2, true), (holed, 3.99, 5, true),
        (arctic, 0, 90, true), (arctic, 45, 89, true), (arctic, 0, 79, false), (arctic, 180, 85, true),
        (arctic, 0, -90, false), (antarctic, 0, -90, true), (antarctic, 12, -86, true), (antarctic, 12, -70, false),
        (dateLine, 180, 0, true), (dateLine, -180, 0, true), (dateLine, -175, 5, true), (dateLine, 175, -5, true),
        (dateLine, 0, 0, false), (dateLine, 165, 0, false), (dateLine, 170, 0, true),
        (bent, 5, 1, true), (bent, 5, 3, false), (bent, 1, 5, true), (bent, 9, 5, true), (bent, 5, 2, true),
        (flat, 5, 0, true), (flat, 5, 1, false), (flat, -5, 0, false),
        (.box(at(-1, -1), at(1, 1)), 0, 0, true), (.box(at(1, 1), at(-1, -1)), 0, 0, true),
        (.box(at(-1, -1), at(1, 1)), 1, 1, true), (.box(at(-1, -1), at(1, 1)), 2, 0, false),
        (.box(at(0, 60), at(90, 90)), 45, 80, true), (.box(at(0, 60), at(90, 90)), -45, 80, false),
        (.circle(center: at(0, 0), radius: 0.1), 5.7, 0, true),
        (.circle(center: at(0, 0), radius: 0.1), 5.8, 0, false),
        (.circle(center: at(179, 0), radius: 0.1), -179, 0, true),
        (.circle(center: at(0, 90), radius: 0.01), 123, 89.5, true),
        (.circle(center: at(0, 0), radius: .pi), 180, 0, true), (.circle(center: at(7, 7), radius: 0), 7, 7, true),
        (square, .nan, 5, false), (square, 181, 5, false), (square, 5, 91, false), (square, .infinity, 5, false),
    ]

    @Test("a position is inside or not", arguments: cases)
    func places(_ shape: GeoShape, _ longitude: Double, _ latitude: Double, _ expected: Bool) {
        #expect(GeoRegion(shape).contains(Self.at(longitude, latitude)) == expected, "\(longitude) \(latitude)")
    }

    @Test("the order of the corners, and the start of the ring, make no difference")
    func orientation() {
        var random = SeededRandom.ofTest()
        for _ in 0..<300 {
            func degrees(_ limit: Int) -> Double { Double(random.below(2 * limit * 10) - limit * 10) / 10 }
            let (longitude, latitude) = (degrees(180), degrees(55))
            // A star around a middle, so that no lines cross.
            var corners: [GeoPosition] = []
            let count = 3 + random.below(6)
            for index in 0..<count {
                let angle = (Double(index) + 0.5) / Double(count) * 2 * .pi
                let radius = 1 + Double(random.below(80)) / 10
                corners.append(Self.moved(longitude, latitude, angle, radius))
            }
            let turned = Array(corners[1...] + corners[..<1])
            let shapes = [corners, corners.reversed(), turned].map { GeoRegion(.polygon([$0 + $0.prefix(1)])) }
            #expect(shapes[0].contains(Self.at(longitude, latitude)), "seed \(random.seed)")
            for _ in 0..<20 {
                let position = Self.moved(
                    longitude, latitude, Double(random.below(6283)) / 1000, Double(random.below(120)) / 10)
                let results = shapes.map { $0.contains(position) }
                #expect(Set(results).count == 1, "seed \(random.seed): \(corners) \(position)")
            }
            for corner in corners { #expect(shapes.allSatisfy { $0.contains(corner) }, "seed \(random.seed)") }
        }
    }

    /// A position about so many degrees away in a direction, which is precise enough for stars.
    private static func moved(_ longitude: Double, _ latitude: Double, _ angle: Double, _ degrees: Double)
        -> GeoPosition
    {
        let north = max(-90, min(90, latitude + degrees * Self.sine(angle)))
        var east = longitude + degrees * Self.sine(angle + .pi / 2)
        if east > 180 { east -= 360 }
        if east < -180 { east += 360 }
        return at(east, north)
    }

    private static func sine(_ angle: Double) -> Double {
        var x = angle.remainder(dividingBy: 2 * .pi)
        var sum = x
        let square = x * x
        for index in 1..<16 {
            x *= -square / Double(2 * index * (2 * index + 1))
            sum += x
        }
        return sum
    }
}
