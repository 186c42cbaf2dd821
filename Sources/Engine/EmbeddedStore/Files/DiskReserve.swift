import CLMDB
import Glibc
import Synchronization

/// Space behind the end of a file that the disk has set aside for it, for writes that delete: they, too, make new pages
/// before the old ones are free, and on a full disk there would be none for them.
///
/// A write that makes the file longer moves the reserve along first, and is refused where the disk has no space for
/// that. One that finds its pages within the file needs none of this.
final class DiskReserve: Sendable {
    private let presence: FilePresence
    /// Up to where the disk is known to have a place for every page. It keeps that, whichever process writes there.
    private let end = Mutex(0)

    init(_ presence: FilePresence) { self.presence = presence }

    /// Bytes that are set aside behind a file of that length: a quarter of it, as much as copying what a deletion of very
    /// much touches may take, within bounds.
    static func size(behind length: Int) -> Int { min(max(length / 4, 64 << 10), 64 << 20) }

    /// Whether the reserve is there behind pages of that length. Asks the disk where that is not known.
    func isWhole(behind length: Int) -> Bool {
        do {
            try keep(behind: length)
            return true
        } catch {
            return false
        }
    }

    /// Sets the reserve aside behind pages of that length. Throws `ENOSPC` and its like where that cannot be; nothing has
    /// been taken from what was there then. Cost: a comparison, as long as the file has not grown by the size of the
    /// reserve since it was asked last.
    func keep(behind length: Int) throws(LMDBError) {
        let known = end.withLock { $0 }
        let size = Self.size(behind: length)
        guard known < length + size else { return }
        // With as much again, so that not every write asks.
        if (try? allocate(from: known, to: length + 2 * size)) != nil { return }
        try allocate(from: known, to: length + size)
    }

    private func allocate(from known: Int, to wanted: Int) throws(LMDBError) {
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur < UInt(wanted) {
            throw LMDBError(code: EFBIG, action: "Reserving space for")
        }
        // LMDB does not write pages that a write takes and frees again, which leaves holes.
        let start = known > 0 ? known : firstGap
        if start >= wanted || rg_reserve_space(presence.descriptor, start, wanted - start) == 0 {
            return end.withLock { $0 = max($0, wanted) }
        }
        switch errno {
        case ENOSPC, EDQUOT, EFBIG: throw LMDBError(code: errno, action: "Reserving space for")
        default:
            // A file system that sets nothing aside: then the space is at least there now.
            var device = statvfs()
            let missing = wanted - presence.fileSize
            if fstatvfs(presence.descriptor, &device) == 0, Int(device.f_bavail) * Int(device.f_frsize) < missing {
                throw LMDBError(code: ENOSPC, action: "Reserving space for")
            }
        }
    }

    /// Where the disk may lack a place for the first time.
    private var firstGap: Int {
        var status = stat()
        guard fstat(presence.descriptor, &status) == 0 else { return 0 }
        let length = Int(status.st_size)
        return Int(status.st_blocks) * 512 >= length ? length : 0
    }
}
