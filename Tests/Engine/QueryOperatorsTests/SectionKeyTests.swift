import Glibc
import ObjectModel
import QueryLanguage
import QueryOperators
import StoreTesting
import Testing
import TestBasics

@Suite("Section keys and distinct forms")
struct SectionKeyTests {
    static func date(_ text: String) -> Value { Timestamp(rfc3339: text).map { .date($0) } ?? .null }

    @Test(
        "what is made of a value",
        arguments: [
            (.first, .string("rex"), .string("R")), (.first, .string("étoile"), .string("É")),
            (.first, .string(""), .string("")), (.first, .null, .null), (.first, .int(3), .null),
            (.year, date("2026-11-21"), .int(2026)), (.year, date("1969-12-31T23:59:59.5Z"), .int(1969)),
            (.month, date("2026-01-31T23:59:59Z"), .string("2026-01")),
            (.month, date("0009-03-01"), .string("0009-03")),
            (.day, date("2024-02-29T00:00:00Z"), .string("2024-02-29")),
            (.day, date("1900-03-01T00:00:00Z"), .string("1900-03-01")),
            (.day, date("1969-12-31T23:59:59.999999999Z"), .string("1969-12-31")),
            (.day, .date(Timestamp(seconds: 253_402_300_800)), .string("10000-01-01")),
            (.day, .date(Timestamp(seconds: -62_167_219_201)), .string("-0001-12-31")),
            (.hour, date("1969-12-31T23:59:59.5Z"), .int(23)), (.hour, date("1970-01-01"), .int(0)),
            (.weekday, date("1970-01-01"), .int(4)), (.weekday, date("2026-11-21"), .int(6)),
            (.weekday, date("1969-12-28"), .int(7)), (.weekday, date("1969-12-29"), .int(1)),
            (.weekday, .null, .null), (.year, .string("2026"), .null),
            (.isNull, .null, .bool(true)), (.isNull, .string(""), .bool(false)),
        ] as [(SectionKey.Function, Value, Value)])
    func functions(_ function: SectionKey.Function, _ value: Value, _ expected: Value) {
        #expect(SectionKey(BoundPath(end: .count), function).value(of: value) == expected)
    }

    @Test("without a function the value itself is the key")
    func noFunction() {
        for value in [Value.null, .int(3), .string("x")] {
            #expect(SectionKey(BoundPath(end: .count)).value(of: value) == value)
        }
    }

    @Test("the calendar agrees with the C library's, from the first second to the last one in its range")
    func calendar() throws {
        var random = SeededRandom.ofTest()
        let bounds: [Int64] = [.min, .max, -62_135_596_800, 253_402_300_799, 0, -1, 86_399, 86_400, -86_400, -86_401]
        for _ in 0..<2000 {
            let wide = Int64(truncatingIfNeeded: random.next()) >> Int64(random.below(40) + 12)
            for seconds in [wide] + bounds {
                let key = { (function: SectionKey.Function) in
                    function.value(of: .date(Timestamp(seconds: seconds)))
                }
                var time = time_t(seconds)
                var parts = tm()
                guard gmtime_r(&time, &parts) != nil else {
                    // Beyond the range of the C library it must only not crash.
                    _ = SectionKey.Function.allCases.map(key)
                    continue
                }
                #expect(key(.year) == .int(Int64(parts.tm_year) + 1900), "seed \(random.seed): \(seconds)")
                #expect(key(.hour) == .int(Int64(parts.tm_hour)), "seed \(random.seed): \(seconds)")
                #expect(key(.weekday) == .int(parts.tm_wday == 0 ? 7 : Int64(parts.tm_wday)))
                guard case .string(let day) = key(.day), case .string(let month) = key(.month) else {
                    Issue.record("seed \(random.seed): \(seconds) has no day")
                    continue
                }
                #expect(
                    day.hasPrefix(month + "-")
                        && day.hasSuffix(parts.tm_mday < 10 ? "0\(parts.tm_mday)" : "\(parts.tm_mday)"))
                #expect(month.hasSuffix(parts.tm_mon < 9 ? "-0\(parts.tm_mon + 1)" : "-\(parts.tm_mon + 1)"))
            }
        }
    }

    static func decimal(_ text: String) -> Value { .decimal(Decimal128(text) ?? .nan) }

    static let numbers: [Value] = [
        .int(1), .float(1), .double(1), decimal("1"), decimal("1.00"),
        .double(-0.0), .int(0), decimal("-0E5"), .float(.nan), .double(.nan),
        .decimal(.nan), .double(-.nan), .double(0.1), decimal("0.1"), .decimal(Decimal128(0.1 as Double)),
        .float(0.1), .float(0.5), .double(0.5), decimal("0.50"), .int(.max), .double(0x1p63),
        decimal("9223372036854775807"), decimal("9223372036854775808"),
        .double(.infinity), .float(.infinity), .decimal(.infinity), .decimal(-.infinity), .double(-.infinity),
        .double(1e300), decimal("1E300"), .int(1 << 53 + 1), .double(0x1p53),
        .null, .bool(true), .string("1"), .data([49]), .list([]), .list([.int(1)]), .dictionary(ValueMap()),
        .dictionary(ValueMap([("a", .int(1))])),
    ]

    @Test("distinct forms are equal exactly where values are equal in the total order")
    func distinctForms() {
        for a in Self.numbers {
            for b in Self.numbers {
                #expect((a.distinctForm == b.distinctForm) == (Value.order(a, b) == 0), "\(a) and \(b)")
            }
        }
    }
}
