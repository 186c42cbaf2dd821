import JSONCoding
import ObjectModel
import StoreContract

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
