package import TestBasics

/// CFaults' record of a process: its writes to the traced file, its syncs, and its output. From it follow the possible
/// contents of a disk after a power failure at any moment.
package struct FaultTrace: Sendable {
    package enum Record: Hashable, Sendable {
        /// About to be written.
        case write(offset: Int, bytes: [UInt8])
        /// The write at this offset is on the disk.
        case isDurable(offset: Int)
        /// Everything written is on the disk.
        case sync
        case truncate(length: Int)
        case said(String)
    }

    package let records: [Record]

    /// Reads a trace file's contents; a record that was cut off by the end of the process is left out.
    package init(decoding bytes: [UInt8]) throws {
        var records: [Record] = []
        var rest = bytes[...]
        func number(_ index: Int) -> Int {
            rest.dropFirst(index * 8).prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        while rest.count >= 24 {
            let (kind, offset, length) = (number(0), number(1), number(2))
            guard rest.count >= 24 + length else { break }
            let content = rest.dropFirst(24).prefix(length)
            switch kind {
            case 1: records.append(.write(offset: offset, bytes: Array(content)))
            case 2: records.append(.isDurable(offset: offset))
            case 3: records.append(.sync)
            case 4: records.append(.truncate(length: offset))
            case 5: records.append(.said(String(decoding: content, as: UTF8.self)))
            default: throw ConformanceFailure("a trace has a record of kind \(kind)")
            }
            rest = rest.dropFirst(24 + length)
        }
        self.records = records
    }

    /// The part of the unsynced writes that reached the disk.
    package enum Survival: CaseIterable, Sendable {
        case nothing, everything
        /// Each write completely or not.
        case someWrites
        /// Each sector by itself: writes are torn.
        case someSectors
    }

    private static let sectorSize = 512

    /// The disk after the first `count` records and a power failure, and the output until then.
    package func image(
        after count: Int, _ survival: Survival, _ random: inout SeededRandom
    ) -> (bytes: [UInt8], said: String) {
        var disk: [UInt8] = []
        var pending: [(offset: Int, bytes: ArraySlice<UInt8>)] = []
        var said = ""
        func store(_ offset: Int, _ bytes: ArraySlice<UInt8>) {
            if disk.count < offset + bytes.count {
                disk.append(contentsOf: repeatElement(0, count: offset + bytes.count - disk.count))
            }
            disk.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
        for record in records.prefix(count) {
            switch record {
            case .write(let offset, let bytes): pending.append((offset, bytes[...]))
            case .isDurable(let offset):
                guard let index = pending.lastIndex(where: { $0.offset == offset }) else { continue }
                let write = pending.remove(at: index)
                store(write.offset, write.bytes)
            case .sync:
                for write in pending { store(write.offset, write.bytes) }
                pending = []
            case .truncate(let length):
                disk = Array(disk.prefix(length)) + repeatElement(0, count: max(0, length - disk.count))
            case .said(let text): said += text
            }
        }
        for write in pending {
            switch survival {
            case .nothing: continue
            case .everything: store(write.offset, write.bytes)
            case .someWrites: if random.oneIn(2) { store(write.offset, write.bytes) }
            case .someSectors:
                var rest = write.bytes
                var offset = write.offset
                while !rest.isEmpty {
                    let sector = rest.prefix(Self.sectorSize - offset % Self.sectorSize)
                    if random.oneIn(2) { store(offset, sector) }
                    offset += sector.count
                    rest = rest.dropFirst(sector.count)
                }
            }
        }
        return (disk, said)
    }
}
