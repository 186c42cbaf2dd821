import ObjectModel
import StoreTesting
import Testing
import TestBasics

struct TimestampTests {
    @Test(
        "RFC 3339 text is read as the point in time that it names",
        arguments: [
            ("1970-01-01T00:00:00Z", 0, 0), ("1970-01-01", 0, 0), ("1969-12-31T23:59:59Z", -1, 0),
            ("1969-12-31T23:59:59.5Z", 0, -500_000_000), ("1969-12-31T23:59:58.999999999Z", -1, -1),
            ("2026-01-31T12:00:00.123456789Z", 1_769_860_800, 123_456_789),
            ("2026-01-31T12:00:00.1+01:00", 1_769_857_200, 100_000_000),
            ("2026-01-31t12:00:00z", 1_769_860_800, 0), ("2026-01-31 12:00:00Z", 1_769_860_800, 0),
            ("1970-01-01T00:00:00-00:01", 60, 0), ("1970-01-01T00:00:00.25+00:01", -59, -750_000_000),
            ("2000-02-29T00:00:00Z", 951_782_400, 0), ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
            ("9999-12-31T23:59:59Z", 253_402_300_799, 0), ("0000-01-01", -62_167_219_200, 0),
            ("10000-01-01T00:00:00Z", 253_402_300_800, 0), ("+010000-01-01T00:00:00.000Z", 253_402_300_800, 0),
            ("-0001-12-31T23:59:59Z", -62_167_219_201, 0), ("-000001-12-31T23:59:59Z", -62_167_219_201, 0),
            ("T5:7", 5, 7), ("T-5:-7", -5, -7), ("T9223372036854775807:999999999", .max, 999_999_999),
        ] as [(String, Int64, Int32)])
    func reads(_ text: String, _ seconds: Int64, _ nanoseconds: Int32) throws {
        let expected = try #require(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
        #expect(Timestamp(rfc3339: text) == expected)
    }

    @Test(
        "text that is no RFC 3339 date is refused",
        arguments: [
            "", "2026", "2026-1-31", "2026-02-30", "2025-02-29", "1900-02-29", "2026-13-01", "2026-00-01", "2026-01-00",
            "2026-01-31T", "2026-01-31T12:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z", "2026-01-31T12:00:60Z",
            "2026-01-31T12:00:00", "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00.1234567890Z",
            "2026-01-31T12:00:00+1:00",
            "2026-01-31T12:00:00+24:00", "2026-01-31T12:00:00Zx", "+026-01-31", "-0000-01-01", "02026-01-31",
            "99999999999-01-01", "12345-02-30", "T1", "T1:", "T:1",
            "T1:-1", "T1:1000000000", "T+1:0", "T1:0Z", "T9223372036854775808:0", "２026-01-31",
        ])
    func refuses(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(
        "dates are written in UTC with as much fraction as they need",
        arguments: [
            (0, 0, "1970-01-01T00:00:00Z"), (-1, 0, "1969-12-31T23:59:59Z"), (0, -1, "1969-12-31T23:59:59.999999999Z"),
            (-1, -500_000_000, "1969-12-31T23:59:58.500Z"), (1, 120_000_000, "1970-01-01T00:00:01.120Z"),
            (1, 1_000, "1970-01-01T00:00:01.000001Z"), (1, 1, "1970-01-01T00:00:01.000000001Z"),
            (-62_135_596_800, 0, "0001-01-01T00:00:00Z"), (253_402_300_799, 0, "9999-12-31T23:59:59Z"),
        ] as [(Int64, Int32, String)])
    func writes(_ seconds: Int64, _ nanoseconds: Int32, _ text: String) throws {
        let timestamp = try #require(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
        #expect(timestamp.rfc3339 == text)
    }

    @Test("a written date is parsed as the same point, and order in time is order of values")
    func roundTrip() throws {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        var samples: [Timestamp] = []
        for _ in 0..<2_000 {
            let seconds = Int64.random(in: -62_135_596_800...253_402_300_799, using: &random)
            let fraction = Int32.random(in: 0...999_999_999, using: &random)
            let timestamp = Timestamp(floorSeconds: seconds, fraction: random.next() % 4 == 0 ? 0 : fraction)
            #expect(Timestamp(rfc3339: timestamp.rfc3339) == timestamp, "seed \(seed)")
            #expect(timestamp.floored.seconds == seconds, "seed \(seed)")
            samples.append(timestamp)
        }
        for (a, b) in zip(samples, samples.dropFirst()) {
            #expect((a < b) == (a.floored < b.floored), "seed \(seed), \(a.rfc3339) and \(b.rfc3339)")
        }
    }

    @Test("every date is parsed as it is written")
    func everyDate() throws {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for _ in 0..<5_000 {
            // All magnitudes equally, also around the ends of centuries, of four digits and of the calendar.
            let seconds = Int64(bitPattern: random.next()) >> Int64(random.next() % 64)
            let near: [Int64] = [0, -62_167_219_200, 253_402_300_800, 67_768_036_191_676_800, -67_768_040_609_740_800]
            let start = random.next() % 2 == 0 ? 0 : near[Int(random.next() % 5)]
            let (sum, isOver) = start.addingReportingOverflow(seconds)
            let whole = isOver ? seconds : sum
            let digits = Int32(random.next() % 1_000_000_000)
            let fraction = [0, digits / 1_000_000 * 1_000_000, digits][Int(random.next() % 3)]
            let timestamp = try #require(Timestamp(seconds: whole, nanoseconds: whole < 0 ? -fraction : fraction))
            #expect(Timestamp(rfc3339: timestamp.rfc3339) == timestamp, "\(timestamp), seed \(seed)")
        }
    }

    @Test("extreme seconds are written without a trap")
    func extremes() throws {
        for timestamp in [
            Timestamp(seconds: .max), Timestamp(seconds: .min),
            try #require(Timestamp(seconds: .min, nanoseconds: -1)),
            try #require(Timestamp(seconds: .max, nanoseconds: 999_999_999)),
        ] {
            #expect(!timestamp.rfc3339.isEmpty)
        }
        #expect(Timestamp(seconds: -62_167_219_200).rfc3339 == "0000-01-01T00:00:00Z")
        #expect(Timestamp(seconds: 253_402_300_800).rfc3339 == "10000-01-01T00:00:00Z")
    }

    @Test("parts of opposite signs or a whole second of nanoseconds are not a timestamp")
    func parts() {
        #expect(Timestamp(seconds: 1, nanoseconds: -1) == nil)
        #expect(Timestamp(seconds: -1, nanoseconds: 1) == nil)
        #expect(Timestamp(seconds: 0, nanoseconds: 1_000_000_000) == nil)
        #expect(Timestamp(seconds: 0, nanoseconds: -1_000_000_000) == nil)
        #expect(Timestamp(seconds: 0, nanoseconds: -1) != nil)
        #expect(Timestamp.now() > Timestamp(seconds: 1_600_000_000))
    }
}
