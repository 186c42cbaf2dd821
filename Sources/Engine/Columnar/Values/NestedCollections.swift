import ObjectModel

/// A list in a mixed value, read in place.
package struct NestedList {
    /// Positioned at the number of elements.
    private let start: ByteReader

    init(_ start: ByteReader) { self.start = start }

    /// Returns 0 for damaged bytes.
    package var count: Int {
        var reader = start
        return (try? reader.count()) ?? 0
    }

    /// Calls `body` with each element until it returns false; returns whether it reached the end.
    package func forEach(_ body: (ValueView) throws -> Bool) rethrows -> Bool {
        var reader = start
        for _ in 0..<((try? reader.count()) ?? 0) {
            var next = reader
            guard let element = try? ValueView.read(&next), (try? ValueRecord.skip(&reader)) != nil else { return true }
            guard try body(element) else { return false }
        }
        return true
    }

    /// Returns nil beyond the end. Cost: that of the elements before it.
    package func element(at index: Int) -> ValueView? {
        var reader = start
        guard let count = try? reader.count(), index >= 0, index < count else { return nil }
        for _ in 0..<index {
            guard (try? ValueRecord.skip(&reader)) != nil else { return nil }
        }
        return try? ValueView.read(&reader)
    }

    var value: Value {
        var reader = start
        return (try? ValueRecord.decodeContent(tag: 13, &reader)) ?? .null
    }
}

/// A dictionary in a mixed value, read in place: ascending by the bytes of its keys.
package struct NestedDictionary {
    /// Positioned at the number of entries.
    private let start: ByteReader

    init(_ start: ByteReader) { self.start = start }

    /// Returns 0 for damaged bytes.
    package var count: Int {
        var reader = start
        return (try? reader.count()) ?? 0
    }

    /// Calls `body` with each entry until it returns false; returns whether it reached the end.
    package func forEach(_ body: (_ key: ValueView.Bytes, ValueView) throws -> Bool) rethrows -> Bool {
        var reader = start
        for _ in 0..<((try? reader.count()) ?? 0) {
            guard let key = try? reader.span() else { return true }
            var next = reader
            guard let element = try? ValueView.read(&next), (try? ValueRecord.skip(&reader)) != nil else { return true }
            guard try body(key, element) else { return false }
        }
        return true
    }

    /// Returns nil when the key does not exist. Cost: that of the entries before it.
    package subscript(key: ValueView.Bytes) -> ValueView? {
        var found: ValueView?
        _ = forEach { other, element in
            let order = TextPattern.order(other, key)
            if order == 0 { found = element }
            return order < 0
        }
        return found
    }

    var value: Value {
        var reader = start
        return (try? ValueRecord.decodeContent(tag: 14, &reader)) ?? .null
    }
}

extension ValueRecord {
    /// Skips one value.
    static func skip(_ reader: inout ByteReader, depth: Int = 0) throws(DamagedRecord) {
        try skipContent(tag: try reader.byte(), &reader, depth: depth)
    }

    /// Skips one value after its tag.
    static func skipContent(tag: UInt8, _ reader: inout ByteReader, depth: Int = 0) throws(DamagedRecord) {
        if let size = fixedSize(ofTag: tag) { return try reader.skip(size) }
        switch tag {
        case 3, 15: _ = try reader.unsigned()
        case 6, 7: _ = try reader.span()
        case 8, 12:
            _ = try reader.unsigned()
            _ = try reader.unsigned()
        case 13, 14:
            guard depth < depthLimit else { throw DamagedRecord() }
            for _ in 0..<(try reader.count()) {
                if tag == 14 { _ = try reader.span() }
                try skip(&reader, depth: depth + 1)
            }
        default: throw DamagedRecord()
        }
    }

    /// The size of a value without its tag, if all values with the tag have the same size.
    static func fixedSize(ofTag tag: UInt8) -> Int? {
        switch tag {
        case 0, 1, 2: 0
        case 4: 4
        case 5: 8
        case 9: 12
        case 10, 11: 16
        default: nil
        }
    }
}
