import Basics
package import ObjectModel

/// An object with one member, whose name is the type of its content: `{"$oid": "5f…"}`. Besides the forms that this
/// database writes these are the ones of MongoDB's Extended JSON, canonical and relaxed, in which data of Realm's cloud
/// services comes: `{"$numberLong": "7"}`, `{"$date": {"$numberLong": "0"}}`, `{"$binary": {"base64": …, "subType": …}}`.
package struct TypedObject {
    private enum Content {
        /// As it would be written without a type.
        case json(JSONValue)
        case value(Value)
        /// What no value of the type is written as.
        case other
    }

    /// The type that a mixed value has.
    package let base: BaseType
    /// Whether it stands for a number, which fits properties of other types as well.
    private let isNumber: Bool
    private let content: Content

    /// Nil unless the object has the name of a type of one scalar. The content may be wrong; see `value`.
    package init?(_ object: JSONObject) {
        guard object.members.count == 1, let member = object.members.first, let name = TypeName(member.name),
            let type = name.base
        else { return nil }
        var base = type
        switch name {
        case .numberInt, .numberLong: content = Self.integer(member.value).map { .json(.int($0)) } ?? .other
        case .numberDouble: content = Self.double(member.value)
        case .date: content = Self.date(member.value).map { .value(.date($0)) } ?? .other
        case .binary:
            content = Self.binary(member.value)
            if case .value(.uuid) = content { base = .uuid }
        default:
            if case .object = member.value { content = .other } else { content = .json(member.value) }
        }
        self.base = base
        let isNotFinite = if case (.double, .string) = (name, member.value) { true } else { false }
        isNumber = name == .numberInt || name == .numberLong || name == .numberDouble || isNotFinite
    }

    /// Returns the value as one of the type; nil if it is none.
    package func value(as wanted: BaseType) -> Value? {
        switch content {
        case .other: return nil
        case .json(let json):
            guard wanted == base || isNumber && Self.numbers.contains(wanted) else { return nil }
            return ValueCoding.convert(json, wanted)
        case .value(.uuid(let uuid)) where wanted == .data: return .data(Array(uuid.bytes))
        case .value(let value): return wanted == base ? value : nil
        }
    }

    /// The value in the form that it has without a type; nil if it is wrong.
    package var plain: JSONValue? {
        guard let value = value(as: base) else { return nil }
        switch (content, value) {
        case (.json(let json), _): return json
        case (_, .date(let date)): return .string(date.rfc3339)
        case (_, .uuid(let uuid)): return .string(uuid.text)
        case (_, .data(let bytes)): return .string(Base64.standard.encode(bytes))
        default: return nil
        }
    }

    private static let numbers: Set<BaseType> = [.int, .double, .float, .decimal128]

    private static func integer(_ json: JSONValue) -> Int64? {
        switch json {
        case .int(let value): value
        case .string(let text): Int64(text)
        default: nil
        }
    }

    private static func double(_ json: JSONValue) -> Content {
        switch json {
        case .int(let value): return .json(.double(Double(value)))
        case .double, .precise: return .json(json)
        case .string("NaN"), .string("Infinity"), .string("-Infinity"): return .json(json)
        case .string(let text):
            switch try? JSONValue.parse(text) {
            case .int(let value)?: return .json(.double(Double(value)))
            case .double(let value)?: return .json(.double(value))
            case .precise(let exact, let nearest)?: return .json(.precise(exact, nearest: nearest))
            default: return .other
            }
        default: return .other
        }
    }

    /// A text as in RFC 3339, also with an offset without a colon, or the milliseconds since 1970.
    private static func date(_ json: JSONValue) -> Timestamp? {
        switch json {
        case .string(let text): return Timestamp(rfc3339: text) ?? Timestamp(rfc3339: withColon(text))
        case .int(let milliseconds): return Timestamp(milliseconds: milliseconds)
        case .object(let object):
            guard let typed = TypedObject(object), typed.base == .int, case .int(let milliseconds)? = typed.plain else {
                return nil
            }
            return Timestamp(milliseconds: milliseconds)
        default: return nil
        }
    }

    /// `…+0100` as `…+01:00`.
    private static func withColon(_ text: String) -> String {
        let end = text.suffix(5)
        guard end.count == 5, end.first == "+" || end.first == "-", end.dropFirst().allSatisfy(\.isNumber) else {
            return text
        }
        return text.dropLast(2) + ":" + text.suffix(2)
    }

    /// A text in base64, or an object with that and a subtype, of which 4 is that of UUIDs.
    private static func binary(_ json: JSONValue) -> Content {
        guard case .object(let object) = json else { return .json(json) }
        guard object.members.count == 2, case .string(let text)? = object["base64"],
            let bytes = Base64.standard.decode(text), let subtype = subtype(object["subType"])
        else { return .other }
        if subtype == 4, let uuid = UUIDValue(bytes: bytes) { return .value(.uuid(uuid)) }
        return .value(.data(bytes))
    }

    private static func subtype(_ json: JSONValue?) -> Int64? {
        switch json {
        case .int(let value)? where 0...255 ~= value: value
        case .string(let text)? where 1...2 ~= text.utf8.count: Int64(text, radix: 16).flatMap { $0 < 0 ? nil : $0 }
        default: nil
        }
    }
}

extension Timestamp {
    /// Creates a date from milliseconds since 1970.
    fileprivate init(milliseconds: Int64) {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let isBelow = rest < 0
        self.init(
            floorSeconds: isBelow ? seconds - 1 : seconds,
            fraction: Int32((isBelow ? rest + 1_000 : rest) * 1_000_000))
    }
}
