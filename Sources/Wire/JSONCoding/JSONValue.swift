package import ObjectModel

/// A JSON document in memory. Its spelling decides whether a number is an integer: `1` is one, `1.0` and `1e0` are not.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    /// A number with more digits than needed to identify the nearest double.
    /// Rare, so that it does not make all values larger.
    indirect case precise(Decimal128, nearest: Double)
    case string(String)
    case array([JSONValue])
    /// A long array that stays text: the outermost one, or one of plain values. Only `parseFolding` makes it.
    case long(JSONLongArray)
    case object(JSONObject)
}

extension JSONValue {
    /// Calls the body with each element of an array, also of one that stays text; never for other values. Throws the
    /// error of the body, and `JSONError` for text whose fault is noticed only now (``JSONLongArray``).
    package func forEachElement(_ body: (JSONValue) throws -> Void) throws {
        switch self {
        case .array(let elements): try elements.forEach(body)
        case .long(let elements): try elements.forEach(body)
        default: break
        }
    }
}

/// The members of a JSON object in the order written. Names are unique in the parser's results.
package struct JSONObject: Hashable, Sendable {
    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    package var members: [Member]

    package init(_ members: [Member] = []) { self.members = members }

    /// The value of the first member of that name. Cost: linear in the number of members.
    package subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member(name: $0.0, value: $0.1) }))
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue {
    /// The member of an object; nil for any other value.
    package subscript(name: String) -> JSONValue? {
        if case .object(let object) = self { return object[name] }
        return nil
    }

    /// The element of an array; nil for any other value, and beyond the array's end.
    package subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// A description of the value, with its content where that is short, for error messages: `the string "seven"`.
    package var inWords: String {
        switch self {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .int(let value): return "the integer \(value)"
        case .double(let value): return "the number \(value)"
        case .precise(let value, _): return "the number \(value)"
        case .string(let text):
            let shown = text.count > 40 ? text.prefix(40) + "…" : text[...]
            return "the string \"\(shown)\""
        case .array, .long: return "an array"
        case .object: return "an object"
        }
    }
}
