import Basics
import Cryptography
import JSONCoding
import StoreContract

/// The record of a log that all gateways have of a subscription set: `set OWNER NAME`.
struct SetRecord: Sendable {
    let records: any RecordStore
    /// The name of this gateway among those that hold streams; another one after each start.
    let gateway: String
    let name: String

    /// With what the names of all sets begin.
    static let prefix = "set "
    /// Names must fit into an index.
    private static let maximumLength = 400

    init(of id: SubscriptionSetID, in records: any RecordStore, gateway: String) {
        self.records = records
        self.gateway = gateway
        name = Self.prefix(ofOwner: id.owner) + Self.escape(id.name)
    }

    /// With what the names of an owner's sets begin.
    static func prefix(ofOwner owner: String?) -> String {
        // An owner has a colon.
        guard let owner else { return prefix + "- " }
        let text = escape(owner)
        guard text.utf8.count > maximumLength else { return prefix + text + " " }
        var hash = SHA256()
        hash.update(Array(owner.utf8))
        return prefix + "sha256:" + Base64.url.encode(hash.finalize()) + " "
    }

    /// Leaves letters, digits and a few signs, and writes other bytes as in a URL.
    private static func escape(_ text: String) -> String {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: ":"), UInt8(ascii: "@"):
                escaped.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// The saved set and its revision; nil when there is none. Blocks. Throws the log's errors, and `logDamaged` for a
    /// record that no gateway writes.
    func load() throws -> (content: SetContent, revision: Int64)? {
        guard let record = try records.record(name) else { return nil }
        do {
            return (try SetContent(try JSONValue.parse(record.body)), record.revision)
        } catch {
            throw StoreError(
                .logDamaged,
                "The record '\(name)' in the log is not a subscription set. Delete its row, or use another set.")
        }
    }

    /// Saves the set if its record still has the revision that the caller knows. Blocks. Throws the log's errors.
    func store(_ content: SetContent, over revision: Int64?) throws -> Bool {
        let json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.name("format")
        json.int(1)
        content.write(into: json)
        json.endObject()
        return try records.store(json.bytes, as: name, over: revision)
    }
}
