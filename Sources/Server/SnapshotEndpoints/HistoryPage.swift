import Basics
import Cryptography
import JSONCoding
import ObjectModel
import RequestParameters
import StoreContract
import WriteRequests

/// A part of the history of an object, newest first.
struct HistoryPage {
    /// As JSON.
    var changes: [JSONWriter] = []
    /// The oldest version that was read; nil when there are no older ones.
    var last: Mark?
    /// Why there are no older versions; nil when there are.
    var end: WalkEnd?

    /// - Parameter object: see `HistoryCursor.fingerprint`.
    func document(at version: Version, of object: Int64) -> JSONWriter {
        let json = JSONWriter(capacity: changes.reduce(128) { $0 + $1.count + 1 })
        json.beginObject()
        json.name("version")
        json.int(version.rawValue)
        json.name("items")
        json.beginArray()
        for change in changes { json.json(change) }
        json.endArray()
        if let last {
            json.name("next")
            json.plainString(HistoryCursor(last).encoded(for: object))
        }
        if let end {
            json.name("begins")
            json.beginObject()
            json.name("version")
            json.int(end.version.rawValue)
            json.name("reason")
            json.plainString(end.reason.rawValue)
            json.endObject()
        }
        json.endObject()
        return json
    }
}

/// A position in the history of an object: the oldest version that the pages so far have read.
///
/// As text: base64url of `[form, mark, fingerprint]`.
struct HistoryCursor: Hashable, Sendable {
    let mark: Mark

    private static let form: Int64 = 6

    init(_ mark: Mark) { self.mark = mark }

    /// - Parameter object: see `fingerprint`.
    func encoded(for object: Int64) -> String {
        let json = JSONWriter(capacity: 64)
        json.beginArray()
        json.int(Self.form)
        json.plainString(mark.description)
        json.int(object)
        json.endArray()
        return Base64.url.encode(json.bytes)
    }

    /// Throws 400 for text that `encoded` did not create for this object.
    ///
    /// - Parameter check: see `CursorCoding.parts`.
    init(_ text: String, for object: Int64, check: (Mark) throws -> Void) throws {
        let (form, mark, parts) = try CursorCoding.parts(of: text, check: check)
        guard form == Self.form else { throw CursorCoding.mismatch }
        guard parts.count == 1, case .int(let print) = parts[0] else { throw CursorCoding.damaged }
        guard print == object else { throw CursorCoding.mismatch }
        self.init(mark)
    }

    /// Identifies an object by its class and key.
    static func fingerprint(_ object: AddressedObject) -> Int64 {
        let json = JSONWriter(capacity: 64)
        json.beginArray()
        json.int(object.objectClass.id.rawValue)
        switch object.address {
        case .primaryKey(let value): json.value(value)
        case .objectKey(let key): json.int(key.rawValue)
        }
        json.endArray()
        return Int64(bitPattern: json.withBytes { Fingerprint.of($0) })
    }
}
