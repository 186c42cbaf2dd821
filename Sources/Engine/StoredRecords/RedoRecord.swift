import Basics
package import Columnar
package import ObjectModel
import QueryExecution

/// What one version changed, as an entry of a log that several stores share.
///
/// Format, kind and flag; the tag of the version before, where another append made that; the counters; the checksum of
/// the change set; the number of steps, and the steps; the CRC-32 of all that. A step begins with a byte: its kind in the
/// low four bits, and whether the class (bit 4) and the property (6) are those of the step before it, and whether the
/// object (5) is, or for a created one whether its key is the next. Setting an Int takes some 6 bytes after its
/// neighbour.
package struct RedoRecord: Hashable, Sendable {
    package static let format: UInt8 = 1

    package enum Kind: UInt8, Sendable {
        case work = 1
        case schema
    }

    package var kind = Kind.work
    /// The tag of the version before; nil when the same append made it.
    package var base: HistoryTag?
    /// The next keys of the classes where they differ from those of the version before, also because of keys that no
    /// object has.
    package var counters: [ClassID: Int64] = [:]
    /// See `checksum(of:)`.
    package var checksum: UInt32 = 0
    package var steps: [RedoStep] = []

    /// The checksum by which stores compare their change sets.
    package static func checksum(of changes: ChangeSet) -> UInt32 { CRC32.of(ChangeSetRecord.encode(changes, at: 0)) }

    /// Encodes a record whose steps `writer` has collected.
    package static func encode(
        _ kind: Kind, base: HistoryTag?, counters: [ClassID: Int64], checksum: UInt32, _ writer: RedoWriter
    ) -> [UInt8] {
        var bytes = ByteWriter()
        bytes.byte(format)
        bytes.byte(kind.rawValue | (base == nil ? 0 : 0x80))
        if let base { bytes.fixed(base.rawValue) }
        bytes.count(counters.count)
        for (id, next) in counters.sorted(by: { $0.key < $1.key }) {
            bytes.unsigned(UInt64(id.rawValue))
            bytes.unsigned(UInt64(next))
        }
        bytes.fixed32(checksum)
        bytes.count(writer.stepCount)
        bytes.append(writer.bytes)
        bytes.fixed32(CRC32.of(bytes.bytes))
        return bytes.bytes
    }

    package var encoded: [UInt8] {
        let writer = RedoWriter()
        for step in steps { writer.append(step) }
        return Self.encode(kind, base: base, counters: counters, checksum: checksum, writer)
    }

    /// The format of an entry of a newer program; nil for a known format, and for damage.
    package static func newerFormat(of bytes: [UInt8]) -> UInt8? {
        guard let first = bytes.first, first > format, isWhole(bytes) else { return nil }
        return first
    }

    /// All formats end with the CRC-32 of what is before it.
    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 4 else { return false }
        let sum = bytes.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return CRC32.of(bytes.dropLast(4)) == sum
    }

    /// Decodes an entry from anywhere. Its steps need not fit any schema. Throws `DamagedRecord` for what `encode` does
    /// not produce, and for formats of newer programs.
    package static func decode(_ bytes: [UInt8]) throws(DamagedRecord) -> RedoRecord {
        guard isWhole(bytes) else { throw DamagedRecord() }
        do {
            return try bytes.dropLast(4).withUnsafeBytes { try decode(content: $0) }
        } catch {
            throw DamagedRecord()
        }
    }

    /// Decodes what is before the CRC-32.
    private static func decode(content: UnsafeRawBufferPointer) throws(DamagedRecord) -> RedoRecord {
        var reader = ByteReader(content)
        guard try reader.byte() == format else { throw DamagedRecord() }
        let flags = try reader.byte()
        guard let kind = Kind(rawValue: flags & 0x7F) else { throw DamagedRecord() }
        var record = RedoRecord(kind: kind)
        if flags & 0x80 != 0 { record.base = HistoryTag(rawValue: try reader.fixed()) }
        for _ in 0..<(try reader.count()) {
            let id = ClassID(try reader.integer(UInt32.self))
            guard record.counters.updateValue(try reader.integer(Int64.self), forKey: id) == nil else {
                throw DamagedRecord()
            }
        }
        record.checksum = try reader.fixed32()
        var steps = RedoReader()
        for _ in 0..<(try reader.count()) { record.steps.append(try steps.next(&reader)) }
        guard reader.isAtEnd else { throw DamagedRecord() }
        return record
    }
}
