import JSONCoding
import ObjectModel
import StoreContract

/// What a realm remembers of its gateway, in the same file and the same commits as the data, where no query sees it.
struct SyncRecords {
    let transaction: any WriteTransaction

    private static let never = Timestamp(seconds: 1 << 40)

    private static func key(_ name: String) -> [UInt8] { Array("sync/\(name)".utf8) }

    /// Nil for what is not kept.
    func read(_ name: String) throws -> JSONValue? {
        guard let bytes = try transaction.keptRecord(Self.key(name), at: .now()) else { return nil }
        return try JSONValue.parse(bytes)
    }

    func write(_ value: JSONValue, as name: String) throws {
        let json = JSONWriter(capacity: 1024)
        json.value(value)
        try transaction.keep(json.bytes, under: Self.key(name), until: Self.never, at: .now())
    }

    func remove(_ name: String) throws {
        // Expired at once; some later record takes it along.
        try transaction.keep([], under: Self.key(name), until: .epoch, at: .now())
    }
}

/// Values by object, in buckets of which only the changed ones are written.
struct SyncTable: Sendable {
    let name: String
    private(set) var values: [SyncObject: JSONValue] = [:]
    private var changed: Set<Int> = []

    init(_ name: String) { self.name = name }

    subscript(object: SyncObject) -> JSONValue? {
        get { values[object] }
        set {
            guard newValue != nil || values[object] != nil else { return }
            values[object] = newValue
            changed.insert(object.stableHash)
        }
    }

    var isEmpty: Bool { values.isEmpty }

    mutating func load(_ records: SyncRecords, _ schema: StoredSchema) throws {
        guard case .array(let buckets)? = try records.read(name) else { return }
        for case .int(let bucket) in buckets {
            guard case .array(let entries)? = try records.read("\(name)/\(bucket)") else { continue }
            for entry in entries {
                guard case .string(let className)? = entry[0], let key = entry[1], let value = entry[2],
                    let object = SyncObject(className, json: key, in: schema)
                else { continue }
                values[object] = value
            }
        }
    }

    mutating func save(_ records: SyncRecords) throws {
        guard !changed.isEmpty else { return }
        var buckets: [Int: [JSONValue]] = [:]
        for (object, value) in values {
            buckets[object.stableHash, default: []].append([.string(object.className), object.keyJSON, value])
        }
        for bucket in changed {
            if let entries = buckets[bucket] {
                try records.write(.array(entries), as: "\(name)/\(bucket)")
            } else {
                try records.remove("\(name)/\(bucket)")
            }
        }
        try records.write(.array(buckets.keys.sorted().map { .int(Int64($0)) }), as: name)
        changed = []
    }
}
