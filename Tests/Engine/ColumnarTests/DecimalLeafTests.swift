import Columnar
import ObjectModel
import StoreTesting
import Testing
import TestBasics

/// Ranges of decimals by their digits, against the order of the decimals themselves.
@Suite("Decimals of a leaf")
struct DecimalLeafTests {
    private static func decimal(_ random: inout SeededRandom) -> Decimal128 {
        let sign = UInt64.random(in: 0...1, using: &random) << 63
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return [Decimal128.nan, .infinity, -.infinity].randomElement(using: &random) ?? .nan
        case 1:
            // Any encoding, also those that nobody writes.
            return Decimal128(high: random.next(), low: random.next())
        case 2:
            // About the maximum number of digits, and one too many.
            let limit = UInt128(10_000_000_000_000_000_000) * 1_000_000_000_000_000
            let digits = limit - 2 + UInt128(UInt8.random(in: 0..<4, using: &random))
            let exponent = UInt64.random(in: 6170..<6180, using: &random)
            return Decimal128(
                high: sign | exponent << 49 | UInt64(truncatingIfNeeded: digits >> 64),
                low: UInt64(truncatingIfNeeded: digits))
        case 3:
            let exponent: UInt64 = [0, 1, 6100, 6151, 6152, 6183, 6184, 12287].randomElement(using: &random) ?? 0
            return Decimal128(high: sign | exponent << 49, low: UInt64.random(in: 0..<3, using: &random))
        default:
            // Close to one another, in different encodings.
            let fraction = Int.random(in: 0..<5, using: &random)
            var digits = UInt64.random(in: 0..<12, using: &random)
            for _ in 0..<fraction { digits *= 10 }
            digits += UInt64.random(in: 0..<3, using: &random)
            return Decimal128(high: sign | UInt64(6176 - fraction) << 49, low: digits)
        }
    }

    @Test("a range of decimals selects the slots whose decimal is between its bounds", arguments: [false, true])
    func ranges(inverted: Bool) throws {
        let seed = TestSeed.of(inverted)
        var random = SeededRandom(seed: seed)
        for count in [1, 64, 130] {
            let values = (0..<count).map { _ in
                Int.random(in: 0..<9, using: &random) == 0 ? Value.null : .decimal(Self.decimal(&random))
            }
            try encode(values, .decimal128).withLeaf(.decimal128) { leaf in
                for _ in 0..<60 {
                    let (low, high) = (Self.decimal(&random), Self.decimal(&random))
                    let (lowClosed, highClosed) = (Bool.random(using: &random), Bool.random(using: &random))
                    let form = Int.random(in: 0..<3, using: &random)
                    var range = DecimalRange.all
                    if form != 0 { range = range.intersection(DecimalRange(above: low, closed: lowClosed)) }
                    if form != 1 { range = range.intersection(DecimalRange(below: high, closed: highClosed)) }
                    let mask = SelectionMask(capacity: count)
                    mask.reset(slotCount: count)
                    for slot in 0..<count where slot % 5 != 4 { mask.insert(slot) }
                    leaf.narrow(
                        mask, decimals: DecimalTable(range), inverted: inverted,
                        scratch: SelectionMask(capacity: count))
                    for slot in 0..<count {
                        var isIn = false
                        if case .decimal(let value) = values[slot], !value.isNaN {
                            let fromLow = Decimal128.order(value, low)
                            let fromHigh = Decimal128.order(value, high)
                            let isAbove = !low.isNaN && (lowClosed ? fromLow >= 0 : fromLow > 0)
                            let isBelow = !high.isNaN && (highClosed ? fromHigh <= 0 : fromHigh < 0)
                            isIn = (form == 0 || isAbove) && (form == 1 || isBelow)
                        }
                        #expect(
                            mask.contains(slot) == (slot % 5 != 4 && isIn != inverted),
                            "seed \(seed): \(values[slot]) in \(form) \(low) \(lowClosed)...\(high) \(highClosed)")
                    }
                }
            }
        }
    }
}
