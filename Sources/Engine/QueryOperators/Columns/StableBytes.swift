import Columnar
import ObjectModel

/// Bytes whose address is fixed as long as the object lives, for views of constants.
final class StableBytes {
    let bytes: ValueView.Bytes
    private let memory: UnsafeMutableBufferPointer<UInt8>

    init(_ content: some Collection<UInt8>) {
        memory = .allocate(capacity: content.count)
        _ = memory.initialize(from: content)
        bytes = UnsafeBufferPointer(memory)
    }

    deinit { memory.deallocate() }
}

/// A constant with the view of it that comparisons use.
struct ConstantView {
    let view: ValueView
    private let memory: StableBytes?

    init(_ value: Value) {
        if let view = ValueView(scalar: value) {
            self.view = view
            memory = nil
            return
        }
        let bytes: StableBytes
        switch value {
        case .string(let text):
            bytes = StableBytes(text.utf8)
            view = .string(bytes.bytes)
        case .data(let content):
            bytes = StableBytes(content)
            view = .data(bytes.bytes)
        default:
            bytes = StableBytes(ValueRecord.encode(value))
            view = ValueView(record: UnsafeRawBufferPointer(bytes.bytes))
        }
        memory = bytes
    }
}

extension ValueView {
    /// Returns nil for a value that has bytes or elements of its own.
    init?(scalar value: Value) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(value)
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .decimal(let value): self = .decimal(value)
        case .date(let value): self = .date(value)
        case .objectId(let value): self = .objectId(value)
        case .uuid(let value): self = .uuid(value)
        case .link(let key): self = .link(key)
        case .reference(let object): self = .reference(object)
        case .string, .data, .list, .set, .dictionary, .embedded: return nil
        }
    }
}

extension Value {
    /// Calls `body` with a view of the value, which is valid during the call only.
    func withView<R>(_ body: (ValueView) throws -> R) rethrows -> R {
        switch self {
        case .string(var text): return try text.withUTF8 { try body(.string($0)) }
        case .data(let bytes): return try bytes.withUnsafeBufferPointer { try body(.data($0)) }
        default:
            let constant = ConstantView(self)
            return try withExtendedLifetime(constant) { try body(constant.view) }
        }
    }
}
