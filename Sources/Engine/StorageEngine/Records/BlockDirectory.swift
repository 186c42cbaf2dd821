import Columnar

/// The blocks of a large collection: their numbers in the order of the elements, and the number of elements of each.
struct BlockDirectory: Sendable {
    struct Entry: Sendable {
        /// The block's number, from 1; never reused within the collection.
        var number: UInt32
        var count: Int
    }

    var entries: [Entry] = []
    private(set) var nextNumber: UInt32 = 1

    init() {}

    init(decoding bytes: UnsafeRawBufferPointer) throws(DamagedRecord) {
        var reader = ByteReader(bytes)
        nextNumber = try reader.integer(UInt32.self)
        for _ in 0..<(try reader.count()) {
            let number = try reader.integer(UInt32.self)
            let count = try reader.integer(Int.self)
            guard number > 0, number < nextNumber, count <= ElementBlock.countLimit else { throw DamagedRecord() }
            entries.append(Entry(number: number, count: count))
        }
        guard reader.isAtEnd, nextNumber < .max else { throw DamagedRecord() }
    }

    func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.unsigned(UInt64(nextNumber))
        writer.count(entries.count)
        for entry in entries {
            writer.unsigned(UInt64(entry.number))
            writer.count(entry.count)
        }
        return writer.bytes
    }

    /// The number of elements in all blocks.
    var count: Int { entries.reduce(0) { $0 + $1.count } }

    mutating func makeNumber() -> UInt32 {
        defer { nextNumber += 1 }
        return nextNumber
    }
}
