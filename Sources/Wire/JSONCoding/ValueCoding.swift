import Basics
package import ObjectModel

/// Decodes stored values from JSON.
package enum ValueCoding {
    /// Decodes a value without links: as plain JSON or as a typed object, collections as arrays and objects. An
    /// integral number such as `3.0` is accepted as an Int; `"NaN"`, `"Infinity"` and `"-Infinity"` as Float and
    /// Double; numbers and texts as Decimal128, with all their digits.
    package static func decode(_ json: JSONValue, as type: PropertyType) throws(ValueError) -> Value {
        if type.collection == .single, !type.isMixed { return try scalar(json, type, "") }
        guard let value = try draft(json, as: type).complete else {
            throw ValueError(expected: "a value without links", got: json.inWords)
        }
        return value
    }

    /// Decodes any value; links in it stay as they are written. Null is an empty collection.
    ///
    /// - Parameter path: the value's location in the document, for the faults and links in it.
    package static func draft(
        _ json: JSONValue, as type: PropertyType, path: String = ""
    ) throws(ValueError) -> ValueDraft<WrittenLink> {
        switch (type.collection, json) {
        case (.single, _): return try element(json, type, path)
        case (.list, .null): return .value(.list([]))
        case (.set, .null): return .value(.set([]))
        case (.map, .null): return .value(.dictionary(ValueMap()))
        case (.list, .array(let elements)): return try list(elements, type, path)
        case (.set, .array(let elements)): return try list(elements, type, path).asSet
        case (.list, .long(let elements)): return try list(elements, type, path)
        case (.set, .long(let elements)): return try list(elements, type, path).asSet
        case (.map, .object(let object)):
            let members = unwrapped(object).members
            var map = MapDraft<WrittenLink>(count: members.count)
            for member in members {
                map.add(member.name, try element(member.value, at: JSONPath.member(member.name), type, path))
            }
            return map.draft
        default: throw ValueError(expected: type.inWords, got: json.inWords, path: path)
        }
    }

    private static func list(
        _ elements: [JSONValue], _ type: PropertyType, _ path: String
    ) throws(ValueError) -> ValueDraft<WrittenLink> {
        var list = ListDraft<WrittenLink>(count: elements.count)
        for json in elements { list.add(try element(json, at: JSONPath.element(list.count), type, path)) }
        return list.draft
    }

    static func list(
        _ elements: JSONLongArray, _ type: PropertyType, _ path: String
    ) throws(ValueError) -> ValueDraft<WrittenLink> {
        // Each link takes some hundred bytes until its object is found.
        guard !type.isLink || elements.count <= Self.maximumLinks else {
            throw ValueError(
                expected: "an array of at most \(Self.maximumLinks) links in one request",
                got: "one of \(elements.count)", path: path)
        }
        var list = ListDraft<WrittenLink>(count: elements.count)
        do {
            try elements.forEach { json in
                list.add(try element(json, at: JSONPath.element(list.count), type, path))
            }
        } catch let fault as ValueError {
            throw fault
        } catch {
            throw ValueError(expected: type.inWords, got: "other text", path: path)
        }
        return list.draft
    }

    /// The maximum number of elements of a long list of links.
    private static let maximumLinks = 1_000_000

    /// Decodes an element. Its path is made only for those that need it: most are plain, and there may be millions.
    private static func element(
        _ json: JSONValue, at step: @autoclosure () -> String, _ type: PropertyType, _ path: String
    ) throws(ValueError) -> ValueDraft<WrittenLink> {
        guard !type.isMixed, !type.isLink else { return try element(json, type, path + step()) }
        do throws(ValueError) {
            return .value(try scalar(json, type, ""))
        } catch {
            var fault = error
            fault.path = path + step()
            throw fault
        }
    }

    private static func element(_ json: JSONValue, _ type: PropertyType, _ path: String) throws(ValueError)
        -> ValueDraft<WrittenLink>
    {
        if type.isMixed { return try mixed(json, path) }
        if type.isLink, json != .null { return .link(.plain(json, path: path)) }
        return .value(try scalar(json, type, path))
    }

    private static func scalar(_ json: JSONValue, _ type: PropertyType, _ path: String) throws(ValueError) -> Value {
        if case .null = json, type.acceptsNull { return .null }
        guard json != .null, let value = convert(json, type.base) else {
            throw ValueError(expected: type.elementInWords, got: json.inWords, path: path)
        }
        return value
    }

    /// Decodes a primary key from a URL path; `null` is null where the type has no such text of its own. Nil when the
    /// text is not a value of the type. An integer has one spelling, so that an object has one address.
    package static func decode(keyText text: String, as type: PropertyType) -> Value? {
        switch type.base {
        case .string: .string(text)
        case _ where type.isOptional && text == "null": .null
        case .int: Int64(text).flatMap { String($0) == text ? .int($0) : nil }
        default: convert(.string(text), type.base)
        }
    }

    /// Nil when the value is not of the type.
    static func convert(_ json: JSONValue, _ base: BaseType) -> Value? {
        switch (base, json) {
        case (.bool, .bool(let value)): return .bool(value)
        case (.int, .int(let value)): return .int(value)
        case (.int, .double(let value)): return Int64(exactly: value).map { .int($0) }
        case (.int, .precise(let value, _)): return value.exactInt64.map { .int($0) }
        case (.string, .string(let value)): return .string(value)
        case (.date, .string(let text)): return Timestamp(rfc3339: text).map { .date($0) }
        case (.objectId, .string(let text)): return ObjectId(hex: text).map { .objectId($0) }
        case (.uuid, .string(let text)): return UUIDValue(text: text).map { .uuid($0) }
        case (.data, .string(let text)): return Base64.standard.decode(text).map { .data($0) }
        case (.decimal128, .string(let text)): return Decimal128(text).map { .decimal($0) }
        case (.decimal128, .int(let value)): return .decimal(Decimal128(value))
        case (.decimal128, .double(let value)): return .decimal(Decimal128(shortest: value))
        case (.decimal128, .precise(let value, _)): return .decimal(value)
        case (_, .object(let object)): return TypedObject(object)?.value(as: base)
        case (.double, _): return number(json).map { .double($0) }
        case (.float, _):
            guard let number = number(json) else { return nil }
            let value = Float(number)
            // A finite number must not become infinite.
            return value.isFinite || !number.isFinite ? .float(value) : nil
        default: return nil
        }
    }

    private static func number(_ json: JSONValue) -> Double? {
        switch json {
        case .int(let value): Double(value)
        case .double(let value), .precise(_, nearest: let value): value
        case .string("NaN"): .nan
        case .string("Infinity"): .infinity
        case .string("-Infinity"): -.infinity
        default: nil
        }
    }

    /// The members of `{"$dictionary": {…}}`, otherwise the object itself.
    static func unwrapped(_ object: JSONObject) -> JSONObject {
        guard object.members.count == 1, case .object(let inner)? = object[TypeName.dictionary.rawValue] else {
            return object
        }
        return inner
    }
}

/// The names of typed objects, which have one member.
package enum TypeName: String {
    case date = "$date"
    case objectId = "$oid"
    case uuid = "$uuid"
    case decimal = "$decimal"
    case binary = "$binary"
    /// In mixed values, where numbers are doubles.
    case float = "$float"
    /// In mixed values, for NaN and the infinities.
    case double = "$double"
    case link = "$link"
    /// In mixed values, for a dictionary that would otherwise look like one of these.
    case dictionary = "$dictionary"
    // The other names of MongoDB's Extended JSON, which are read and never written.
    case numberInt = "$numberInt"
    case numberLong = "$numberLong"
    case numberDouble = "$numberDouble"
    case numberDecimal = "$numberDecimal"

    package init?(_ name: String) {
        // Most names of members are no such names, and a raw value is compared with all of them.
        guard name.utf8.first == UInt8(ascii: "$") else { return nil }
        self.init(rawValue: name)
    }

    /// Nil for those whose content is not one scalar.
    package var base: BaseType? {
        switch self {
        case .date: .date
        case .objectId: .objectId
        case .uuid: .uuid
        case .decimal, .numberDecimal: .decimal128
        case .numberInt, .numberLong: .int
        case .binary: .data
        case .float: .float
        case .double, .numberDouble: .double
        case .link, .dictionary: nil
        }
    }
}

extension PropertyType {
    /// A description of the accepted values, for error messages.
    package var inWords: String {
        switch collection {
        case .single: elementInWords
        case .list, .set: "an array, each element \(elementInWords)"
        case .map: "an object, each value \(elementInWords)"
        }
    }

    /// A description of the accepted single values or elements.
    var elementInWords: String {
        let words =
            switch base {
            case .bool: "true or false"
            case .int: "an integer of 64 bits"
            case .float: "a number within the range of a float"
            case .double: "a number"
            case .string: "a string"
            case .date: "a date such as \"2026-01-31T12:00:00Z\""
            case .objectId: "an object id of 24 hexadecimal digits"
            case .uuid: "a UUID such as \"123e4567-e89b-12d3-a456-426614174000\""
            case .data: "base64 text such as \"SGVsbG8=\""
            case .decimal128: "a decimal such as \"1.10\""
            case .mixed: "any JSON value"
            case .link(let target): "a link to \(target.withArticle)"
            case .linkingObjects: "absent, because it is computed from links"
            }
        return acceptsNull && base != .mixed ? words + " or null" : words
    }
}

/// The reason why a JSON value does not fit a property.
package struct ValueError: Error, Hashable, Sendable {
    /// A description of the accepted values: `an integer or null`.
    package var expected: String
    /// A description of the given value: `the string "seven"`.
    package var got: String
    /// The location within the value: empty for the value itself, `[3]` for an element.
    package var path: String

    package init(expected: String, got: String, path: String = "") {
        self.expected = expected
        self.got = got
        self.path = path
    }

    /// `'Dog.age' must be an integer or null, not the string "seven".`
    package func sentence(_ name: String) -> String { "'\(name)\(path)' must be \(expected), not \(got)." }
}
