import Identity
import PostgresLog
import StoreContract

/// The API keys that all gateways of a realm share: a record of its log.
struct SharedKeys: KeyDocument {
    private let record: WatchedRecord

    /// The name of the record.
    private static let recordName = "keys"

    /// Connects. Throws as `StoreAddress.open` does.
    init(_ log: PostgresLog) throws { record = try WatchedRecord(Self.recordName, of: log) }

    var name: String { "The record of keys in PostgreSQL" }

    /// The revision; a change by another gateway is seen within a second.
    var stamp: [Int64] { record.latest.map { [$0.revision] } ?? [] }

    func read() -> [UInt8]? { record.latest?.body }

    func update(_ change: ([UInt8]?) throws(IdentityError) -> [UInt8]) throws(IdentityError) {
        do {
            try record.update(change)
        } catch let error as IdentityError {
            throw error
        } catch let error as StoreError {
            throw IdentityError(error.message)
        } catch {
            throw IdentityError("\(error)")
        }
    }
}
