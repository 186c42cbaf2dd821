import Columnar
import ObjectModel
import StoreTesting
import TestBasics

func encode(_ values: [Value], _ kind: LeafKind) throws -> [UInt8] {
    var leaf = MutableLeaf(kind: kind)
    for value in values { try leaf.append(value) }
    return leaf.encode()
}

extension [UInt8] {
    func withLeaf<R>(_ kind: LeafKind, _ body: (Leaf) throws -> R) throws -> R {
        try withUnsafeBytes { try body(try Leaf(validating: $0, kind: kind)) }
    }
}

enum Samples {
    /// Values at the limits of a kind.
    static func plain(_ kind: LeafKind) -> [Value] {
        switch kind {
        case .bool: [.bool(true), .bool(false), .bool(true)]
        case .int: [.int(.min), .int(-1), .int(0), .int(1), .int(.max)]
        case .float:
            [.float(.nan), .float(-.infinity), .float(-0.0), .float(0), .float(.leastNonzeroMagnitude), .float(1.5)]
        case .double:
            [.double(.nan), .double(.infinity), .double(-0.0), .double(0), .double(.greatestFiniteMagnitude)]
        case .string:
            [.string(""), .string("a"), .string("é"), .string("e\u{301}"), .string("\0"), .string("日本語"), .string("a")]
        case .date:
            [date(0, 0), date(-1, -999_999_999), date(1, 999_999_999), date(0, -1), date(.max, 0), date(.min, 0)]
        case .objectId:
            [
                .objectId(ObjectId(high: 0, low: 0)), .objectId(ObjectId(high: .max, low: 1 << 63)),
                .objectId(.generate()),
            ]
        case .uuid: [.uuid(UUIDValue(high: 0, low: 0)), .uuid(UUIDValue(high: .max, low: 1)), .uuid(.generate())]
        case .link: [.link(ObjectKey(0)), .link(ObjectKey(.max)), .link(ObjectKey(7))]
        case .data: [.data([]), .data([0]), .data([0xFF, 0, 0x80]), .data([0xC3])]
        case .decimal128:
            [.decimal(.zero), .decimal(Decimal128(high: .max, low: 1)), .decimal(Decimal128(high: 1, low: .max))]
        case .mixed:
            [
                .int(-1), .string("é"), .bool(false), .double(.nan), .data([1, 2]), .date(.epoch),
                .reference(ObjectReference(ClassID(3), ObjectKey(1 << 40))),
                .list([.int(1), .null, .list([]), .dictionary(ValueMap([("a", .float(1.5))]))]),
                .dictionary(ValueMap([("", .null), ("é", .uuid(UUIDValue(high: 1, low: 2)))])),
            ]
        case .list:
            [
                .list([]), .list([.int(1), .int(.min)]), .list([.null, .null]), .list([.int(1), .null, .int(3)]),
                .list([.bool(true), .bool(true)]), .list([.string("a"), .string("")]), .list([.link(ObjectKey(9))]),
            ]
        case .set: [.set([]), .set([.null, .string("a"), .string("b")]), .set([.decimal(.zero)])]
        case .map:
            [
                .dictionary(ValueMap()), .dictionary(ValueMap([("b", .int(2)), ("a", .null)])),
                .dictionary(ValueMap([("", .objectId(ObjectId(high: 1, low: 2)))])),
            ]
        }
    }

    static func date(_ seconds: Int64, _ nanoseconds: Int32) -> Value {
        .date(Timestamp(seconds: seconds, nanoseconds: nanoseconds) ?? .epoch)
    }

    /// Columns of every width and pattern of nulls.
    static func columns(of kind: LeafKind) -> [(String, [Value])] {
        var columns: [(String, [Value])] = [("empty", []), ("edges", plain(kind))]
        for count in [1, 63, 64, 65, 128, 200] {
            let values = (0..<count).map { plain(kind)[$0 % plain(kind).count] }
            columns.append(("\(count)", values))
            columns.append(("\(count) nulls", (0..<count).map { _ in .null }))
            columns.append(("\(count), last null", values.dropLast() + [.null]))
            columns.append(("\(count), every third null", values.enumerated().map { $0 % 3 == 1 ? .null : $1 }))
            columns.append(("\(count) equal", values.map { _ in plain(kind)[0] }))
        }
        switch kind {
        case .int, .link, .date:
            for bits in 0..<64 {
                let values = (0..<70).map { index in
                    let number = Int64(bitPattern: UInt64(index) &* 0x9E37_79B9_7F4A_7C15 & ((1 << UInt64(bits)) - 1))
                    return switch kind {
                    case .int: Value.int(number &- 5)
                    case .link: Value.link(ObjectKey(number))
                    default: date(number, index % 2 == 0 ? 0 : 5)
                    }
                }
                columns.append(("\(bits) bits", values))
                columns.append(("\(bits) bits, some null", values.enumerated().map { $0 % 5 == 0 ? .null : $1 }))
            }
        case .string:
            columns.append(
                ("over 64 KiB", (0..<1984).map { .string(String(repeating: "ab", count: $0 % 90) + "\($0)") }))
            columns.append(
                ("a dictionary over 64 KiB", (0..<600).map { .string(String(repeating: "z", count: 9000 + $0 % 9)) }))
            for distinct in [1, 2, 3, 4, 5, 16, 17, 256, 257] {
                let values = (0..<1000).map { Value.string("distinct \($0 % distinct)") }
                columns.append(("\(distinct) distinct", values))
                columns.append(
                    ("\(distinct) distinct, some null", values.enumerated().map { $0 % 7 == 0 ? .null : $1 }))
            }
        default: break
        }
        return columns
    }

    static func random(_ kind: LeafKind, using random: inout SeededRandom) -> Value {
        let number = random.next()
        if number % 6 == 0 { return .null }
        switch kind {
        case .bool: return .bool(number % 2 == 0)
        case .int: return .int(Int64(bitPattern: number) >> Int64.random(in: 0..<64, using: &random))
        case .float: return .float(Float(number % 1000) / 8)
        case .double: return .double(Double(number % 1000) / 8)
        case .string: return .string(String(repeating: "x", count: Int(number % 40)) + "\(number % 97)")
        case .date: return date(Int64(number % 100_000), number % 4 == 0 ? Int32(number % 1000) : 0)
        case .objectId: return .objectId(ObjectId(high: UInt32(truncatingIfNeeded: number), low: number))
        case .uuid: return .uuid(UUIDValue(high: number, low: ~number))
        case .link: return .link(ObjectKey(Int64(number % 5000)))
        case .data: return .data((0..<number % 20).map { UInt8(truncatingIfNeeded: number >> $0) })
        case .decimal128: return .decimal(Decimal128(high: number, low: ~number))
        case .mixed, .list, .set, .map: return plain(kind)[Int((number >> 8) % UInt64(plain(kind).count))]
        }
    }
}
