package import HTTPServer
package import ObjectCoding
package import ObjectModel
package import Synchronization
import WireProtocol

/// Counts the bytes stored for the `Idempotency-Key`s of each caller. Only this process's records count: after a
/// restart the count begins at zero, and earlier records expire as usual.
package final class Repetitions: Sendable {
    private struct Account {
        var bytes = 0
        /// The bytes by expiry time, in order.
        var parts: [(expiry: Int64, bytes: Int)] = []

        mutating func expire(at now: Int64) {
            let over = parts.prefix { $0.expiry <= now }
            bytes -= over.reduce(0) { $0 + $1.bytes }
            parts.removeFirst(over.count)
        }
    }

    private let accounts = Mutex<[LimitKey: Account]>([:])
    /// Writes rejected because their caller had too many bytes stored.
    package let limited = Atomic(0)

    /// The bytes for the key and the record in the store.
    static let overhead = 128
    /// The number of time slots in which a caller's records are counted.
    private static let parts: Int64 = 256

    package init() {}

    /// Throws 429 if the caller has reached the limit of stored bytes.
    package func check(_ caller: LimitKey, most: Int?, at time: Timestamp) throws(Problem) {
        guard let most else { return }
        let next = accounts.withLock { accounts -> Int64? in
            guard var account = accounts[caller] else { return nil }
            account.expire(at: time.seconds)
            accounts[caller] = account.parts.isEmpty ? nil : account
            return account.bytes >= most ? account.parts.first?.expiry : nil
        }
        guard let next else { return }
        limited.add(1, ordering: .relaxed)
        var problem = Problem(
            .idempotencyLimited,
            "The stored responses to your requests with an Idempotency-Key have reached the limit of \(most) bytes (idempotency.bytesPerCaller). Omit the key, or wait until some of them expire.",
            parameter: HeaderName.idempotencyKey)
        problem.retryAfter = Int(clamping: max(next - time.seconds, 1))
        throw problem
    }

    /// Returns the bytes stored for a caller by this process.
    package func bytes(of caller: LimitKey) -> Int { accounts.withLock { $0[caller]?.bytes ?? 0 } }

    /// Adds stored bytes.
    package func add(_ bytes: Int, of caller: LimitKey, at time: Timestamp, for seconds: Int) {
        let grain = max(Int64(seconds) / Self.parts, 1)
        let expiry = (time.seconds + Int64(seconds) + grain) / grain * grain
        accounts.withLock { accounts in
            var account = accounts[caller] ?? Account()
            account.expire(at: time.seconds)
            account.bytes += bytes
            if let last = account.parts.last, last.expiry >= expiry {
                account.parts[account.parts.count - 1].bytes += bytes
            } else {
                account.parts.append((expiry, bytes))
            }
            accounts[caller] = account
            guard accounts.count > 10_000 else { return }
            accounts = accounts.filter { ($0.value.parts.last?.expiry ?? 0) > time.seconds }
        }
    }
}
