package import ObjectModel

/// JSON to stored values.
package enum ValueCoding {
    /// Reads a value of a property that is no link: as plain JSON or as a typed object. An integral number such as
    /// `3.0` is accepted as an Int; `"NaN"`, `"Infinity"` and `"-Infinity"` as Float and Double.
    package static func decode(_ json: JSONValue, as type: PropertyType) throws(ValueFault) -> Value {
        let fault = ValueFault(expected: type.inWords, got: json.inWords)
        if case .null = json {
            guard type.isOptional else { throw fault }
            return .null
        }
        guard let value = convert(json, type.base) else { throw fault }
        return value
    }

    /// Reads a value whose type no schema gives: plain JSON, or `{"$date": …}`, `{"$oid": …}`, `{"$uuid": …}`. Nil
    /// for arrays and other objects.
    package static func decode(_ json: JSONValue) -> Value? {
        switch json {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(value)
        case .double(let value): return .double(value)
        case .string(let value): return .string(value)
        case .array: return nil
        case .object(let object):
            guard object.members.count == 1, let member = object.members.first else { return nil }
            switch member.name {
            case "$date": return convert(member.value, .date)
            case "$oid": return convert(member.value, .objectId)
            case "$uuid": return convert(member.value, .uuid)
            default: return nil
            }
        }
    }

    /// Reads a primary key as it stands in a path; `null` is null where the type has no such text of its own. Nil when
    /// the text is no value of the type.
    package static func decode(keyText text: String, as type: PropertyType) -> Value? {
        switch type.base {
        case .string: .string(text)
        case _ where type.isOptional && text == "null": .null
        case .int: Int64(text).map { .int($0) }
        default: convert(.string(text), type.base)
        }
    }

    /// Nil when the value is none of the type.
    private static func convert(_ json: JSONValue, _ base: BaseType) -> Value? {
        switch (base, json) {
        case (.bool, .bool(let value)): return .bool(value)
        case (.int, .int(let value)): return .int(value)
        case (.int, .double(let value)): return Int64(exactly: value).map { .int($0) }
        case (.double, _): return number(json).map { .double($0) }
        case (.float, _):
            guard let number = number(json) else { return nil }
            let value = Float(number)
            // A finite number must not become infinite.
            return value.isFinite || !number.isFinite ? .float(value) : nil
        case (.string, .string(let value)): return .string(value)
        case (.date, .string(let text)): return Timestamp(rfc3339: text).map { .date($0) }
        case (.objectId, .string(let text)): return ObjectId(hex: text).map { .objectId($0) }
        case (.uuid, .string(let text)): return UUIDValue(text: text).map { .uuid($0) }
        case (.date, .object(let object)): return unwrap(object, "$date").flatMap { convert($0, base) }
        case (.objectId, .object(let object)): return unwrap(object, "$oid").flatMap { convert($0, base) }
        case (.uuid, .object(let object)): return unwrap(object, "$uuid").flatMap { convert($0, base) }
        default: return nil
        }
    }

    /// The text within a typed object.
    private static func unwrap(_ object: JSONObject, _ name: String) -> JSONValue? {
        guard object.members.count == 1, case .string? = object[name] else { return nil }
        return object[name]
    }

    private static func number(_ json: JSONValue) -> Double? {
        switch json {
        case .int(let value): Double(value)
        case .double(let value): value
        case .string("NaN"): .nan
        case .string("Infinity"): .infinity
        case .string("-Infinity"): -.infinity
        default: nil
        }
    }
}

extension PropertyType {
    /// What the type takes, for the sentence of an error.
    package var inWords: String {
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
            case .link(let target): "a link to a \(target)"
            case .linkingObjects: "nothing, because it is computed from links"
            case .data, .decimal128, .mixed: "a value of type '\(base.name)'"
            }
        return isOptional ? words + " or null" : words
    }
}
