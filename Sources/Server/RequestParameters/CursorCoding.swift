import Basics
import Cryptography
package import JSONCoding
package import ObjectCoding
package import ObjectModel
package import QueryLanguage
import WriteRequests

/// Encodes cursors as opaque text: base64url of `[form, mark, class, sort, object key, values]`, where `sort` is a
/// fingerprint of the sort keys that the cursor belongs to and a value is `[value]`, or `[]` if a link on the path is
/// null. The mark is that of the page: in another history, the numbers identify other classes and objects.
///
/// A cursor is a part of a target, whose length has a limit. So a long value is represented by its digest, in the form
/// `[digest, true]`, and read again from the object: see `GatewayContext.cursor`.
package enum CursorCoding {
    private static let form: Int64 = 4
    /// The forms without a mark, of earlier releases.
    private static let unmarkedForms: ClosedRange<Int64> = 2...3

    package static let damaged = Problem(
        .cursorInvalid, "This is not a cursor. Send the 'next' of a page unchanged, or start without 'after'.",
        parameter: "after")
    package static let mismatch = Problem(
        .cursorMismatch,
        "The cursor belongs to another collection, sort or query. Repeat the parameters of the page that returned it.",
        parameter: "after")

    /// The data that the page of a cursor was read from no longer exists.
    package static let gone = Problem(
        .cursorGone,
        "The data of this cursor's page is no longer available. Start again without 'after', or page through a snapshot.",
        parameter: "after")

    /// The length in bytes up to which a value is written as it is, and that of all values together beyond which only
    /// short ones are.
    private static let longest = 256
    private static let longestOfAll = 512
    private static let short = 32

    /// A value of the last object of a page.
    package enum Element {
        case value(Value?)
        /// A value that was too long for the cursor.
        case digest(String)
    }

    package static func encode(_ cursor: Cursor, of mark: Mark, class classID: ClassID, sort: [SortKey]) -> String {
        let json = JSONWriter(capacity: 128)
        json.beginArray()
        json.int(form)
        json.plainString(mark.description)
        json.int(classID.rawValue)
        json.int(fingerprint(sort))
        json.int(cursor.key.rawValue)
        json.beginArray()
        let begin = json.count
        for value in cursor.values {
            json.beginArray()
            if let value {
                let text = self.text(of: value)
                if text.count <= (json.count - begin > longestOfAll ? short : longest) {
                    write(value, into: json)
                } else {
                    json.plainString(digest(text))
                    json.bool(true)
                }
            }
            json.endArray()
        }
        json.endArray()
        json.endArray()
        return Base64.url.encode(json.bytes)
    }

    /// Throws 400 for text that `encode` did not create for this class and these sort keys.
    ///
    /// - Parameter check: see `parts`.
    package static func decode(
        _ text: String, class classID: ClassID, sort: [SortKey], check: (Mark) throws -> Void
    ) throws -> (key: ObjectKey, values: [Element], mark: Mark) {
        let (form, mark, parts) = try self.parts(of: text, check: check)
        guard form == self.form else { throw form == OffsetCursor.form ? mismatch : damaged }
        guard parts.count == 4, case .int(let owner) = parts[0], case .int(let print) = parts[1],
            case .int(let key) = parts[2], case .array(let values) = parts[3]
        else { throw damaged }
        guard owner == Int64(classID.rawValue), print == fingerprint(sort), values.count == sort.count else {
            throw mismatch
        }
        return (ObjectKey(key), try values.map(element), mark)
    }

    private static func element(_ json: JSONValue) throws -> Element {
        guard case .array(let box) = json else { throw damaged }
        switch (box.count, box.first) {
        case (0, _): return .value(nil)
        case (1, let content?):
            guard let value = self.value(content) else { throw damaged }
            return .value(value)
        case (2, .string(let digest)?) where box[1] == .bool(true): return .digest(digest)
        default: throw damaged
        }
    }

    /// Whether a value is the one that a cursor has a digest of.
    package static func isValue(_ value: Value?, of digest: String) -> Bool {
        value.map { self.digest(text(of: $0)) == digest } ?? false
    }

    private static func text(of value: Value) -> [UInt8] {
        let json = JSONWriter(capacity: 64)
        write(value, into: json)
        return json.bytes
    }

    private static func digest(_ text: [UInt8]) -> String {
        // 16 bytes make accidental collisions negligible, and a forged one gains nothing.
        Base64.url.encode(Array(SHA256.hash(text).prefix(16)))
    }

    /// Decodes the elements that follow those common to all cursors: the form, which tells the kind of cursor, and the
    /// mark of its page. Throws 400 for other text, and 410 for a cursor without a mark.
    ///
    /// - Parameter check: throws 410 for the mark of another history. It runs first, because in another history the
    ///   rest of the cursor has another meaning.
    package static func parts(
        of text: String, check: (Mark) throws -> Void
    ) throws -> (form: Int64, mark: Mark, parts: [JSONValue]) {
        guard let bytes = Base64.url.decode(text), let json = try? JSONValue.parse(bytes),
            case .array(let parts) = json, case .int(let form)? = parts.first
        else { throw damaged }
        if unmarkedForms.contains(form), parts.count == 5 || parts.count == 4 { throw gone }
        guard parts.count > 1, case .string(let text) = parts[1], let mark = Mark(text) else { throw damaged }
        try check(mark)
        return (form, mark, Array(parts.dropFirst(2)))
    }

    /// Returns the mark of a cursor's page; nil for text that does not begin as a cursor does. Decodes no more than the
    /// beginning: the rest is decoded once, when the page is read.
    package static func mark(of text: String) -> Mark? {
        let beginning = String(decoding: text.utf8.prefix(beginningLength), as: UTF8.self)
        let parts = Base64.url.decode(beginning)?.split(
            separator: UInt8(ascii: "\""), maxSplits: 2, omittingEmptySubsequences: false)
        guard let parts, parts.count == 3, parts[0].first == UInt8(ascii: "["), parts[0].last == UInt8(ascii: ",")
        else { return nil }
        return Mark(String(decoding: parts[1], as: UTF8.self))
    }

    /// The characters in which a form of up to 20 digits and the longest mark end: four of them are three bytes.
    private static let beginningLength = 84

    /// Values are written with their types, so that reading them needs no schema: a key path may end in a collection or
    /// a mixed value. Collections of one kind are equal in the sort order, so they are written empty; links are written
    /// with the number of their class.
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
        case .link(.typed(let name, .int(let key), _))?:
            return UInt32(name).map { .reference(ObjectReference(ClassID($0), ObjectKey(key))) }
        default: return nil
        }
    }

    /// Identifies a sort by the numbers of its classes and properties.
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
                case .rowSecurity: break
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
