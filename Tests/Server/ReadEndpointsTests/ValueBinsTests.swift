import ObjectModel
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import ReadEndpoints

@Suite("Intervals of values")
struct ValueBinsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let low: Double
        let high: Double
        let most: Int
        let type: BaseType
        let bounds: [Double]

        var testDescription: String { "\(low)...\(high) by \(most)" }
    }

    static let cases = [
        Case(low: 0, high: 9, most: 5, type: .int, bounds: [0, 2, 4, 6, 8, 10]),
        Case(low: 3, high: 3, most: 24, type: .int, bounds: [3, 4]),
        Case(low: -7, high: 12, most: 4, type: .int, bounds: [-10, 0, 10, 20]),
        Case(low: 0.1, high: 0.35, most: 3, type: .double, bounds: [0.1, 0.2, 0.3, 0.4]),
        Case(low: 0, high: 0, most: 9, type: .double, bounds: [0, 1]),
        Case(low: 5, high: 5, most: 9, type: .double, bounds: [5, 5.1]),
        Case(low: -1.5e308, high: 1.5e308, most: 3, type: .double, bounds: [-1.5e308, .infinity]),
        // A day from noon to noon, in hours of the clock.
        Case(low: 43_200, high: 129_600, most: 4, type: .date, bounds: [43_200, 86_400, 129_600, 172_800]),
        // From 1969-12-30, a Tuesday, in weeks that begin on Mondays.
        Case(low: -172_800, high: 864_000, most: 3, type: .date, bounds: [-259_200, 345_600, 950_400]),
        // The months of the leap year 2024: January, February, March.
        Case(
            low: 1_704_067_200, high: 1_709_251_200, most: 4, type: .date,
            bounds: [1_704_067_200, 1_706_745_600, 1_709_251_200, 1_711_929_600]),
        // Years, around the epoch.
        Case(
            low: -1, high: 63_072_000, most: 4, type: .date,
            bounds: [-31_536_000, 0, 31_536_000, 63_072_000, 94_694_400]),
    ]

    @Test("have round bounds", arguments: cases)
    func bounds(of one: Case) {
        #expect(ValueBins(from: one.low, to: one.high, atMost: one.most, of: one.type).bounds == one.bounds)
    }

    @Test("contain every value once, between their bounds")
    func random() {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        for round in 0..<400 {
            let type = [BaseType.int, .double, .date, .decimal128][below(4)]
            let scale = [1e-300, 1e-9, 0.1, 1, 1000, 1e9, 1e17, 1e300][below(type == .double ? 8 : 6)]
            let isWhole = type == .int || type == .date
            let values = (0..<1 + below(40)).map { _ in
                let value = (Double(below(20_001)) - 10_000) * scale
                return isWhole ? value.rounded() : value
            }
            guard let low = values.min(), let high = values.max() else { continue }
            let most = 1 + below(40)
            var bins = ValueDistribution(bounds: ValueBins(from: low, to: high, atMost: most, of: type).bounds)
            for value in values { bins.add(value) }
            let said = "seed \(seed), round \(round): \(low)...\(high) by \(most), \(bins.bounds)"
            #expect(bins.counts.count <= max(most, 1), "\(said)")
            #expect(bins.counts.reduce(0, +) == values.count, "\(said)")
            #expect(zip(bins.bounds, bins.bounds.dropFirst()).allSatisfy { $0 < $1 }, "\(said)")
            for index in bins.counts.indices {
                let expected = values.count { $0 >= bins.bounds[index] && $0 < bins.bounds[index + 1] }
                #expect(bins.counts[index] == expected, "\(said)")
            }
        }
    }

    @Test("values without a place on the scale have none")
    func positions() {
        #expect(Value.double(.nan).scalePosition == nil)
        #expect(Value.float(-.infinity).scalePosition == nil)
        #expect(Value.null.scalePosition == nil)
        #expect(Value.string("1").scalePosition == nil)
        #expect(Value.decimal(Decimal128(shortest: 2.5)).scalePosition == 2.5)
        #expect(Value.date(Timestamp(seconds: -3)).scalePosition == -3)
    }
}
