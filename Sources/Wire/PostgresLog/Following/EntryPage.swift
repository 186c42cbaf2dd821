import ObjectModel
import StoreContract

/// Puts the rows of one answer together, and knows what is missing among them.
struct EntryPage {
    private let realm: RealmName
    private let isCut: Bool
    private var expected: Version
    private var entries: [LogEntry] = []
    private var fault: String?
    /// The entry whose parts are being read.
    private var open: (version: Version, tag: HistoryTag, parts: Int32, next: Int32, body: [UInt8])?
    private(set) var bytes = 0

    /// - Parameter isCut: whether the answer has as many rows as were asked for, so that there may be more.
    init(realm: RealmName, after version: Version, isCut: Bool) {
        self.realm = realm
        self.isCut = isCut
        expected = version.next
    }

    /// Adds a row of `readEntries`.
    mutating func add(_ rows: PostgresRows, _ row: Int) throws(PostgresError) {
        add(
            version: Version(column: try rows.int64(row, 3)), part: try rows.int32(row, 4),
            parts: try rows.int32(row, 5), tag: HistoryTag(column: try rows.int64(row, 6)),
            body: try rows.bytes(row, 7))
    }

    mutating func add(version: Version, part: Int32, parts: Int32, tag: HistoryTag, body: [UInt8]) {
        guard fault == nil else { return }
        bytes += body.count
        if open == nil {
            guard version == expected else {
                fault = "version \(expected) is missing."
                return
            }
            open = (version, tag, parts, 0, [])
        }
        guard var entry = open, entry.version == version, entry.next == part, entry.parts == parts, part < parts else {
            fault = "version \(expected) has not all its parts."
            return
        }
        guard entry.tag == tag else {
            fault = "the parts of version \(expected) have different tags."
            return
        }
        entry.next += 1
        entry.body += body
        guard entry.next == parts else {
            open = entry
            return
        }
        open = nil
        guard let body = LogBody.decode(entry.body) else {
            fault = "version \(expected) cannot be decompressed."
            return
        }
        entries.append(LogEntry(version: version, tag: tag, body: body))
        expected = version.next
    }

    /// The complete entries. A fault is reported when there are no entries before it, and else by the next call.
    ///
    /// - Parameter newest: the realm's newest position at the time of the reply.
    mutating func finish(_ newest: LogPosition) -> Result<[LogEntry], StoreError> {
        if fault == nil, !isCut {
            if open != nil {
                fault = "version \(expected) has not all its parts."
            } else if expected <= newest.version {
                fault = "version \(expected) is missing."
            } else if expected > newest.version.next {
                fault = "it has version \(newest.version.next), which its realm does not."
            } else if let last = entries.last, last.tag != newest.tag {
                fault = "the tag of version \(last.version) is not that of its realm."
            }
        }
        guard let fault, entries.isEmpty || isLastWrong(newest) else { return .success(entries) }
        return .failure(.damaged(realm.text, fault))
    }

    /// Whether the fault is in the entries that were read, and not after them.
    private func isLastWrong(_ newest: LogPosition) -> Bool {
        guard let last = entries.last else { return false }
        return last.version > newest.version || (last.version == newest.version && last.tag != newest.tag)
    }
}
