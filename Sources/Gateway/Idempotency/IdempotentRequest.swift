import Crypto
import HTTPServer
import Identity
import JSONCoding
import ObjectModel
import StoreContract

/// A write that a client may send again under the same `Idempotency-Key`: the answer is kept in the commit that did it.
struct IdempotentRequest: Sendable {
    /// Of the caller and the key.
    private let recordKey: [UInt8]
    /// Of everything that the answer depends on.
    private let fingerprint: [UInt8]

    /// Nil for a request without a key. Throws 400 for what can be none.
    init?(_ request: Request, _ caller: Caller) throws(Problem) {
        guard let key = request.header("Idempotency-Key") else { return nil }
        guard 1...255 ~= key.utf8.count, key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Problem(
                400, "idempotency.invalid_key",
                "Idempotency-Key takes 1 to 255 visible ASCII characters without blanks, such as a UUID.",
                parameter: "Idempotency-Key")
        }
        var scope = SHA256()
        scope.take("\(caller.principal.credential)")
        scope.take(caller.subscriber ?? "")
        scope.take(key)
        recordKey = Array("idempotency:".utf8) + Array(scope.finalize())
        var content = SHA256()
        content.take("\(request.method)")
        content.take(request.target)
        for name in ["Content-Type", "If-Match", "If-None-Match"] { content.take(request.header(name) ?? "") }
        content.update(data: request.body)
        fingerprint = Array(content.finalize())
    }

    /// Throws `Replay` when it was done before, and 422 when another request was done under the same key.
    func checkNew(in transaction: any WriteTransaction, at time: Timestamp) throws {
        guard let record = try transaction.keptRecord(recordKey, at: time) else { return }
        guard record.starts(with: fingerprint) else {
            throw Problem(
                422, "idempotency.mismatch",
                "This Idempotency-Key was used for another request. Take a new one for each request, and the same one only to send it again.",
                parameter: "Idempotency-Key")
        }
        guard let response = Response(kept: record.dropFirst(fingerprint.count)) else { throw Problem.internalError }
        throw Replay(response: response)
    }

    /// Keeps the answer, to be given again.
    func keep(_ response: Response, in transaction: any WriteTransaction, from time: Timestamp, for seconds: Int) throws
    {
        try transaction.keep(
            fingerprint + response.kept, under: recordKey,
            until: Timestamp(seconds: time.seconds + Int64(clamping: seconds)), at: time)
    }

    /// What ends the work of a request that was done before; nothing of it is kept.
    struct Replay: Error {
        private let kept: Response

        init(response: Response) { kept = response }

        var response: Response {
            var response = kept
            response.headers["Idempotency-Replayed"] = "true"
            return response
        }
    }
}

extension SHA256 {
    /// Takes a text in so that no two sequences of texts are the same.
    fileprivate mutating func take(_ text: String) {
        withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { update(bufferPointer: $0) }
        update(data: Array(text.utf8))
    }
}

extension Response {
    /// The answer as bytes: a head in JSON, a line feed, the body.
    fileprivate var kept: [UInt8] {
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
        head.endObject()
        return head.bytes + [UInt8(ascii: "\n")] + bodyBytes
    }

    fileprivate init?(kept bytes: ArraySlice<UInt8>) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")), let head = try? JSONValue.parse(bytes[..<end]),
            case .int(let status)? = head["status"], case .array(let fields)? = head["headers"]
        else { return nil }
        let body = bytes[(end + 1)...]
        self.init(status: Int(status), body: body.isEmpty ? .empty : .bytes(Array(body)))
        for index in stride(from: 0, to: fields.count - 1, by: 2) {
            guard case .string(let name) = fields[index], case .string(let value) = fields[index + 1] else {
                return nil
            }
            headers.add(name, value)
        }
    }
}
