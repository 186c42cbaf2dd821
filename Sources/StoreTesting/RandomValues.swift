package import ObjectModel

/// Makes values that meet often and lie at the edges of their types.
///
/// Floating point values have few bits or are infinite, so that every order of adding them gives nearly the same sum.
package enum RandomValues {
    /// A value that a stored property accepts, null once in four times when it may be. Links are null: objects to
    /// link to are the caller's to choose.
    package static func value(of type: PropertyType, _ random: inout SeededRandom) -> Value {
        if type.isOptional, random.oneIn(4) { return .null }
        switch type.base {
        case .bool: return .bool(random.oneIn(2))
        case .int: return .int(int(&random))
        case .float: return .float(float(&random))
        case .double: return .double(double(&random))
        case .string: return .string(string(&random))
        case .date: return .date(date(&random))
        case .objectId: return .objectId(ObjectId(high: UInt32(random.below(3)), low: word(&random)))
        case .uuid: return .uuid(UUIDValue(high: word(&random), low: word(&random)))
        case .link, .linkingObjects, .data, .decimal128, .mixed: return .null
        }
    }

    /// A value that differs from all others given with another `number`.
    package static func uniqueValue(of type: PropertyType, number: Int64) -> Value {
        switch type.base {
        case .string: .string("key \(number)")
        case .objectId: .objectId(ObjectId(high: 7, low: UInt64(bitPattern: number)))
        case .uuid: .uuid(UUIDValue(high: 7, low: UInt64(bitPattern: number)))
        default: .int(number)
        }
    }

    package static func int(_ random: inout SeededRandom) -> Int64 {
        let edges: [Int64] = [
            .min, .max, .min + 1, .max - 1, 0, -1, 127, 128, -128, -129, 255, 256, 32_767, 65_536, 1 << 31, -(1 << 31),
            1 << 53, (1 << 53) + 1,
        ]
        return random.oneIn(6) ? random.pick(edges) ?? 0 : Int64(random.below(12)) - 3
    }

    package static func double(_ random: inout SeededRandom) -> Double {
        let edges: [Double] = [
            .nan, .infinity, -.infinity, 0, -0.0, 1e300, -1e300, .leastNonzeroMagnitude, 9_007_199_254_740_992,
            9_223_372_036_854_775_808, -9_223_372_036_854_775_808, 0.1,
        ]
        return random.oneIn(8) ? random.pick(edges) ?? 0 : Double(random.below(24)) / 2 - 3
    }

    package static func float(_ random: inout SeededRandom) -> Float {
        let edges: [Float] = [
            .nan, .infinity, -.infinity, 0, -0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 16_777_216, 0.1,
        ]
        return random.oneIn(8) ? random.pick(edges) ?? 0 : Float(random.below(24)) / 2 - 3
    }

    /// Short texts that share beginnings, ends and parts, with pairs that differ in case only, in ASCII, Latin-1 and
    /// beyond, and the letters around × and ÷ that do not fold.
    package static func string(_ random: inout SeededRandom) -> String {
        let texts = [
            "", "a", "A", "ab", "aB", "abc", "ABC", "abcab", "b", "ba", "z", "Zoe", "é", "É", "éa", "Éa", "à", "À",
            "Þ", "þ", "×", "÷", "ß", "ÿ", "Ÿ", "Ω", "ω", "日本", "日", "👍", "👍a", "e\u{301}", "*", "?", "a?b", "\u{0}",
            "a\u{0}b", "x y",
        ]
        if random.oneIn(10) { return String(repeating: random.pick(["a", "é", "日"]) ?? "a", count: random.below(70)) }
        return random.pick(texts) ?? ""
    }

    package static func date(_ random: inout SeededRandom) -> Timestamp {
        let edges: [(Int64, Int32)] = [
            (0, 0), (0, 1), (0, -1), (-1, -999_999_999), (1, 999_999_999), (.max, 999_999_999), (.min, -999_999_999),
            (1 << 40, 5), (-(1 << 40), -5),
        ]
        let (seconds, nanoseconds) =
            random.oneIn(4)
            ? random.pick(edges) ?? (0, 0)
            : (Int64(random.below(7)) - 3, Int32(random.below(3)) * 500_000_000 - 500_000_000)
        return Timestamp(seconds: seconds, nanoseconds: nanoseconds) ?? Timestamp(seconds: seconds)
    }

    private static func word(_ random: inout SeededRandom) -> UInt64 {
        random.pick([0, 1, 2, 1 << 32, .max, 1 << 63]) ?? 0
    }
}
