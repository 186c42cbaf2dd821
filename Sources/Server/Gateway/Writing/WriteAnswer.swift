import AccessRules
import HTTPServer
import JSONCoding
import ObjectModel
import StoreContract

/// The answer to a write before it is bytes: a text, and objects in it, which are written as the write leaves them.
///
/// What is short is written within the writer's turn. Anything else is written after the commit, from the version that it
/// made, on another thread and while it is sent: other writers do not wait for it, and it is never in memory as a whole.
/// A write that was committed is never refused because its answer is long.
struct WriteAnswer: Sendable {
    /// Objects in place of a `null` in the text, with commas between them.
    struct Rows: Sendable {
        enum Form: String, Sendable {
            /// As a read gives them.
            case whole
            /// The value of the primary key, or the object's key.
            case key
        }

        /// Where in the text the `null` is.
        let offset: Int
        let classID: ClassID
        let keys: [ObjectKey]
        let style: TypeStyle
        let form: Form
    }

    var status: Int
    var headers: HeaderFields
    /// JSON, with a `null` for each of `rows`.
    let text: [UInt8]
    /// By their places.
    let rows: [Rows]
    /// The object whose tag the answer has.
    var tagged: ObjectReference?

    /// Most bytes that are written within the writer's turn; so many find room without being counted.
    static let mostInTurn = 16 << 10

    init(
        status: Int = 200, _ text: AnswerText, tagged: ObjectReference? = nil
    ) {
        let plain = Response.json(text.json.bytes, status: status)
        self.init(
            status: status, headers: plain.headers, text: plain.bodyBytes, rows: text.rows, tagged: tagged)
    }

    init(status: Int, headers: HeaderFields, text: [UInt8], rows: [Rows], tagged: ObjectReference?) {
        self.status = status
        self.headers = headers
        self.text = text
        self.rows = rows
        self.tagged = tagged
    }

    /// An answer without objects.
    init(_ response: Response) {
        self.init(
            status: response.status, headers: response.headers, text: response.bodyBytes, rows: [], tagged: nil)
    }

    /// Whether there is nothing to write into the text.
    var isReady: Bool { rows.isEmpty && tagged == nil }

    /// The text alone.
    var plainResponse: Response {
        Response(status: status, headers: headers, body: text.isEmpty ? .empty : .bytes(text))
    }

    /// The answer as the transaction has the objects; nil when that takes more than `mostInTurn` bytes.
    func response(in transaction: any WriteTransaction) throws -> Response? {
        guard !isReady else { return plainResponse }
        guard rows.reduce(text.count, { $0 + $1.keys.count * 2 }) <= Self.mostInTurn else { return nil }
        var body: [UInt8] = []
        var start = 0
        var tag: EntityTag?
        let json = JSONWriter(capacity: 512)
        let schema = BoundAccess.readableSchema(of: transaction)
        for rows in rows {
            body += text[start..<rows.offset]
            start = rows.offset + 4
            guard let objectClass = schema[rows.classID] else {
                throw StoreError.unknownClass(rows.classID)
            }
            let plan = RowPlan(objectClass, of: schema, style: rows.style)
            for (index, key) in rows.keys.enumerated() {
                if index > 0 { body.append(UInt8(ascii: ",")) }
                json.removeAll()
                let rest = Self.mostInTurn - body.count
                let isDone: Bool
                do {
                    isDone =
                        switch rows.form {
                        case .whole: try plan.write(key, objectClass, of: transaction, into: json, most: rest)
                        case .key: try plan.write(keyOf: key, objectClass, of: transaction, into: json, most: rest)
                        }
                } catch let error as StoreError where error.code == .notFound {
                    // A later part of the same work deleted it.
                    json.removeAll()
                    json.null()
                    isDone = true
                }
                guard isDone else { return nil }
                json.withBytes { body += $0 }
                if tagged == ObjectReference(rows.classID, key), rows.style == .plain, rows.form == .whole {
                    tag = EntityTag(row: json, of: transaction.mark)
                }
            }
        }
        body += text[start...]
        if let tagged, tag == nil {
            guard let objectClass = schema[tagged.classID] else {
                throw StoreError.unknownClass(tagged.classID)
            }
            json.removeAll()
            let plan = RowPlan(objectClass, of: schema)
            guard try plan.write(tagged.key, objectClass, of: transaction, into: json, most: Self.mostInTurn) else {
                return nil
            }
            tag = EntityTag(row: json, of: transaction.mark)
        }
        var response = Response(status: status, headers: headers, body: .bytes(body))
        if let tag { response.headers["ETag"] = tag.header }
        return response
    }

    /// The answer with the objects as a state has them, written while it is sent.
    ///
    /// - Parameters:
    ///   - answerBytes: what has been written when objects begin to come as their keys alone; the first is whole.
    ///   - earlier: the state that the tag has to be of, if that is another one: a tag of what is different now is left
    ///     out.
    func response(
        from state: any ObjectReads, answerBytes: Int, unlessChangedSince earlier: (any ObjectReads)? = nil
    ) -> Response {
        var response = plainResponse
        if let tagged {
            let tag = try? EntityTag(tagged, state)
            let isOfThen = earlier.map { (try? EntityTag(tagged, $0)) == tag } ?? true
            response.headers["ETag"] = isOfThen ? tag?.header : nil
        }
        if !rows.isEmpty { response.body = .pieces(WrittenRows(self, state, answerBytes: answerBytes)) }
        return response
    }
}

/// The text of an answer while it is written, and where in it objects belong.
final class AnswerText {
    let json: JSONWriter
    private(set) var rows: [WriteAnswer.Rows] = []

    /// A key of so many bytes is text; a longer one is written after the commit.
    private static let longestKey = 256

    init(capacity: Int = 128) { json = JSONWriter(capacity: capacity) }

    /// Objects, as the elements of an array that has begun or as one value.
    func objects(_ keys: [ObjectKey], of classID: ClassID, _ style: TypeStyle = .plain) {
        guard !keys.isEmpty else { return }
        place(keys, of: classID, style, .whole)
    }

    /// What identifies an object: the value of its primary key, or its key.
    ///
    /// - Parameter isGiven: whether it is in the request as often as here; others may be there once and stand here often.
    func key(of object: ObjectReference, _ primaryKey: Value?, isGiven: Bool) {
        guard let primaryKey else { return json.int(object.key.rawValue) }
        if !isGiven, case .string(let text) = primaryKey, text.utf8.count > Self.longestKey {
            return place([object.key], of: object.classID, .plain, .key)
        }
        json.value(primaryKey)
    }

    private func place(_ keys: [ObjectKey], of classID: ClassID, _ style: TypeStyle, _ form: WriteAnswer.Rows.Form) {
        json.null()
        rows.append(
            WriteAnswer.Rows(offset: json.count - 4, classID: classID, keys: keys, style: style, form: form))
    }
}

extension EntityTag {
    /// The tag of an object in a state.
    fileprivate init(_ object: ObjectReference, _ state: any ObjectReads) throws {
        guard let objectClass = state.schema[object.classID] else { throw StoreError.unknownClass(object.classID) }
        let row = JSONWriter(capacity: 4096)
        let look = LinkResolver(reading: state)
        try look.object(object.key, RowPlan(objectClass, of: state.schema), row)
        if let fault = look.fault { throw fault }
        self.init(row: row, of: state.mark)
    }
}

extension RowPlan {
    /// Writes one object as a transaction has it. False, with a part of it written, when that takes more than so many bytes:
    /// what is known to be longer is not looked at.
    fileprivate func write(
        _ key: ObjectKey, _ objectClass: ClassSchema, of transaction: any WriteTransaction, into json: JSONWriter,
        most: Int
    ) throws -> Bool {
        let look = LinkResolver(.transaction(transaction), answerLimit: most)
        look.begin(json)
        var sink = RowWriter(self, json, look)
        sink.beginObject(key)
        for property in objectClass.storedProperties {
            if property.type.isCollection,
                try transaction.elementCount(objectClass.id, key, property.id) * 2 > most
            {
                return false
            }
            let value = try transaction.value(objectClass.id, key, property.id)
            guard json.count + value.leastBytes <= most else { return false }
            sink.value(value)
            look.check(json)
            if look.isTooLong { return false }
        }
        sink.endObject()
        look.check(json)
        if look.isTooLong { return false }
        if let fault = look.fault { throw fault }
        return true
    }

    fileprivate func write(
        keyOf key: ObjectKey, _ objectClass: ClassSchema, of transaction: any WriteTransaction,
        into json: JSONWriter, most: Int
    ) throws -> Bool {
        guard let property = objectClass.primaryKeyProperty else {
            json.int(key.rawValue)
            return true
        }
        let value = try transaction.value(objectClass.id, key, property.id)
        guard value.leastBytes <= most else { return false }
        json.value(value, style)
        return json.count <= most
    }
}

extension LinkResolver {
    /// Whether what is written is more than it may be.
    fileprivate var isTooLong: Bool { (fault as? Problem)?.isOfOneObject == true }
}

extension Value {
    /// Bytes that it takes as JSON at the least.
    fileprivate var leastBytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        case .list(let elements): elements.count * 2
        case .set(let elements): elements.count * 2
        case .dictionary(let map): map.count * 5
        default: 1
        }
    }
}
