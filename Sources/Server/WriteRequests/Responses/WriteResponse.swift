import AccessRules
package import HTTPMessages
import HTTPServer
package import JSONCoding
import ObjectCoding
package import ObjectModel
package import StoreContract

/// The response to a write before it is encoded: a text, and references to objects in it, which are written in their
/// state after the write.
///
/// A short response is written within the write transaction. A longer one is written after the commit, from the version
/// that it created, on another thread and while it is sent: other writers do not wait for it, and it is never in memory
/// as a whole. A committed write never fails because its response is long.
package struct WriteResponse: Sendable {
    /// Objects in place of a `null` in the text, separated by commas.
    struct Rows: Sendable {
        enum Form: String, Sendable {
            /// The whole object, as a read returns it.
            case whole
            /// The value of the primary key, or the object key.
            case key
        }

        /// The position of the `null` in the text.
        let offset: Int
        let classID: ClassID
        let keys: [ObjectKey]
        let style: TypeStyle
        let form: Form
    }

    var status: Int
    package var headers: HeaderFields
    /// JSON with a `null` for each of `rows`.
    let text: [UInt8]
    /// The objects, by position.
    let rows: [Rows]
    /// The object whose tag the response has.
    package var tagged: ObjectReference?

    /// The maximum number of bytes that are written within the write transaction; responses of this size need no
    /// reservation of memory.
    static let maximumInTransaction = 16 << 10

    package init(
        status: Int = 200, _ text: ResponseText, tagged: ObjectReference? = nil
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

    /// A response without objects.
    package init(_ response: Response) {
        self.init(
            status: response.status, headers: response.headers, text: response.bodyBytes, rows: [], tagged: nil)
    }

    /// Whether the text is complete.
    package var isReady: Bool { rows.isEmpty && tagged == nil }

    /// The text alone.
    package var plainResponse: Response {
        Response(status: status, headers: headers, body: text.isEmpty ? .empty : .bytes(text))
    }

    /// Returns the response with the transaction's state of the objects; nil if that exceeds `maximumInTransaction` bytes.
    package func response(in transaction: any WriteTransaction) throws -> Response? {
        guard !isReady else { return plainResponse }
        guard rows.reduce(text.count, { $0 + $1.keys.count * 2 }) <= Self.maximumInTransaction else { return nil }
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
                let rest = Self.maximumInTransaction - body.count
                let isDone: Bool
                do {
                    isDone =
                        switch rows.form {
                        case .whole: try plan.write(key, objectClass, of: transaction, into: json, most: rest)
                        case .key: try plan.write(keyOf: key, objectClass, of: transaction, into: json, most: rest)
                        }
                } catch let error as StoreError where error.code == .notFound {
                    // A later part of the same write deleted it.
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
            guard try plan.write(tagged.key, objectClass, of: transaction, into: json, most: Self.maximumInTransaction)
            else {
                return nil
            }
            tag = EntityTag(row: json, of: transaction.mark)
        }
        var response = Response(status: status, headers: headers, body: .bytes(body))
        if let tag { response.headers["ETag"] = tag.header }
        return response
    }

    /// Returns the response with a state's objects, written while it is sent.
    ///
    /// - Parameters:
    ///   - answerBytes: the size after which objects are written as their keys only; the first is always whole.
    ///   - earlier: the state that the tag must be of, if it is another one: the tag of an object that differs now is
    ///     omitted.
    package func response(
        from state: any ObjectReads, answerBytes: Int, unlessChangedSince earlier: (any ObjectReads)? = nil
    ) -> Response {
        var response = plainResponse
        if let tagged {
            let tag = try? EntityTag(tagged, state, of: state.mark)
            let isOfThen = earlier.map { (try? EntityTag(tagged, $0, of: $0.mark)) == tag } ?? true
            response.headers["ETag"] = isOfThen ? tag?.header : nil
        }
        if !rows.isEmpty { response.body = .pieces(WrittenRows(self, state, answerBytes: answerBytes)) }
        return response
    }
}

/// The text of a response while it is written, with the positions of objects.
package final class ResponseText {
    package let json: JSONWriter
    private(set) var rows: [WriteResponse.Rows] = []

    /// The maximum length of a key in the text; a longer one is written after the commit.
    private static let maximumKeyLength = 256

    package init(capacity: Int = 128) { json = JSONWriter(capacity: capacity) }

    /// Adds objects, as the elements of an array that has begun or as one value.
    package func objects(_ keys: [ObjectKey], of classID: ClassID, _ style: TypeStyle = .plain) {
        guard !keys.isEmpty else { return }
        addRows(keys, of: classID, style, .whole)
    }

    /// Adds the identity of an object: the value of its primary key, or its key.
    ///
    /// - Parameter isGiven: whether the request contains it as often as the response; other keys may occur once there
    ///   and often here.
    func key(of object: ObjectReference, _ primaryKey: Value?, isGiven: Bool) {
        guard let primaryKey else { return json.int(object.key.rawValue) }
        if !isGiven, case .string(let text) = primaryKey, text.utf8.count > Self.maximumKeyLength {
            return addRows([object.key], of: object.classID, .plain, .key)
        }
        json.value(primaryKey)
    }

    private func addRows(_ keys: [ObjectKey], of classID: ClassID, _ style: TypeStyle, _ form: WriteResponse.Rows.Form)
    {
        json.null()
        rows.append(
            WriteResponse.Rows(offset: json.count - 4, classID: classID, keys: keys, style: style, form: form))
    }
}

extension RowPlan {
    /// Writes one object from a transaction. Returns false, with a part of it written, if it exceeds the number of
    /// bytes; values known to be longer are not read.
    fileprivate func write(
        _ key: ObjectKey, _ objectClass: ClassSchema, of transaction: any WriteTransaction, into json: JSONWriter,
        most: Int
    ) throws -> Bool {
        let look = LinkResolver(transaction, responseLimit: most)
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
            guard json.count + value.minimumBytes <= most else { return false }
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
        guard value.minimumBytes <= most else { return false }
        json.value(value, style)
        return json.count <= most
    }
}

extension LinkResolver {
    /// Whether the output exceeds the limit.
    fileprivate var isTooLong: Bool { (fault as? Problem)?.isOfOneObject == true }
}

extension Value {
    /// The minimum size of its JSON in bytes.
    fileprivate var minimumBytes: Int {
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
