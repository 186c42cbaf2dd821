import JSONCoding
import ObjectModel
import QueryLanguage

/// Cursors as opaque text: base64url of `[form, class, sort, object key, values]`, where `sort` is a fingerprint of
/// the keys that the cursor belongs to and a value is `[value]`, or `[]` where a link on the way is null.
enum CursorCoding {
    private static let form: Int64 = 2

    static let damaged = Problem(
        400, "cursor.invalid", "This is no cursor. Give the 'next' of a page as it is, or start without 'after'.",
        parameter: "after")
    static let mismatch = Problem(
        400, "cursor.mismatch",
        "The cursor belongs to another collection, sort or query. Repeat the parameters of the page that it came with.",
        parameter: "after")

    static func encode(_ cursor: Cursor, class classID: ClassID, sort: [SortKey]) -> String {
        let json = JSONWriter(capacity: 128)
        json.beginArray()
        json.int(form)
        json.int(classID.rawValue)
        json.int(fingerprint(sort))
        json.int(cursor.key.rawValue)
        json.beginArray()
        for value in cursor.values {
            json.beginArray()
            if let value { write(value, into: json) }
            json.endArray()
        }
        json.endArray()
        json.endArray()
        return Base64.url.encode(json.bytes)
    }

    /// Throws 400 for what `encode` did not make for this class and these sort keys.
    static func decode(_ text: String, class classID: ClassID, sort: [SortKey]) throws(Problem) -> Cursor {
        let (form, parts) = try self.parts(of: text)
        guard form == self.form || parts.count == 5 else { throw parts.count == 4 ? mismatch : damaged }
        guard parts.count == 5, case .int(let owner) = parts[1],
            case .int(let mark) = parts[2], case .int(let key) = parts[3], case .array(let values) = parts[4]
        else { throw damaged }
        guard form == self.form, owner == Int64(classID.rawValue), mark == fingerprint(sort), values.count == sort.count
        else { throw mismatch }
        var decoded: [Value?] = []
        for value in values {
            guard case .array(let box) = value, box.count <= 1 else { throw damaged }
            guard let content = box.first else {
                decoded.append(nil)
                continue
            }
            guard let value = self.value(content) else { throw damaged }
            decoded.append(value)
        }
        return Cursor(values: decoded, key: ObjectKey(key))
    }

    /// What a cursor of any kind holds, and its first part, which says of which kind it is. Throws 400 for other text.
    static func parts(of text: String) throws(Problem) -> (form: Int64, parts: [JSONValue]) {
        guard let bytes = Base64.url.decode(text), let json = try? JSONValue.parse(bytes),
            case .array(let parts) = json, let first = parts.first, case .int(let form) = first
        else { throw damaged }
        return (form, parts)
    }

    /// Values are written with their types, so that no schema is needed to read them: a key path may end inside a
    /// collection or a mixed value. Collections are all equal in the order of their kind, and written empty; links
    /// carry the number of their class in place of its name.
    private static func write(_ value: Value, into json: JSONWriter) {
        switch value {
        case .list, .set: json.mixed(.list([]))
        case .dictionary: json.mixed(.dictionary(ValueMap()))
        default:
            json.mixed(value) { link in
                switch link {
                case .reference(let target): json.link(class: String(target.classID.rawValue), key: target.key)
                default: json.null()
                }
            }
        }
    }

    private static func value(_ json: JSONValue) -> Value? {
        switch try? ValueCoding.mixed(json) {
        case .value(let value)?: return value
        case .reference(let name, .int(let key), _)?:
            return UInt32(name).map { .reference(ObjectReference(ClassID($0), ObjectKey(key))) }
        default: return nil
        }
    }

    /// Tells sorts apart, by the numbers of what they go through.
    private static func fingerprint(_ sort: [SortKey]) -> Int64 {
        var text = ""
        for key in sort {
            text += key.isAscending ? "+" : "-"
            for link in key.path.links {
                switch link {
                case .forward(let property, let target): text += "f\(property.rawValue):\(target.rawValue)"
                case .elements(let property, let target, let selector):
                    text += "e\(property.rawValue):\(target.rawValue):\(selector)"
                case .backward(let origin, let property): text += "b\(origin.rawValue):\(property.rawValue)"
                case .visible: break
                }
            }
            switch key.path.end {
            case .property(let property, let type): text += "p\(property.rawValue)\(type)"
            case .object(let classID): text += "o\(classID.rawValue)"
            case .count: text += "c"
            }
            for step in key.path.steps { text += "s\(step)" }
        }
        return Int64(bitPattern: text.withUTF8 { Fingerprint.of($0) })
    }
}
