package import Columnar
@testable import StoredRecords
@testable import StorageEngine
import ObjectModel

/// Decodes bytes of any origin with every decoder of a file, and reads everything in them. Invalid bytes must be
/// rejected with an error; accepted ones must survive being written and decoded again. Anything else is a trap: of this
/// type, of the decoder or of a sanitizer.
package enum DecodingProbe: Hashable, Sendable, CaseIterable {
    case leaf(LeafKind)
    case liveMask
    case elements(keys: Bool)
    case value, changeSet, schema, keyBlock, blockDirectory, undo

    package static let allCases: [DecodingProbe] =
        LeafKind.allCases.map { .leaf($0) } + [
            .liveMask, .elements(keys: false), .elements(keys: true), .value, .changeSet, .schema, .keyBlock,
            .blockDirectory, .undo,
        ]

    /// Whether the decoder accepted the bytes, which it gets in memory of exactly their size.
    @discardableResult
    package func decode(_ bytes: [UInt8]) -> Bool {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { memory.deallocate() }
        memory.copyBytes(from: bytes)
        return (try? read(UnsafeRawBufferPointer(memory))) != nil
    }

    /// Decodes the fuzzer's input: the first byte selects the decoder for the rest.
    package static func decode(input: [UInt8]) {
        guard let first = input.first else { return }
        allCases[Int(first) % allCases.count].decode(Array(input.dropFirst()))
    }

    private func read(_ bytes: UnsafeRawBufferPointer) throws {
        switch self {
        case .leaf(let kind): LeafProbe(try Leaf(validating: bytes, kind: kind), kind).readEverything()
        case .liveMask: try readLiveMask(bytes)
        case .elements(let hasKeys):
            let block = try ElementBlock(decoding: bytes, hasKeys: hasKeys)
            precondition(!hasKeys || block.keys.count == block.count)
            try again(block.encode()) {
                let same = try ElementBlock(decoding: $0, hasKeys: hasKeys)
                return Self.agree(same.values, block.values) && same.keys == block.keys
            }
            if block.count > 1 {
                var first = block
                let rest = first.split(at: block.count / 2)
                precondition(first.count + rest.count == block.count)
            }
        case .value:
            let value = try ValueRecord.decode(bytes)
            _ = Value.order(value, value)
            try again(ValueRecord.encode(value)) { Self.agree([try ValueRecord.decode($0)], [value]) }
        case .changeSet:
            guard let changes = try ChangeSetRecord.decode(bytes, version: Version(7)) else { return }
            _ = try ChangeSetRecord.lengthWithoutUndo(bytes)
            try again(ChangeSetRecord.encode(changes, at: 1)) {
                try ChangeSetRecord.decode($0, version: Version(7))?.classes.count == changes.classes.count
            }
        case .undo: try readUndo(bytes)
        case .schema:
            let schema = try SchemaRecord.decode(bytes)
            _ = schema.faults()
            try again(SchemaRecord.encode(schema)) { try SchemaRecord.decode($0).classes.count == schema.classes.count }
        case .keyBlock: try readKeyBlock(bytes)
        case .blockDirectory:
            var directory = try BlockDirectory(decoding: bytes)
            let count = directory.count
            try again(directory.encode()) { try BlockDirectory(decoding: $0).count == count }
            _ = directory.makeNumber()
        }
    }

    private func readLiveMask(_ bytes: UnsafeRawBufferPointer) throws {
        let mask = try LiveMask(validating: bytes)
        var changed = MutableLiveMask(decoding: mask)
        for slot in [-1, 0, mask.slotCount - 1, mask.slotCount] where changed.isLive(slot) { changed.remove(slot) }
        if mask.slotCount < Cluster.maximumCapacity { changed.append() }
        try again(changed.encode()) { try LiveMask(validating: $0).slotCount == changed.slotCount }
    }

    private func readKeyBlock(_ bytes: UnsafeRawBufferPointer) throws {
        // A record belongs to a block; keys that would be negative in another one are rejected there.
        var isTaken = false
        for number in [Int64(0), 3, -1, .min >> 8, .max >> 8] {
            guard let block = try? KeyBlock(decoding: bytes, block: number) else { continue }
            isTaken = true
            for offset in 0..<KeyBlock.size {
                guard let found = try? KeyBlock.find(number << 8 + Int64(offset), in: bytes) else { continue }
                precondition(found == block[offset], "the key at \(offset) in block \(number) differs")
            }
            guard let encoded = block.encode(block: number) else { continue }
            try again(encoded) { try KeyBlock(decoding: $0, block: number).count == block.count }
        }
        guard isTaken else { throw DamagedRecord() }
    }

    /// Accepted bytes must be accepted again.
    func again(_ bytes: [UInt8], _ isSame: (UnsafeRawBufferPointer) throws -> Bool) throws {
        let same: Bool
        do {
            same = try bytes.withUnsafeBytes(isSame)
        } catch {
            preconditionFailure("\(self): what was taken is refused when it is written again: \(error)")
        }
        precondition(same, "\(self): what was taken is another thing when it is written again")
    }

    /// Equality under which a NaN equals itself.
    private static func agree(_ some: [Value], _ others: [Value]) -> Bool {
        some.count == others.count && zip(some, others).allSatisfy { Value.order($0, $1) == 0 }
    }
}
