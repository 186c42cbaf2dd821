import ObjectModel
import StoreTesting
import Testing
import TestBasics

struct ValueOrderTests {
    /// The fallback is a NaN, so that a misspelt number fails at its position in the ladder.
    private static func decimal(_ text: String) -> Value { .decimal(Decimal128(text) ?? .nan) }

    /// Ascending; values within one array are equal in the order.
    static let ladder: [[Value]] = [
        [.null], [.bool(false)], [.bool(true)],
        [.double(.nan), .float(.nan), .double(-.nan), .decimal(.nan)],
        [.double(-.infinity), .float(-.infinity), .decimal(-.infinity)], [decimal("-9E+6144")],
        [.double(-1e300)], [.double(-9_223_372_036_854_777_856)],
        [.int(.min), .double(-9_223_372_036_854_775_808), .float(-9_223_372_036_854_775_808)], [.int(.min + 1)],
        [.int(-1), .double(-1), .float(-1), decimal("-1.0")], [.double(-.leastNonzeroMagnitude)],
        [.int(0), .double(0), .double(-0.0), .float(-0.0), decimal("-0.00")], [decimal("1E-6176")],
        [.float(.leastNonzeroMagnitude)], [decimal("0.1")], [decimal("0.1000000000000000055511151231257827")],
        [.double(0.1)],
        [decimal("0.1000000000000000055511151231257828")],
        // The nearest Float to a tenth is above the nearest Double.
        [.float(0.1)], [.int(1), .float(1), decimal("1.00")], [.double(1.5)],
        [.int(9_007_199_254_740_992), .double(9_007_199_254_740_992)], [decimal("9007199254740992.5")],
        [.int(9_007_199_254_740_993), decimal("9007199254740993")],
        [.int(.max)], [.double(9_223_372_036_854_775_808)], [.float(.greatestFiniteMagnitude)],
        [decimal("9E+6144")], [.double(.infinity), .float(.infinity), .decimal(.infinity)],
        [.string("")], [.string("Z")], [.string("a")], [.string("a\u{0}")], [.string("ab")], [.string("e\u{301}")],
        [.string("é")], [.string("日")], [.string("👍")],
        [.date(Timestamp(seconds: -1))], [.date(Timestamp(floorSeconds: -1, fraction: 999_999_999))], [.date(.epoch)],
        [.date(Timestamp(floorSeconds: 0, fraction: 1))],
        [.objectId(ObjectId(high: 0, low: .max))], [.objectId(ObjectId(high: 1, low: 0))],
        [.uuid(UUIDValue(high: 0, low: .max))], [.uuid(UUIDValue(high: 1, low: 0))],
        [.link(ObjectKey(0))], [.link(ObjectKey(1))],
    ]

    @Test("values are in one total order across types, exact between integers and floating point")
    func order() {
        for (i, lower) in Self.ladder.enumerated() {
            for (j, upper) in Self.ladder.enumerated() {
                for a in lower {
                    for b in upper {
                        let sign = Value.order(a, b).signum()
                        #expect(sign == (i - j).signum(), "\(a) and \(b)")
                    }
                }
            }
        }
    }

    @Test("the order is antisymmetric and transitive on random values")
    func laws() {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            let a = value(&random)
            let b = value(&random)
            let c = value(&random)
            let ab = Value.order(a, b).signum()
            let bc = Value.order(b, c).signum()
            let ac = Value.order(a, c).signum()
            #expect(ab == -Value.order(b, a).signum(), "seed \(seed): \(a), \(b)")
            #expect(Value.order(a, a) == 0, "seed \(seed): \(a)")
            if ab <= 0, bc <= 0 { #expect(ac <= 0, "seed \(seed): \(a), \(b), \(c)") }
            if ab == 0, bc == 0 { #expect(ac == 0, "seed \(seed): \(a), \(b), \(c)") }
        }
    }

    /// Mostly numbers that are close together.
    private func value(_ random: inout SeededRandom) -> Value {
        let magnitude = Int64(1) << Int64(random.next() % 63)
        let near = magnitude &+ Int64(random.next() % 5) &- 2
        switch random.next() % 11 {
        case 8: return .decimal(Decimal128(near))
        case 9: return .decimal(Decimal128(near) + Decimal128(Double(Int64(random.next() % 9) - 4) / 8))
        case 10: return .decimal(Decimal128(Double(bitPattern: random.next())))
        case 0, 1: return .int(near)
        case 2, 3: return .double(Double(magnitude) + Double(random.next() % 9) / 4 - 1)
        case 4: return .float(Float(magnitude) + Float(random.next() % 5) - 2)
        case 5: return .double(Double(bitPattern: random.next()))
        case 6: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
        default: return Self.ladder[Int(random.next() % UInt64(Self.ladder.count))][0]
        }
    }

    @Test("equality is by type and bits: numbers of two types differ, a NaN equals itself, texts compare by bytes")
    func equality() {
        #expect(Value.int(1) != .double(1))
        #expect(Value.double(.nan) == .double(.nan))
        #expect(Value.double(0) != .double(-0.0))
        #expect(Value.string("é") != .string("e\u{301}"))
        #expect(Value.null != .bool(false))
        let values: [Value] = [.string("é"), .string("e\u{301}"), .string("é"), .double(.nan), .double(.nan), .int(1)]
        #expect(Set(values).count == 4)
    }
}
