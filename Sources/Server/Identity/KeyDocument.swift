import JSONCoding

/// Where the API keys are kept: one document, which several processes may change.
package protocol KeyDocument: Sendable {
    /// The name that errors give it.
    var name: String { get }

    /// Differs after each change; empty while there is no document. Called on event loops: must not wait.
    var stamp: [Int64] { get }

    /// Nil if there is no document.
    func read() throws(IdentityError) -> [UInt8]?

    /// Replaces the document by what `change` makes of the present one, with no other change in between. May call
    /// `change` several times; the last call counts. Blocks.
    func update(_ change: ([UInt8]?) throws(IdentityError) -> [UInt8]) throws(IdentityError)
}

/// The content of the document: `{"format": 1, "keys": [{"id", "name", "roles", "claims", "readOnly", "created",
/// "sha256", …}]}`.
enum KeyList {
    /// Returns no keys for no document.
    static func decode(_ bytes: [UInt8]?, _ name: String) throws(IdentityError) -> [APIKey] {
        guard let bytes else { return [] }
        guard let json = try? JSONValue.parse(bytes), json["format"] == .int(1),
            case .array(let records)? = json["keys"]
        else { throw IdentityError("\(name) is damaged: it does not have the expected format.") }
        var keys: [APIKey] = []
        for (index, record) in records.enumerated() {
            guard let key = APIKey(record) else {
                throw IdentityError("\(name) is damaged at its key number \(index + 1).")
            }
            keys.append(key)
        }
        return keys
    }

    static func encode(_ keys: [APIKey]) -> [UInt8] {
        let json = JSONWriter(capacity: 4096)
        json.beginObject()
        json.name("format")
        json.int(1)
        json.name("keys")
        json.beginArray()
        for key in keys { key.write(into: json) }
        json.endArray()
        json.endObject()
        json.endLine()
        return json.bytes
    }
}
