import Columnar
import ObjectModel

/// Bytes that stay where they are as long as the object lives, for views of constants.
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

/// A constant with the view of it that comparisons take.
struct ConstantView {
    let view: ValueView
    private let memory: StableBytes?

    init(_ value: Value) {
        var memory: StableBytes?
        switch value {
        case .string(let text):
            let bytes = StableBytes(text.utf8)
            memory = bytes
            view = .string(bytes.bytes)
        case .data(let content):
            let bytes = StableBytes(content)
            memory = bytes
            view = .data(bytes.bytes)
        default:
            let bytes = StableBytes(ValueRecord.encode(value))
            memory = bytes
            view = ValueView(record: UnsafeRawBufferPointer(bytes.bytes))
        }
        self.memory = memory
    }
}
