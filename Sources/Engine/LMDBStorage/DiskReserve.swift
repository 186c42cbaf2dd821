import CLMDB
import Glibc
import Synchronization

/// Disk space allocated beyond the end of a file, for writes that delete: they, too, make new pages before the old ones
/// are free, and a full disk would have none for them.
///
/// A write that makes the file longer first moves the reserve along, and is rejected where the disk has no space for
/// that. A write that finds its pages within the file needs none of this.
package final class DiskReserve: Sendable {
    private let presence: FilePresence
    /// The offset up to which the disk has space for every page. It keeps that space, whichever process writes there.
    private let end = Mutex(0)

    package init(_ presence: FilePresence) { self.presence = presence }

    /// The bytes to reserve beyond a file of that length: a quarter of it, which is as much as a deletion of very many
    /// objects may have to copy, within bounds.
    package static func size(behind length: Int) -> Int { min(max(length / 4, 64 << 10), 64 << 20) }

    /// Whether the reserve exists beyond pages of that length. Asks the disk where that is not known.
    package func isWhole(behind length: Int) -> Bool {
        do {
            try keep(behind: length)
            return true
        } catch {
            return false
        }
    }

    /// Reserves space beyond pages of that length. Throws `ENOSPC` and similar errors where that is impossible, without
    /// using up existing space. Cost: a comparison, as long as the file has not grown by the size of the reserve since
    /// the last allocation.
    package func keep(behind length: Int) throws(LMDBError) {
        let known = end.withLock { $0 }
        let size = Self.size(behind: length)
        guard known < length + size else { return }
        // Twice the reserve, so that not every write allocates.
        if (try? allocate(from: known, to: length + 2 * size)) != nil { return }
        try allocate(from: known, to: length + size)
    }

    private func allocate(from known: Int, to wanted: Int) throws(LMDBError) {
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur < UInt(wanted) {
            throw LMDBError(code: EFBIG, action: "Reserving space for")
        }
        // LMDB does not write pages that a write allocates and frees again, which leaves holes.
        let start = known > 0 ? known : firstGap
        if start >= wanted || rg_reserve_space(presence.descriptor, start, wanted - start) == 0 {
            return end.withLock { $0 = max($0, wanted) }
        }
        switch errno {
        case ENOSPC, EDQUOT, EFBIG: throw LMDBError(code: errno, action: "Reserving space for")
        default:
            // A file system that cannot reserve space: then the space is at least there now.
            var device = statvfs()
            let missing = wanted - presence.fileSize
            if fstatvfs(presence.descriptor, &device) == 0, Int(device.f_bavail) * Int(device.f_frsize) < missing {
                throw LMDBError(code: ENOSPC, action: "Reserving space for")
            }
        }
    }

    /// The first offset at which the disk may lack space.
    private var firstGap: Int {
        var status = stat()
        guard fstat(presence.descriptor, &status) == 0 else { return 0 }
        let length = Int(status.st_size)
        return Int(status.st_blocks) * 512 >= length ? length : 0
    }
}
