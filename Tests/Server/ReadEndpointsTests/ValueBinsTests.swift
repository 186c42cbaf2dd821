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
        // One interval reaches over zero.
        Case(low: -2.5, high: 3, most: 1, type: .double, bounds: [-5, 5]),
        Case(low: -3, high: 5, most: 1, type: .int, bounds: [-10, 10]),
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

    @Test("a value is within the bounds of its interval exactly, also where doubles are coarser than values")
    func exactly() throws {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        /// Whether a bound is at most a whole number, without rounding either.
        func isAtMost(_ bound: Double, _ number: Int64) -> Bool {
            bound < -0x1p63 || bound < 0x1p63 && Int64(bound.rounded(.up)) <= number
        }
        for round in 0..<400 {
            let most = 1 + random.below(9)
            let shift = random.below(64)
            let numbers = (0..<1 + random.below(9)).map { _ in
                random.oneIn(9)
                    ? .max - Int64(random.below(3)) : Int64(truncatingIfNeeded: random.next()) >> Int64(shift)
            }
            let isDate = random.oneIn(2)
            let values = try numbers.map { number in
                guard isDate else { return Value.int(number) }
                // The calendar ends long before.
                let seconds = number >> 23
                let nanoseconds = [0, 1, 999_999_999][random.below(3)]
                return .date(
                    try #require(
                        Timestamp(seconds: seconds, nanoseconds: Int32(seconds < 0 ? -nanoseconds : nanoseconds))))
            }
            let positions = try values.map { try #require($0.scalePosition) }
            guard let low = positions.min(), let high = positions.max() else { continue }
            let bounds = ValueBins(from: low, to: high, atMost: most, of: isDate ? .date : .int).bounds
            for (value, position) in zip(values, positions) {
                var bins = ValueDistribution(bounds: bounds)
                bins.add(position)
                let index = try #require(bins.counts.firstIndex(of: 1))
                let whole: Int64
                switch value {
                case .int(let number): whole = number
                // A negative time with nanoseconds is in the second before.
                case .date(let date): whole = date.nanoseconds < 0 ? date.seconds - 1 : date.seconds
                default: continue
                }
                let isWithin = isAtMost(bounds[index], whole) && !isAtMost(bounds[index + 1], whole)
                #expect(isWithin, "seed \(seed), round \(round): \(value) by \(most), \(bounds)")
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
        #expect(Timestamp(seconds: 3, nanoseconds: 999_999_999)?.scalePosition == 3)
        #expect(Timestamp(seconds: -3, nanoseconds: -1)?.scalePosition == -4)
        #expect(Timestamp(seconds: .min, nanoseconds: -999_999_999)?.scalePosition == -0x1p63)
        #expect(Value.int(.max).scalePosition == (0x1p63).nextDown)
        #expect(Value.int(.min).scalePosition == -0x1p63)
        #expect(Value.int(-9_007_199_254_740_993).scalePosition == -9_007_199_254_740_994)
    }
}
