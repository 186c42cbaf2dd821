package import ObjectModel

/// One value as self-describing bytes: a tag, then the value. Columns store mixed values and elements of
/// collections in this form.
///
///     tag 0       null                   5  double, 8 bytes               10  uuid, 16 bytes
///         1, 2    false, true            6  string, length and UTF-8      11  decimal128, 16 bytes
///         3       int, variable length   7  data, length and bytes        12  class and key of an object
///         4       float, 4 bytes         8  seconds and nanoseconds       13  list: count, elements
///                                        9  objectId, 12 bytes            14  dictionary: count, keys with values
///                                                                         15  link: key
package enum ValueRecord {
    /// The deepest nesting that the decoder accepts, well above what a store accepts.
    static let depthLimit = 256

    package static func encode(_ value: Value) -> [UInt8] {
        var writer = ByteWriter()
        encode(value, into: &writer)
        return writer.bytes
    }

    /// Throws for anything but exactly one value.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(DamagedRecord) -> Value {
        var reader = ByteReader(bytes)
        let value = try decode(&reader)
        guard reader.isAtEnd else { throw DamagedRecord() }
        return value
    }

    static func tag(of value: Value) -> UInt8 {
        switch value {
        // Sets have records of their own, and embedded objects are links by the time they are stored.
        case .null, .set, .embedded: 0
        case .bool(let value): value ? 2 : 1
        case .int: 3
        case .float: 4
        case .double: 5
        case .string: 6
        case .data: 7
        case .date: 8
        case .objectId: 9
        case .uuid: 10
        case .decimal: 11
        case .reference: 12
        case .list: 13
        case .dictionary: 14
        case .link: 15
        }
    }

    /// The approximate size of the record in bytes, computed without making it.
    package static func sizeEstimate(_ value: Value) -> Int {
        switch value {
        case .null, .bool, .set, .embedded: 1
        case .int(let value): 2 + (64 - (value.magnitude &* 2).leadingZeroBitCount) / 7
        case .float: 5
        case .double: 9
        case .string(let value): 2 + value.utf8.count
        case .data(let value): 2 + value.count
        case .date: 8
        case .objectId: 13
        case .uuid, .decimal: 17
        case .reference, .link: 6
        case .list(let elements): 2 + elements.reduce(0) { $0 + sizeEstimate($1) }
        case .dictionary(let map): 2 + map.entries.reduce(0) { $0 + $1.key.utf8.count + 1 + sizeEstimate($1.value) }
        }
    }

    package static func encode(_ value: Value, into writer: inout ByteWriter) {
        writer.byte(tag(of: value))
        encodeContent(value, into: &writer)
    }

    static func encodeContent(_ value: Value, into writer: inout ByteWriter) {
        switch value {
        case .null, .bool, .set, .embedded: break
        case .int(let value): writer.signed(value)
        case .float(let value): writer.fixed32(value.bitPattern)
        case .double(let value): writer.fixed(value.bitPattern)
        case .string(let value): writer.text(value)
        case .data(let value): writer.data(value)
        case .date(let value):
            writer.signed(value.seconds)
            writer.signed(Int64(value.nanoseconds))
        case .objectId(let value):
            writer.fixed32(value.high)
            writer.fixed(value.low)
        case .uuid(let value):
            writer.fixed(value.high)
            writer.fixed(value.low)
        case .decimal(let value):
            writer.fixed(value.high)
            writer.fixed(value.low)
        case .reference(let value):
            writer.unsigned(UInt64(value.classID.rawValue))
            writer.signed(value.key.rawValue)
        case .list(let elements):
            writer.count(elements.count)
            for element in elements { encode(element, into: &writer) }
        case .dictionary(let map):
            writer.count(map.count)
            for entry in map.entries {
                writer.text(entry.key)
                encode(entry.value, into: &writer)
            }
        case .link(let key): writer.signed(key.rawValue)
        }
    }

    package static func decode(_ reader: inout ByteReader, depth: Int = 0) throws(DamagedRecord) -> Value {
        try decodeContent(tag: try reader.byte(), &reader, depth: depth)
    }

    static func decodeContent(tag: UInt8, _ reader: inout ByteReader, depth: Int = 0) throws(DamagedRecord) -> Value {
        guard depth < depthLimit else { throw DamagedRecord() }
        switch tag {
        case 0: return .null
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3: return .int(try reader.signed())
        case 4: return .float(Float(bitPattern: try reader.fixed32()))
        case 5: return .double(Double(bitPattern: try reader.fixed()))
        case 6: return .string(try reader.text())
        case 7: return .data(try reader.data())
        case 8:
            let seconds = try reader.signed()
            let nanoseconds = Int32(truncatingIfNeeded: try reader.signed())
            guard let date = Timestamp(seconds: seconds, nanoseconds: nanoseconds) else { throw DamagedRecord() }
            return .date(date)
        case 9:
            let high = try reader.fixed32()
            return .objectId(ObjectId(high: high, low: try reader.fixed()))
        case 10:
            let high = try reader.fixed()
            return .uuid(UUIDValue(high: high, low: try reader.fixed()))
        case 11:
            let high = try reader.fixed()
            return .decimal(Decimal128(high: high, low: try reader.fixed()))
        case 12:
            let classID = ClassID(try reader.integer(UInt32.self))
            return .reference(ObjectReference(classID, ObjectKey(try reader.signed())))
        case 13:
            var elements: [Value] = []
            for _ in 0..<(try reader.count()) { elements.append(try decode(&reader, depth: depth + 1)) }
            return .list(elements)
        case 14:
            var pairs: [(String, Value)] = []
            for _ in 0..<(try reader.count()) {
                let key = try reader.text()
                pairs.append((key, try decode(&reader, depth: depth + 1)))
            }
            return .dictionary(ValueMap(pairs))
        case 15: return .link(ObjectKey(try reader.signed()))
        default: throw DamagedRecord()
        }
    }
}
