import ObjectModel
import StoreTesting
import Testing
import TestBasics

struct Decimal128Tests {
    @Test(
        "a text that is written back as it was",
        arguments: [
            "0", "-0", "1", "-1", "1.10", "0.00", "-0.00", "100", "0.000001", "123456789.987654321", "1E+2", "1.5E+10",
            "1E-7", "0E+3", "0E-8", "1.234E-20", "9.999999999999999999999999999999999E+6144", "1E-6176", "-1E-6176",
            "1.000000000000000000000000000000000E-6143", "1.000000000000000000000000000000000E+6144",
            "9999999999999999999999999999999999", "0.9999999999999999999999999999999999", "NaN", "Infinity",
            "-Infinity",
        ])
    func roundTrip(text: String) throws {
        let value = try #require(Decimal128(text))
        #expect(value.description == text)
        #expect(Decimal128(value.description) == value)
    }

    @Test(
        "a text that is another form of a number",
        arguments: [
            ("+1", "1"), ("1.", "1"), (".5", "0.5"), ("007", "7"), ("0.0000001", "1E-7"), ("1e3", "1E+3"),
            ("1E003", "1E+3"), ("12E-1", "1.2"), ("-.5e1", "-5"), ("nan", "NaN"), ("-NaN", "NaN"), ("inf", "Infinity"),
            ("-INF", "-Infinity"), ("+infinity", "Infinity"), ("1E6144", "1.000000000000000000000000000000000E+6144"),
            // The 35th digit decides, half goes to even, and any digit after it makes it more than half.
            ("12345678901234567890123456789012345", "1.234567890123456789012345678901234E+34"),
            ("12345678901234567890123456789012355", "1.234567890123456789012345678901236E+34"),
            (
                "1.2345678901234567890123456789012345" + String(repeating: "0", count: 200) + "1",
                "1.234567890123456789012345678901235"
            ),
            ("99999999999999999999999999999999995", "1.000000000000000000000000000000000E+35"),
            ("1" + String(repeating: "0", count: 40), "1.000000000000000000000000000000000E+40"),
            ("0." + String(repeating: "0", count: 300) + "12", "1.2E-301"),
            ("1E-6177", "0E-6176"), ("6E-6177", "1E-6176"), ("1E-999999999999999999999", "0E-6176"),
            ("0E99999", "0E+6111"), ("0." + String(repeating: "0", count: 7000), "0E-6176"),
        ])
    func forms(text: String, written: String) throws {
        #expect(try #require(Decimal128(text)).description == written)
    }

    @Test(
        "a text that is not a decimal",
        arguments: [
            "", " ", "+", "-", ".", "e1", "1e", "1e+", "1e1.5", "1.2.3", "--1", "+-1", "1 ", " 1", "1,5", "0x10",
            "1_000",
            "nann", "infinit", "infinityy", "in", "NaN1", "１", "1\u{0}", "1E6145", "-1E+7000", "1E99999999999999999999",
            "99999999999999999999999999999999999E6110",
        ])
    func malformed(text: String) { #expect(Decimal128(text) == nil) }

    @Test("decimals know their kind and their value")
    func kinds() throws {
        #expect(Decimal128.nan.isNaN && !Decimal128.nan.isInfinite && !Decimal128.nan.isFinite)
        #expect(Decimal128.infinity.isInfinite && !Decimal128.infinity.isNaN && !Decimal128.infinity.isFinite)
        #expect((-Decimal128.infinity).isInfinite && (-Decimal128.infinity).isNegative)
        #expect(Decimal128.zero.isZero && (-Decimal128.zero).isZero && Decimal128.zero.isFinite)
        #expect(Decimal128.zero == Decimal128(0 as Int64))
        #expect(try !#require(Decimal128("1E-6176")).isZero)
        // Beyond 34 digits, and with the bits that would mean even more.
        let beyond = Decimal128(high: 0x3041_ED09_BEAD_87C0, low: 0x378D_8E64_0000_0000)
        #expect(beyond.isZero && beyond.description == "0")
        #expect(Decimal128(high: 0x6C10_0000_0000_0000, low: 7).isZero)
    }

    @Test("arithmetic rounds to 34 digits, half to even, and has infinities and NaN at its limits")
    func arithmetic() throws {
        func decimal(_ text: String) throws -> Decimal128 { try #require(Decimal128(text)) }
        #expect(try (decimal("1.10") + decimal("2.2")).description == "3.30")
        #expect(try (decimal("0.1") + decimal("0.2")) == decimal("0.3"))
        #expect(try (decimal("1") - decimal("1.000")).description == "0.000")
        #expect(try (decimal("1.5") * decimal("-2")).description == "-3.0")
        #expect(try (decimal("1") / decimal("3")).description == "0.3333333333333333333333333333333333")
        #expect(try (decimal("10") / decimal("4")).description == "2.5")
        #expect(try (decimal("9999999999999999999999999999999999") + decimal("0.5")).description.hasPrefix("1.0000"))
        #expect(try (decimal("9E6144") * decimal("2")).isInfinite)
        #expect(try (decimal("1") / .zero).isInfinite)
        #expect((Decimal128.zero / .zero).isNaN)
        #expect((Decimal128.infinity - .infinity).isNaN)
    }

    @Test("an average is the sum divided by the count, and nil for a count of zero")
    func average() throws {
        var sum = Decimal128.zero
        for text in ["1.10", "2.20", "4.35"] { sum += try #require(Decimal128(text)) }
        #expect(sum.description == "7.65")
        #expect(Decimal128.average(sum: sum, count: 3)?.description == "2.55")
        #expect(Decimal128.average(sum: .zero, count: 0) == nil)
    }

    @Test(
        "whole numbers of 64 bits go in and come out exactly",
        arguments: [0, 1, -1, .max, .min, (1 << 53) + 1] as [Int64])
    func integers(value: Int64) {
        #expect(Decimal128(value).description == String(value))
        #expect(Decimal128(value).exactInt64 == value)
    }

    @Test(
        "what is not a whole number of 64 bits gives none",
        arguments: [
            "0.5", "9223372036854775808", "-9223372036854775809", "1E+19", "NaN", "Infinity", "-Infinity", "1E-6176",
        ])
    func noInteger(text: String) throws { #expect(try #require(Decimal128(text)).exactInt64 == nil) }

    @Test("a whole number may have zeros after the point or an exponent")
    func wholeForms() throws {
        #expect(try #require(Decimal128("12.000")).exactInt64 == 12)
        #expect(try #require(Decimal128("12E+3")).exactInt64 == 12_000)
        #expect(try #require(Decimal128("-0.0")).exactInt64 == 0)
    }

    @Test("a double becomes its 34 leading digits, or the digits of its text")
    func fromDouble() {
        #expect(Decimal128(0.1).description == "0.1000000000000000055511151231257827")
        #expect(Decimal128(shortest: 0.1).description == "0.1")
        #expect(Decimal128(shortest: 1e300).canonical.description == "1E+300")
        #expect(Decimal128(Float(0.1)).description == "0.100000001490116119384765625")
        #expect(Decimal128(0.5).description == "0.5")
        #expect(Decimal128(-Double.infinity) == -.infinity)
        #expect(Decimal128(Double.nan).isNaN)
        #expect(Decimal128(Double.leastNonzeroMagnitude).description == "4.940656458412465441765687928682214E-324")
    }

    @Test("every double is recovered from its nearest decimal and from its shortest text")
    func doubleRoundTrip() {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for _ in 0..<5000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            #expect(Decimal128(value).double == value, "seed \(seed)")
            #expect(Decimal128(shortest: value).double == value, "seed \(seed)")
        }
    }

    @Test("a printed decimal parses to the same encoding, whatever the digits and the exponent")
    func printedReadsBack() {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for _ in 0..<5000 {
            let digits = String(random.next()) + String(random.next()).prefix(Int(random.next() % 15))
            let exponent = Int(random.next() % 12_200) - 6160
            let text = (random.next() % 2 == 0 ? "-" : "") + digits.prefix(1 + Int(random.next() % 34)) + "E\(exponent)"
            guard let value = Decimal128(text) else { continue }
            #expect(Decimal128(value.description) == value, "\(text), seed \(seed)")
        }
    }

    @Test("numbers are equal in the order exactly when their canonical forms are")
    func canonicalForms() throws {
        let groups = [
            ["0", "-0", "0.000", "0E+100"], ["1", "1.0", "1.000", "10E-1"], ["100", "1E+2", "1.00E+2"],
            ["NaN", "-NaN"],
            ["Infinity"], ["-Infinity"], ["-1", "-1.0"], ["9E+6144", "9.0E+6144"],
        ]
        for (index, group) in groups.enumerated() {
            for (other, others) in groups.enumerated() {
                for a in try group.map({ try #require(Decimal128($0)) }) {
                    for b in try others.map({ try #require(Decimal128($0)) }) {
                        #expect((Decimal128.order(a, b) == 0) == (index == other), "\(a), \(b)")
                        #expect((a.canonical == b.canonical) == (index == other), "\(a), \(b)")
                    }
                }
            }
        }
    }

    @Test("a decimal and a double compare by their exact values")
    func exactOrder() {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for round in 0..<3000 {
            let double =
                round % 4 == 0
                ? Double(Int64(truncatingIfNeeded: random.next()) >> 12) / 1024
                : Double(bitPattern: random.next())
            guard double.isFinite else { continue }
            // The decimal next to the double, or a few units of its last digit away.
            let near = Decimal128(double)
            let step = Decimal128(Int64(random.next() % 5) - 2) * unit(of: near)
            let decimal = near + step
            let expected = ExactNumber.order(ExactNumber(decimal: decimal.description), ExactNumber(double))
            #expect(Decimal128.order(decimal, double) == expected, "\(decimal), \(double), seed \(seed)")
            #expect(Value.order(.double(double), .decimal(decimal)) == -expected, "\(decimal), \(double), seed \(seed)")
        }
    }

    /// One at the position of the last digit.
    private func unit(of value: Decimal128) -> Decimal128 {
        let text = value.description
        let exponent = text.split(separator: "E").dropFirst().first.flatMap { Int($0) } ?? 0
        let number = text.split(separator: "E")[0]
        let fraction = number.split(separator: ".").dropFirst().first?.count ?? 0
        return Decimal128("1E\(exponent - fraction)") ?? .zero
    }

    @Test("numbers at the limits compare, too")
    func ends() throws {
        let tiny = try #require(Decimal128("1E-6176"))
        let huge = try #require(Decimal128("9.999999999999999999999999999999999E+6144"))
        #expect(Decimal128.order(tiny, 0.0 as Double) == 1)
        #expect(Decimal128.order(tiny, -0.0 as Double) == 1)
        #expect(Decimal128.order(tiny, Double.leastNonzeroMagnitude) == -1)
        #expect(Decimal128.order(-tiny, -Double.leastNonzeroMagnitude) == 1)
        #expect(Decimal128.order(huge, Double.greatestFiniteMagnitude) == 1)
        #expect(Decimal128.order(huge, Double.infinity) == -1)
        #expect(Decimal128.order(.infinity, Double.infinity) == 0)
        #expect(Decimal128.order(.nan, Double.nan) == 0)
        #expect(Decimal128.order(.nan, -Double.infinity) == -1)
        #expect(Decimal128.order(-.infinity, Double.nan) == 1)
        #expect(Decimal128.order(-.zero, 0 as Double) == 0)
    }
}
