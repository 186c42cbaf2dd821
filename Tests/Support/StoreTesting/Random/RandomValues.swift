package import ObjectModel
package import TestBasics

/// Makes values that coincide often and are at the limits of their types.
///
/// Floating point values have few bits or are infinite, so that every order of adding them gives nearly the same sum.
package enum RandomValues {
    /// A value that a stored property accepts, null once in four times when it may be. Links are null, collections of
    /// links empty: the caller chooses objects to link to. Sets are in any order, with duplicates.
    package static func value(of type: PropertyType, _ random: inout SeededRandom) -> Value {
        if type.isCollection {
            let count = type.isLink ? 0 : length(&random)
            let elements = (0..<count).map { _ in value(of: type.element, &random) }
            switch type.collection {
            case .list: return .list(elements)
            case .set: return .set(type.isMixed ? elements.filter { !$0.isCollection } : elements)
            default: return .dictionary(ValueMap(elements.map { (mapKey(&random), $0) }))
            }
        }
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
        case .data: return .data(data(&random))
        case .decimal128: return .decimal(decimal(&random))
        case .mixed: return mixed(&random)
        case .link, .linkingObjects: return .null
        }
    }

    /// A mixed value of any kind except a link; lists and dictionaries up to four deep.
    package static func mixed(_ random: inout SeededRandom, depth: Int = 0) -> Value {
        let kinds: [BaseType] = [
            .bool, .int, .int, .float, .double, .string, .string, .data, .date, .decimal128, .objectId, .uuid,
        ]
        if depth < 4, random.oneIn(depth == 0 ? 4 : 3) {
            let elements = (0..<random.below(4)).map { _ in mixed(&random, depth: depth + 1) }
            return random.oneIn(2) ? .list(elements) : .dictionary(ValueMap(elements.map { (mapKey(&random), $0) }))
        }
        return value(of: PropertyType(random.pick(kinds) ?? .int, isOptional: true), &random)
    }

    /// Mostly few, rarely more than fit one block of elements.
    package static func length(_ random: inout SeededRandom) -> Int {
        random.oneIn(12) ? random.below(120) : random.below(6)
    }

    /// A valid map key: no `$` at the start, no `.`.
    package static func mapKey(_ random: inout SeededRandom) -> String {
        random.pick(["", "a", "A", "b", "a b", "é", "e\u{301}", "日", "a$", "\u{0}", "key"]) ?? ""
    }

    package static func data(_ random: inout SeededRandom) -> [UInt8] {
        if random.oneIn(12) { return Array(repeating: UInt8(random.below(256)), count: random.below(300)) }
        return random.pick([[], [0], [0, 0], [1], [97], [97, 98], [255], [255, 0, 128], [127, 255, 255]]) ?? []
    }

    /// Small numbers with up to two digits after the point, including several encodings of the same one, and the limits
    /// of the type.
    package static func decimal(_ random: inout SeededRandom) -> Decimal128 {
        let edges: [(UInt64, UInt64)] = [
            (0x7C00_0000_0000_0000, 0), (0x7800_0000_0000_0000, 0), (0xF800_0000_0000_0000, 0),
            (0xB040_0000_0000_0000, 0), (0x5FFF_ED09_BEAD_87C0, 0x378D_8E63_FFFF_FFFF), (0, 1),
        ]
        if random.oneIn(8), let edge = random.pick(edges) { return Decimal128(high: edge.0, low: edge.1) }
        let exponent = UInt64(6176 - random.below(3)) << 49
        let sign: UInt64 = random.oneIn(3) ? 1 << 63 : 0
        return Decimal128(high: sign | exponent, low: UInt64(random.below(12) * (random.oneIn(2) ? 10 : 1)))
    }

    /// A value that differs from all others made with another `number`.
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

    /// Short texts that share prefixes, suffixes and parts, with pairs that differ in case only, in ASCII, Latin-1 and
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

extension Value {
    var isCollection: Bool {
        switch self {
        case .list, .set, .dictionary: true
        default: false
        }
    }
}
