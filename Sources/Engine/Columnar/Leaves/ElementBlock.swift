package import ObjectModel

/// A run of elements of a list, set or map, in memory: a whole small collection, or one block of a large one.
///
/// An empty block has no bytes. Otherwise they are the number of elements, then for a map its keys, then a tag. If the
/// tag is one of `ValueRecord`'s, all elements have it and follow without tags of their own; 255 means that each has
/// its own. A list of small integers takes two bytes and one per element.
package struct ElementBlock: Sendable {
    /// Whether every element has a key.
    package let hasKeys: Bool
    package private(set) var keys: [String] = []
    package private(set) var values: [Value] = []
    /// The approximate size of the record in bytes, maintained while the block changes.
    package private(set) var sizeEstimate = 0

    static let ownTags: UInt8 = 255

    package init(hasKeys: Bool) { self.hasKeys = hasKeys }

    /// Makes the block of a whole collection; a set's elements must be in order.
    package init(_ collection: Value) {
        switch collection {
        case .list(let elements), .set(let elements):
            hasKeys = false
            values = elements
        case .dictionary(let map):
            hasKeys = true
            keys = map.entries.map(\.key)
            values = map.entries.map(\.value)
        default:
            hasKeys = false
        }
        sizeEstimate = measure()
    }

    package init(decoding bytes: UnsafeRawBufferPointer, hasKeys: Bool) throws(DamagedRecord) {
        self.hasKeys = hasKeys
        sizeEstimate = bytes.count
        guard !bytes.isEmpty else { return }
        var reader = ByteReader(bytes)
        let count = try reader.integer(Int.self)
        if hasKeys {
            for _ in 0..<count { keys.append(try reader.text()) }
        }
        let tag = try reader.byte()
        // Elements without content, such as nulls, take no bytes: the remaining bytes do not bound their number.
        guard tag > 2 && tag != Self.ownTags ? count <= bytes.count : count <= Self.countLimit else {
            throw DamagedRecord()
        }
        for _ in 0..<count {
            values.append(
                tag == Self.ownTags
                    ? try ValueRecord.decode(&reader) : try ValueRecord.decodeContent(tag: tag, &reader))
        }
        guard reader.isAtEnd else { throw DamagedRecord() }
    }

    /// The first element of a non-empty block, or of a map its first key, without reading the others.
    package static func first(
        decoding bytes: UnsafeRawBufferPointer, hasKeys: Bool
    ) throws(DamagedRecord) -> (key: String, value: Value) {
        var reader = ByteReader(bytes)
        guard try reader.integer(Int.self) > 0 else { throw DamagedRecord() }
        if hasKeys { return (try reader.text(), .null) }
        let tag = try reader.byte()
        let value =
            tag == ownTags ? try ValueRecord.decode(&reader) : try ValueRecord.decodeContent(tag: tag, &reader)
        return ("", value)
    }

    /// The maximum number of elements in one block; a record with more is damaged.
    package static let countLimit = 1 << 16

    package var count: Int { values.count }

    package func encode() -> [UInt8] {
        guard let first = values.first else { return [] }
        var writer = ByteWriter()
        writer.count(values.count)
        for key in keys { writer.text(key) }
        let tag = ValueRecord.tag(of: first)
        if values.allSatisfy({ ValueRecord.tag(of: $0) == tag }) {
            writer.byte(tag)
            for value in values { ValueRecord.encodeContent(value, into: &writer) }
        } else {
            writer.byte(Self.ownTags)
            for value in values { ValueRecord.encode(value, into: &writer) }
        }
        return writer.bytes
    }

    package mutating func insert(_ value: Value, key: String?, at index: Int) {
        values.insert(value, at: index)
        sizeEstimate += ValueRecord.sizeEstimate(value)
        if hasKeys {
            keys.insert(key ?? "", at: index)
            sizeEstimate += (key?.utf8.count ?? 0) + 1
        }
    }

    package mutating func replace(_ value: Value, at index: Int) {
        sizeEstimate += ValueRecord.sizeEstimate(value) - ValueRecord.sizeEstimate(values[index])
        values[index] = value
    }

    package mutating func remove(at index: Int) {
        sizeEstimate -= ValueRecord.sizeEstimate(values[index])
        values.remove(at: index)
        if hasKeys {
            sizeEstimate -= keys[index].utf8.count + 1
            keys.remove(at: index)
        }
    }

    package mutating func append(_ other: ElementBlock) {
        values += other.values
        keys += other.keys
        sizeEstimate += other.sizeEstimate
    }

    /// The elements in that range.
    package func slice(_ range: Range<Int>) -> ElementBlock {
        var result = ElementBlock(hasKeys: hasKeys)
        result.values = Array(values[range])
        if hasKeys { result.keys = Array(keys[range]) }
        result.sizeEstimate = result.measure()
        return result
    }

    /// Divides the elements into runs of at most `elementLimit` elements and about `byteLimit` bytes; an element that
    /// is larger is a run of its own.
    package func runs(of elementLimit: Int, bytes byteLimit: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        var size = 0
        for index in values.indices {
            let own = ValueRecord.sizeEstimate(values[index]) + (hasKeys ? keys[index].utf8.count + 1 : 0)
            if index > start, index - start == elementLimit || size + own > byteLimit {
                runs.append(start..<index)
                start = index
                size = 0
            }
            size += own
        }
        if start < values.count { runs.append(start..<values.count) }
        return runs
    }

    private func measure() -> Int {
        values.reduce(0) { $0 + ValueRecord.sizeEstimate($1) } + keys.reduce(0) { $0 + $1.utf8.count + 1 }
    }

    /// Removes the elements from `index` on and returns them as a block.
    package mutating func split(at index: Int) -> ElementBlock {
        var rest = ElementBlock(hasKeys: hasKeys)
        rest.values = Array(values[index...])
        values.removeSubrange(index...)
        if hasKeys {
            rest.keys = Array(keys[index...])
            keys.removeSubrange(index...)
        }
        rest.sizeEstimate = rest.measure()
        sizeEstimate -= rest.sizeEstimate
        return rest
    }
}

extension CollectionKind {
    /// Makes a whole collection of this kind of its elements.
    package func value(_ block: ElementBlock) -> Value {
        switch self {
        case .single, .list: .list(block.values)
        case .set: .set(block.values)
        case .map: .dictionary(ValueMap(zip(block.keys, block.values)))
        }
    }
}
