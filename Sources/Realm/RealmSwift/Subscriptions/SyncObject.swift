import JSONCoding
import ObjectModel

/// An object by what both sides call it: its class's stored name and its primary key.
struct SyncObject: Hashable, Sendable {
    var className: String
    var key: Value

    init(_ className: String, _ key: Value) {
        self.className = className
        self.key = key
    }

    /// The key as it is sent, and kept.
    var keyBytes: [UInt8] {
        let json = JSONWriter(capacity: 48)
        json.value(key)
        return json.bytes
    }

    /// As a person reads it.
    var keyText: String {
        if case .string(let text) = keyJSON { return text }
        return String(decoding: keyBytes, as: UTF8.self)
    }

    var keyJSON: JSONValue { (try? JSONValue.parse(keyBytes)) ?? .null }

    /// Nil when the class is gone, or has another primary key.
    init?(_ className: String, json: JSONValue, in schema: StoredSchema) {
        guard let primaryKey = schema[className]?.primaryKeyProperty,
            let key = try? ValueCoding.decode(json, as: primaryKey.type)
        else { return nil }
        self.init(className, key)
    }

    /// The same number in every process: which bucket of records it is in.
    var stableHash: Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func take(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        take(className.utf8)
        switch key {
        case .int(let number):
            for shift in stride(from: 0, to: 64, by: 8) { take([UInt8(truncatingIfNeeded: number >> shift)]) }
        case .string(let text): take(text.utf8)
        default: take(keyBytes)
        }
        return Int((hash ^ hash >> 32) & 0xff)
    }
}
