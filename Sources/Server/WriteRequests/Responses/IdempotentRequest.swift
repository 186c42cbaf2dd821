import Cryptography
import HTTPProblems
import HTTPMessages
package import HTTPServer
package import ObjectCoding
package import ObjectModel
package import StoreContract
import WireProtocol

/// A write that a client may repeat with the same `Idempotency-Key`: its response is stored in the same commit.
package struct IdempotentRequest: Sendable {
    /// The key of the record, from the caller and the request's key.
    private let recordKey: [UInt8]
    /// The fingerprint of everything that the response depends on.
    private let fingerprint: [UInt8]

    /// Nil for a request without a key. Throws 400 for an invalid key.
    package init?(_ request: Request, of caller: [String]) throws(Problem) {
        guard let key = request.header(HeaderName.idempotencyKey) else { return nil }
        guard 1...255 ~= key.utf8.count, key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Problem(
                .idempotencyInvalidKey,
                "Idempotency-Key must be 1 to 255 visible ASCII characters without blanks, such as a UUID.",
                parameter: HeaderName.idempotencyKey)
        }
        var scope = SHA256()
        for name in caller { scope.hash(name) }
        scope.hash(key)
        recordKey = Array("idempotency:".utf8) + scope.finalize()
        var content = SHA256()
        content.hash("\(request.method)")
        content.hash(request.target)
        for name in ["Content-Type", "If-Match", "If-None-Match"] { content.hash(request.header(name) ?? "") }
        content.update(request.body)
        fingerprint = content.finalize()
    }

    /// Throws `Replay` if the request was done before, and 422 if another request was done with the same key.
    package func checkNew(in transaction: any WriteTransaction, at time: Timestamp) throws {
        guard let record = try transaction.sideRecord(recordKey, at: time) else { return }
        guard record.starts(with: fingerprint) else {
            throw Problem(
                .idempotencyMismatch,
                "This Idempotency-Key was used for another request. Use a new key for each request, and the same one only to repeat it.",
                parameter: HeaderName.idempotencyKey)
        }
        guard let stored = StoredResponse(record.dropFirst(fingerprint.count)) else { throw Problem.internalError }
        throw Replay(stored: stored)
    }

    /// Stores the response for repetitions. Returns the number of bytes that this takes.
    package func keep(
        _ response: StoredResponse, in transaction: any WriteTransaction, from time: Timestamp, for seconds: Int
    ) throws -> Int {
        let record = fingerprint + response.bytes
        try transaction.keep(
            record, under: recordKey, until: Timestamp(seconds: time.seconds + Int64(clamping: seconds)), at: time)
        return record.count + Repetitions.overhead
    }

    /// Ends the write of a request that was done before; nothing is committed.
    package struct Replay: Error {
        package let response: WriteResponse

        init(stored: StoredResponse) {
            var response = stored.response
            response.headers[HeaderName.idempotencyReplayed] = "true"
            self.response = response
        }
    }
}

extension SHA256 {
    /// Hashes a string with its length, so that different sequences of strings give different hashes.
    fileprivate mutating func hash(_ text: String) {
        withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { update($0) }
        update(Array(text.utf8))
    }
}
