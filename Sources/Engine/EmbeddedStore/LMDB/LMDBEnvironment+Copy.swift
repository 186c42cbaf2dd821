import CLMDB
import Glibc

extension LMDBEnvironment {
    /// Writes the newest version to an empty file, in order and without unused pages, and syncs it. Others may read and
    /// write meanwhile.
    func copy(to descriptor: Int32) throws(LMDBError) {
        var code = mdb_env_copyfd2(pointer, descriptor, UInt32(MDB_CP_COMPACT))
        if code == MDB_INCOMPATIBLE {
            // Some pages are neither used nor listed as free; LMDB cannot make a compacted copy of such a file.
            guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
                throw LMDBError(code: errno, action: "Copying")
            }
            code = mdb_env_copyfd2(pointer, descriptor, 0)
        }
        try check(code, "Copying")
        guard fsync(descriptor) == 0 else { throw LMDBError(code: errno, action: "Syncing a copy of") }
    }
}
