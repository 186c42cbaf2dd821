import Glibc

/// The bytes of a file in private memory of this process.
///
/// This is the one type of the module that follows pointers. Each function compares its range with the count before it
/// reads, and returns nil for a range that is not within; no sum or product of its arguments can overflow before that.
/// The memory does not map a file that other programs may write: if one truncated it, reading a missing page would end
/// this process.
///
/// Sendable, because the memory is written while `init` runs, and only read after that, for as long as the object lives.
final class FileImage: @unchecked Sendable {
    let count: Int
    private let base: UnsafeRawPointer

    /// Allocates memory of this size, filled with zeros, and lets the body fill it. Throws `unreadable` if there is
    /// none.
    init(
        count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(RealmFileError) -> Void
    ) throws(RealmFileError) {
        // Unlike Swift's allocator, the system refuses a size that it does not have.
        let length = max(count, 1)
        guard count >= 0,
            let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            memory != MAP_FAILED
        else { throw .unreadable(code: ENOMEM) }
        self.count = count
        base = UnsafeRawPointer(memory)
        // From here on, an error lets `deinit` run.
        try fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
    }

    /// Maps a file that no other program can change, such as one without a name. The kernel reclaims its pages when
    /// memory is short. Throws `unreadable`.
    init(mapping descriptor: Int32, count: Int) throws(RealmFileError) {
        guard count >= 0,
            // An empty range cannot be mapped.
            let memory = count == 0
                ? mmap(nil, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                : mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0),
            memory != MAP_FAILED
        else { throw .unreadable(code: errno) }
        self.count = count
        base = UnsafeRawPointer(memory)
    }

    convenience init(_ bytes: [UInt8]) throws(RealmFileError) {
        try self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: base), max(count, 1)) }

    /// Whether `length` bytes from an offset on are within the memory.
    func contains(_ offset: Int, _ length: Int) -> Bool {
        offset >= 0 && length >= 0 && offset <= count && length <= count - offset
    }

    func byte(at offset: Int) -> UInt8? {
        contains(offset, 1) ? base.load(fromByteOffset: offset, as: UInt8.self) : nil
    }

    /// Eight bytes as a number.
    func word(at offset: Int) -> UInt64? {
        contains(offset, 8) ? UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) : nil
    }

    /// Four bytes as a number.
    func halfWord(at offset: Int) -> UInt32? {
        contains(offset, 4) ? UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) : nil
    }

    func bytes(at offset: Int, count length: Int) -> [UInt8]? {
        contains(offset, length) ? [UInt8](UnsafeRawBufferPointer(start: base + offset, count: length)) : nil
    }

    /// Bytes as UTF-8, with replacement characters for invalid bytes, and whether all bytes are valid.
    func text(at offset: Int, count length: Int) -> (text: String, isValid: Bool)? {
        guard contains(offset, length) else { return nil }
        let bytes = UnsafeRawBufferPointer(start: base + offset, count: length)
        if let text = String(validating: bytes, as: UTF8.self) { return (text, true) }
        return (String(decoding: bytes, as: UTF8.self), false)
    }

    /// Consecutive numbers of 0, 1, 2, 4, 8, 16, 32 or 64 bits each, at most 2²⁴ of them. Numbers of 1, 2 and 4 bits
    /// are unsigned; wider ones are signed unless `isUnsigned`. Unsigned numbers of 64 bits keep their bits.
    func integers(at offset: Int, count number: Int, width: Int, isUnsigned: Bool) -> [Int64]? {
        guard number >= 0, number <= 1 << 24, width >= 0, width <= 64, contains(offset, (number * width + 7) / 8)
        else { return nil }
        let start = base + offset
        func all<Element: FixedWidthInteger & BitwiseCopyable>(
            _ type: Element.Type, into values: UnsafeMutableBufferPointer<Int64>
        ) {
            for index in 0..<number {
                let element = start.loadUnaligned(fromByteOffset: index &* (Element.bitWidth / 8), as: type)
                values.initializeElement(at: index, to: Int64(truncatingIfNeeded: Element(littleEndian: element)))
            }
        }
        guard [0, 1, 2, 4, 8, 16, 32, 64].contains(width) else { return nil }
        return [Int64](unsafeUninitializedCapacity: number) { values, filled in
            switch (width, isUnsigned) {
            case (0, _): values.initialize(repeating: 0)
            case (8, false): all(Int8.self, into: values)
            case (8, true): all(UInt8.self, into: values)
            case (16, false): all(Int16.self, into: values)
            case (16, true): all(UInt16.self, into: values)
            case (32, false): all(Int32.self, into: values)
            case (32, true): all(UInt32.self, into: values)
            case (64, _): all(Int64.self, into: values)
            default:
                let mask = (1 << Int64(width)) - 1 as Int64
                for index in 0..<number {
                    let bit = index &* width
                    let byte = start.load(fromByteOffset: bit >> 3, as: UInt8.self)
                    values.initializeElement(at: index, to: Int64(byte) >> Int64(bit & 7) & mask)
                }
            }
            filled = number
        }
    }
}
