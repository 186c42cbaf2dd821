import ObjectModel
import StoreContract

/// An append as it is sent, the same each time: its tag and its condition make a repetition harmless.
struct PreparedAppend {
    let realm: Int64
    let newest: LogPosition
    let calls: [StatementCall]
    /// The rows of the entries.
    let partCount: Int

    /// The most bytes of a row of the log.
    static let partSize = 256 * 1024

    init(realm: Int64, _ bodies: [[UInt8]], after position: LogPosition, tag: HistoryTag) {
        self.realm = realm
        newest = LogPosition(Version(position.version.rawValue + UInt64(bodies.count)), tag)
        var versions: [Int64] = []
        var parts: [Int32] = []
        var counts: [Int32] = []
        var rows: [[UInt8]] = []
        for (index, body) in bodies.enumerated() {
            let version = Version(position.version.rawValue + UInt64(index) + 1)
            let pieces = LogBody.parts(LogBody.encode(body), ofAtMost: Self.partSize)
            for (part, piece) in pieces.enumerated() {
                versions.append(version.column)
                parts.append(Int32(part))
                counts.append(Int32(pieces.count))
                rows.append(piece)
            }
        }
        partCount = rows.count
        calls = [
            StatementCall(
                .advance, .int64(realm), .int64(position.version.column), .int64(position.tag.column),
                .int64(newest.version.column), .int64(tag.column)),
            StatementCall(
                .insertEntries, .int64(realm), .int64(newest.version.column), .int64(tag.column),
                .int64Array(versions), .int32Array(parts), .int32Array(counts), .bytesArray(rows)),
        ]
    }
}
