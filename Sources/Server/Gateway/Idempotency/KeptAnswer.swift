import HTTPServer
import JSONCoding
import ObjectModel
import StoreContract

/// The answer to a write as it is kept, to be given again.
///
/// A small answer is kept as it is. Of a large one the objects are left out: which ones stood where is kept, and they are
/// read again when the answer is given again, so that many small writes to a large object keep little. What was written
/// since shows then, what is gone is null, and the tag is left out when anything is different.
///
/// The form: a head in JSON, a line feed, the rest of the body.
struct KeptAnswer {
    private let status: Int
    private let headers: HeaderFields
    /// Without the rows.
    private let text: ArraySlice<UInt8>
    private let rows: [Row]
    /// Of the whole body as it was; nil when it is all here.
    private let print: String?

    private struct Row {
        /// Where in `text`.
        let offset: Int
        let object: ObjectReference
        let style: TypeStyle
    }

    /// What a read of an object throws that the caller does not see, or no longer.
    private static let absences: Set<StoreError.Code> = [.notFound, .unknownClass, .accessDenied]

    /// Bytes of the smallest object that is left out.
    private static let smallestRow = 128

    /// - Parameter verbatim: bytes of the largest body that is kept as it is.
    init(_ response: Response, _ written: [AnswerRows.Row], verbatim: Int) {
        let body = response.bodyBytes
        status = response.status
        headers = response.headers
        guard body.count > verbatim, !written.isEmpty else {
            (text, rows, print) = (body[...], [], nil)
            return
        }
        var rest: [UInt8] = []
        var left: [Row] = []
        var end = 0
        for row in written where row.range.count >= Self.smallestRow {
            guard row.range.lowerBound >= end, row.range.upperBound <= body.count else { continue }
            let start = row.range.lowerBound + (body[row.range.lowerBound] == UInt8(ascii: ",") ? 1 : 0)
            rest += body[end..<start]
            left.append(Row(offset: rest.count, object: row.object, style: row.style))
            end = row.range.upperBound
        }
        rest += body[end...]
        (text, rows) = (rest[...], left)
        print = body.withUnsafeBufferPointer { Fingerprint.text(of: $0) }
    }

    var bytes: [UInt8] {
        let head = JSONWriter(capacity: 256)
        head.beginObject()
        head.name("status")
        head.int(status)
        head.name("headers")
        head.beginArray()
        for field in headers {
            head.string(field.name)
            head.string(field.value)
        }
        head.endArray()
        if let print {
            head.name("print")
            head.string(print)
            head.name("rows")
            head.beginArray()
            for row in rows {
                head.int(row.offset)
                head.int(row.object.classID.rawValue)
                head.int(row.object.key.rawValue)
                head.string(row.style.rawValue)
            }
            head.endArray()
        }
        head.endObject()
        return head.bytes + [UInt8(ascii: "\n")] + text
    }

    /// Nil for bytes that are none.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")), let head = try? JSONValue.parse(bytes[..<end]),
            case .int(let status)? = head["status"], case .array(let fields)? = head["headers"]
        else { return nil }
        self.status = Int(status)
        text = bytes[(end + 1)...]
        var found = HeaderFields()
        for index in stride(from: 0, to: fields.count - 1, by: 2) {
            guard case .string(let name) = fields[index], case .string(let value) = fields[index + 1] else {
                return nil
            }
            found.add(name, value)
        }
        headers = found
        guard case .string(let print)? = head["print"], case .array(let numbers)? = head["rows"] else {
            (self.print, rows) = (nil, [])
            return
        }
        self.print = print
        var left: [Row] = []
        for index in stride(from: 0, to: numbers.count - 3, by: 4) {
            guard case .int(let offset) = numbers[index], case .int(let number) = numbers[index + 1],
                let classID = UInt32(exactly: number), case .int(let key) = numbers[index + 2],
                case .string(let name) = numbers[index + 3], let style = TypeStyle(rawValue: name),
                0...text.count ~= Int(offset)
            else { return nil }
            left.append(
                Row(
                    offset: Int(offset),
                    object: ObjectReference(ClassID(rawValue: classID), ObjectKey(rawValue: key)), style: style))
        }
        rows = left
    }

    /// The answer, with the objects as they are now.
    func response(in transaction: any WriteTransaction) throws -> Response {
        var response = Response(status: status, headers: headers)
        guard let print else {
            response.body = text.isEmpty ? .empty : .bytes(Array(text))
            return response
        }
        let row = JSONWriter(capacity: 4096)
        var body: [UInt8] = []
        var start = text.startIndex
        for place in rows {
            let end = text.startIndex + place.offset
            guard end >= start else { throw Problem.internalError }
            body += text[start..<end]
            start = end
            row.removeAll()
            do {
                guard let objectClass = transaction.schema[place.object.classID] else {
                    throw StoreError.unknownClass(place.object.classID)
                }
                try RowPlan(objectClass, of: transaction.schema, style: place.style)
                    .write(place.object.key, of: transaction, into: row)
                body += row.bytes
            } catch let error as StoreError where Self.absences.contains(error.code) {
                body += "null".utf8
            }
        }
        body += text[start...]
        if body.withUnsafeBufferPointer({ Fingerprint.text(of: $0) }) != print { response.headers["ETag"] = nil }
        response.body = .bytes(body)
        return response
    }
}
