/// A parameter of a statement, sent in PostgreSQL's binary form.
enum PostgresParameter {
    case bool(Bool)
    case int32(Int32)
    case int64(Int64)
    case text(String)
    /// JSON text as bytes of UTF-8.
    case json([UInt8])
    case bytes([UInt8])
    case uuid([UInt8])
    case int32Array([Int32])
    case int64Array([Int64])
    case bytesArray([[UInt8]])
    case textArray([String])

    /// The number of the type in PostgreSQL's catalogue, which is the same in every database.
    var type: UInt32 {
        switch self {
        case .bool: 16
        case .int32: 23
        case .int64: 20
        case .text, .json: 25
        case .bytes: 17
        case .uuid: 2950
        case .int32Array: 1007
        case .int64Array: 1016
        case .bytesArray: 1001
        case .textArray: 1009
        }
    }

    func encode(to buffer: inout [UInt8]) {
        switch self {
        case .bool(let value): buffer.append(value ? 1 : 0)
        case .int32(let value): buffer.append(bigEndian: value)
        case .int64(let value): buffer.append(bigEndian: value)
        case .text(let value): buffer.append(contentsOf: value.utf8)
        case .bytes(let value), .uuid(let value), .json(let value): buffer.append(contentsOf: value)
        case .int32Array(let values):
            Self.encodeHeader(elements: values.count, ofType: 23, to: &buffer)
            for value in values {
                buffer.append(bigEndian: 4 as Int32)
                buffer.append(bigEndian: value)
            }
        case .int64Array(let values):
            Self.encodeHeader(elements: values.count, ofType: 20, to: &buffer)
            for value in values {
                buffer.append(bigEndian: 8 as Int32)
                buffer.append(bigEndian: value)
            }
        case .bytesArray(let values):
            buffer.reserveCapacity(buffer.count + values.reduce(20) { $0 + $1.count + 4 })
            Self.encodeHeader(elements: values.count, ofType: 17, to: &buffer)
            for value in values {
                buffer.append(bigEndian: Int32(value.count))
                buffer.append(contentsOf: value)
            }
        case .textArray(let values):
            Self.encodeHeader(elements: values.count, ofType: 25, to: &buffer)
            for value in values {
                buffer.append(bigEndian: Int32(value.utf8.count))
                buffer.append(contentsOf: value.utf8)
            }
        }
    }

    /// One dimension, no nulls, elements from 1 on.
    private static func encodeHeader(elements: Int, ofType type: Int32, to buffer: inout [UInt8]) {
        buffer.append(bigEndian: (elements == 0 ? 0 : 1) as Int32)
        buffer.append(bigEndian: 0 as Int32)
        buffer.append(bigEndian: type)
        guard elements > 0 else { return }
        buffer.append(bigEndian: Int32(elements))
        buffer.append(bigEndian: 1 as Int32)
    }
}

extension [UInt8] {
    fileprivate mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
