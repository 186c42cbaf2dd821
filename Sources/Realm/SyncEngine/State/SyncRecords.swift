import JSONCoding
import ObjectModel
import StoreContract

/// A realm's state of synchronisation, stored in the same file and the same commits as the data, outside of all
/// queries.
struct SyncRecords {
    let transaction: any WriteTransaction

    private static let never = Timestamp(seconds: 1 << 40)

    private static func key(_ name: String) -> [UInt8] { Array("sync/\(name)".utf8) }

    /// Returns nil if there is no record.
    func read(_ name: String) throws -> JSONValue? {
        guard let bytes = try transaction.sideRecord(Self.key(name), at: .now()) else { return nil }
        return try JSONValue.parse(bytes)
    }

    func write(_ value: JSONValue, as name: String) throws {
        let json = JSONWriter(capacity: 1024)
        json.value(value)
        try write(json, as: name)
    }

    /// Writes a value that is JSON already.
    func write(_ json: JSONWriter, as name: String) throws {
        try transaction.keep(json.bytes, under: Self.key(name), until: Self.never, at: .now())
    }

    func remove(_ name: String) throws {
        // The record has expired immediately; a later write deletes it.
        try transaction.keep([], under: Self.key(name), until: .epoch, at: .now())
    }
}

/// Values by object, in buckets. Only changed buckets are written.
struct SyncTable: Sendable {
    let name: String
    private var buckets: [[SyncObject: JSONValue]] = Array(repeating: [:], count: 256)
    private var changed: Set<Int> = []
    private var count = 0

    init(_ name: String) { self.name = name }

    subscript(object: SyncObject) -> JSONValue? {
        get { count == 0 ? nil : buckets[object.stableHash][object] }
        set {
            guard newValue != nil || count > 0 else { return }
            let bucket = object.stableHash
            let isKnown = buckets[bucket][object] != nil
            guard newValue != nil || isKnown else { return }
            buckets[bucket][object] = newValue
            count += (newValue == nil ? 0 : 1) - (isKnown ? 1 : 0)
            changed.insert(bucket)
        }
    }

    mutating func removeAll() {
        for (bucket, entries) in buckets.enumerated() where !entries.isEmpty { changed.insert(bucket) }
        buckets = Array(repeating: [:], count: buckets.count)
        count = 0
    }

    var values: some Sequence<(key: SyncObject, value: JSONValue)> { buckets.lazy.joined() }

    mutating func load(_ records: SyncRecords, _ schema: Schema) throws {
        guard case .array(let kept)? = try records.read(name) else { return }
        var moved = false
        for case .int(let bucket) in kept {
            guard case .array(let entries)? = try records.read("\(name)/\(bucket)") else { continue }
            for entry in entries {
                guard let value = entry[2], let object = SyncObject(kept: entry, in: schema) else { continue }
                self[object] = value
                // Another version of the program used another bucket.
                if object.stableHash != Int(bucket) { moved = true }
            }
        }
        changed = moved ? Set(buckets.indices) : []
    }

    mutating func save(_ records: SyncRecords) throws {
        guard !changed.isEmpty else { return }
        for bucket in changed {
            guard !buckets[bucket].isEmpty else {
                try records.remove("\(name)/\(bucket)")
                continue
            }
            let entries: [JSONValue] = buckets[bucket].map { object, value in
                [.string(object.className), object.keyJSON, value]
            }
            try records.write(.array(entries), as: "\(name)/\(bucket)")
        }
        let kept = buckets.indices.filter { !buckets[$0].isEmpty }
        try records.write(.array(kept.map { .int(Int64($0)) }), as: name)
        changed = []
    }
}
