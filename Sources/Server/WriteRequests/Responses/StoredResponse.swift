package import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel

/// The stored response to a write, for repetitions.
///
/// A small response is stored as it is. Of a large one the objects are omitted: references to them are stored, and a
/// repetition reads them again, so that many small writes to a large object store little. The repeated response shows
/// later changes, null for deleted objects, and no tag if the object has changed.
///
/// The form: a head in JSON, a line feed, the text.
package struct StoredResponse: Sendable {
    let response: WriteResponse

    /// - Parameters:
    ///   - response: the response with its objects, if it is small enough.
    ///   - verbatim: the maximum size in bytes of a body that is stored as it is.
    package init(_ response: WriteResponse, _ rendered: Response?, verbatim: Int) {
        guard let rendered, rendered.contentLength <= verbatim || response.isReady else {
            self.response = response
            return
        }
        self.response = WriteResponse(rendered)
    }

    var bytes: [UInt8] {
        let head = JSONWriter(capacity: 256)
        head.beginObject()
        head.name("status")
        head.int(response.status)
        head.name("headers")
        head.beginArray()
        for field in response.headers {
            head.string(field.name)
            head.string(field.value)
        }
        head.endArray()
        if !response.rows.isEmpty {
            head.name("places")
            head.beginArray()
            for rows in response.rows {
                head.beginArray()
                head.int(rows.offset)
                head.int(rows.classID.rawValue)
                head.string(rows.style.rawValue)
                head.string(rows.form.rawValue)
                for key in rows.keys { head.int(key.rawValue) }
                head.endArray()
            }
            head.endArray()
        }
        if let tagged = response.tagged {
            head.name("tagged")
            head.beginArray()
            head.int(tagged.classID.rawValue)
            head.int(tagged.key.rawValue)
            head.endArray()
        }
        head.endObject()
        return head.bytes + [UInt8(ascii: "\n")] + response.text
    }

    /// Nil for invalid bytes.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")), let head = try? JSONValue.parse(bytes[..<end]),
            case .int(let status)? = head["status"], case .array(let fields)? = head["headers"]
        else { return nil }
        var headers = HeaderFields()
        for index in stride(from: 0, to: fields.count - 1, by: 2) {
            guard case .string(let name) = fields[index], case .string(let value) = fields[index + 1] else {
                return nil
            }
            headers.add(name, value)
        }
        var text = Array(bytes[(end + 1)...])
        guard let rows = head["rows"].map({ Self.earlierRows($0, &text) }) ?? Self.rows(head["places"], text)
        else {
            return nil
        }
        var tagged: ObjectReference?
        if case .array(let numbers)? = head["tagged"], numbers.count == 2 {
            guard let object = Self.object(numbers[0], numbers[1]) else { return nil }
            tagged = object
        } else if headers["ETag"] != nil, rows.count == 1, let key = rows[0].keys.first {
            tagged = ObjectReference(rows[0].classID, key)
        }
        response = WriteResponse(status: Int(status), headers: headers, text: text, rows: rows, tagged: tagged)
    }

    private static func rows(_ value: JSONValue?, _ text: [UInt8]) -> [WriteResponse.Rows]? {
        guard let value else { return [] }
        guard case .array(let all) = value else { return nil }
        var rows: [WriteResponse.Rows] = []
        var least = 0
        for case .array(let one) in all {
            guard one.count > 4, case .int(let offset) = one[0], case .int(let number) = one[1],
                let classID = UInt32(exactly: number), case .string(let style) = one[2],
                let style = TypeStyle(rawValue: style), case .string(let form) = one[3],
                let form = WriteResponse.Rows.Form(rawValue: form), Int(offset) >= least, Int(offset) + 4 <= text.count
            else { return nil }
            let keys = one.dropFirst(4).compactMap { value in
                if case .int(let key) = value { ObjectKey(rawValue: key) } else { nil }
            }
            least = Int(offset) + 4
            rows.append(
                WriteResponse.Rows(
                    offset: Int(offset), classID: ClassID(rawValue: classID), keys: keys, style: style, form: form))
        }
        return rows
    }

    /// Reads records of earlier versions, which describe each omitted object by four numbers and words.
    private static func earlierRows(_ value: JSONValue, _ text: inout [UInt8]) -> [WriteResponse.Rows]? {
        guard case .array(let all) = value else { return nil }
        var rows: [WriteResponse.Rows] = []
        var whole: [UInt8] = []
        var start = 0
        for index in stride(from: 0, to: all.count - 3, by: 4) {
            guard case .int(let offset) = all[index], start...text.count ~= Int(offset),
                let object = object(all[index + 1], all[index + 2]), case .string(let style) = all[index + 3],
                let style = TypeStyle(rawValue: style)
            else { return nil }
            whole += text[start..<Int(offset)]
            start = Int(offset)
            rows.append(
                WriteResponse.Rows(
                    offset: whole.count, classID: object.classID, keys: [object.key], style: style, form: .whole))
            whole += "null".utf8
        }
        text = whole + text[start...]
        return rows
    }

    private static func object(_ classID: JSONValue, _ key: JSONValue) -> ObjectReference? {
        guard case .int(let number) = classID, let classID = UInt32(exactly: number), case .int(let key) = key else {
            return nil
        }
        return ObjectReference(ClassID(rawValue: classID), ObjectKey(rawValue: key))
    }
}
