import Basics
import JSONCoding
import ObjectModel

/// The identity of an object on both sides: its class's stored name and its primary key.
struct SyncObject: Hashable, Sendable {
    var className: String
    var key: Value

    init(_ className: String, _ key: Value) {
        self.className = className
        self.key = key
    }

    /// The key in its transmitted and stored form.
    var keyBytes: [UInt8] {
        let json = JSONWriter(capacity: 48)
        json.value(key)
        return json.bytes
    }

    /// The key for people.
    var keyText: String {
        if case .string(let text) = keyJSON { return text }
        return String(decoding: keyBytes, as: UTF8.self)
    }

    var keyJSON: JSONValue { JSONValue(key) { _ in .null } }

    /// Returns nil if the class does not exist, or has another type of primary key.
    init?(_ className: String, json: JSONValue, in schema: Schema) {
        guard let primaryKey = schema[className]?.primaryKeyProperty,
            let key = try? ValueCoding.decode(json, as: primaryKey.type)
        else { return nil }
        self.init(className, key)
    }

    /// A hash that is equal in every process: it determines the bucket of the object's record.
    var stableHash: Int {
        var hash = FNV1a()
        hash.combine(className.utf8)
        switch key {
        case .int(let number):
            withUnsafeBytes(of: number.littleEndian) { hash.combine($0) }
        case .string(let text): hash.combine(text.utf8)
        default: hash.combine(keyBytes)
        }
        return Int((hash.value ^ hash.value >> 32) & 0xff)
    }
}
