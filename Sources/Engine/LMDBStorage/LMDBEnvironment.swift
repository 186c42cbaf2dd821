import CLMDB
import Glibc
import Synchronization

/// A named B-tree of the environment.
package struct LMDBDatabase: Sendable {
    fileprivate(set) var handle: MDB_dbi

    /// The tree of the free pages, and the one whose entries are the named trees.
    static let freePages = LMDBDatabase(handle: 0)
    static let named = LMDBDatabase(handle: 1)
}

/// The files that this process has open, and whether each is being closed. POSIX file locks make it fatal to open one
/// twice: closing either would drop the other's locks.
private let openFiles = Mutex<[FileIdentity: Bool]>([:])

/// One open LMDB file. It is closed when the last reference is dropped, so transactions keep a reference to it.
///
/// Sendable although it holds a pointer: LMDB's environment handle may be used from any thread, the pointer never
/// changes after init, and it is freed only in deinit.
package final class LMDBEnvironment: @unchecked Sendable {
    let pointer: OpaquePointer
    /// Held until LMDB has closed the file.
    package let presence: FilePresence

    /// Opens the presence's file, which LMDB initialises when it is empty. The lock file is beside it, named
    /// `PATH-lock`.
    ///
    /// Reserves `mapSize` bytes of address space; the file itself grows as needed. Where the system refuses so much
    /// address space, smaller sizes are tried. A private file is one that nobody else opens: it gets no lock file.
    package init(
        path: String, _ presence: FilePresence, mapSize: Int, maximumReaders: Int, isPrivate: Bool = false
    ) throws(LMDBError) {
        guard Self.reserve(presence.identity, isPrivate) else { throw LMDBError.openHere }
        do throws(LMDBError) {
            pointer = try Self.open(
                path: path, mapSize: mapSize, maximumReaders: maximumReaders, isPrivate: isPrivate)
        } catch {
            openFiles.withLock { $0[presence.identity] = nil }
            throw error
        }
        self.presence = presence
        releaseDeadReaders()
    }

    /// Notes that this process opens a file; false if it has it open. Waits some seconds only for a file that is being
    /// closed: a thread of a store that was closed just now may hold the last reference for a moment. A private file is
    /// open for a moment only.
    private static func reserve(_ identity: FileIdentity, _ isPrivate: Bool) -> Bool {
        for _ in 0..<500 {
            let isTaken = openFiles.withLock { files in
                if let isClosing = files[identity] { return isClosing ? nil : false }
                files[identity] = isPrivate
                return true as Bool?
            }
            if let isTaken { return isTaken }
            usleep(10_000)
        }
        return false
    }

    /// Notes that the file's owner has closed it, so that who opens it next waits for the last reference to go.
    package func beginClosing() {
        openFiles.withLock { files in
            if files[presence.identity] != nil { files[presence.identity] = true }
        }
    }

    /// Frees the slots of readers whose process died: they would pin their versions for ever.
    package func releaseDeadReaders() {
        var dead: Int32 = 0
        mdb_reader_check(pointer, &dead)
    }

    private static func open(
        path: String, mapSize: Int, maximumReaders: Int, isPrivate: Bool
    ) throws(LMDBError) -> OpaquePointer {
        // Another release would call an intact file damaged.
        guard LMDBRelease.loaded.readsOurFormat else {
            throw LMDBError(code: MDB_VERSION_MISMATCH, action: "Opening")
        }
        var size = mapSize
        while true {
            var environment: OpaquePointer?
            try check(mdb_env_create(&environment), "Opening")
            guard let environment else { throw LMDBError(code: ENOMEM, action: "Opening") }
            mdb_env_set_maxdbs(environment, 16)
            mdb_env_set_maxreaders(environment, UInt32(maximumReaders))
            mdb_env_set_mapsize(environment, size)
            // NOTLS: several read transactions per thread, each usable from any thread. NORDAHEAD: reads are of single
            // leaves.
            var flags = UInt32(MDB_NOSUBDIR) | UInt32(MDB_NOTLS) | UInt32(MDB_NORDAHEAD)
            if isPrivate { flags |= UInt32(MDB_NOLOCK) }
            let code = mdb_env_open(environment, path, flags, 0o640)
            if code == 0 { return environment }
            mdb_env_close(environment)
            if code == ENOMEM, size > 1 << 30 {
                size /= 4
                continue
            }
            throw LMDBError(code: code, action: "Opening")
        }
    }

    deinit {
        openFiles.withLock { files in
            mdb_env_close(pointer)
            files[presence.identity] = nil
        }
    }

    /// Makes commits return before they are on disk. The file survives the end of the process, but not a crash of the
    /// machine.
    package func stopSyncing() { mdb_env_set_flags(pointer, UInt32(MDB_NOSYNC), 1) }

    /// Writes all commits to the disk.
    package func sync() throws(LMDBError) { try check(mdb_env_sync(pointer, 1), "Syncing") }

    /// The number of the newest LMDB transaction, by any process. Cost: a few nanoseconds.
    package var lastTransaction: Int {
        var info = MDB_envinfo()
        mdb_env_info(pointer, &info)
        return Int(info.me_last_txnid)
    }

    /// The offset of the end of the last page in use; a file shorter than this is truncated.
    package var usedBytes: Int {
        var info = MDB_envinfo()
        mdb_env_info(pointer, &info)
        return (Int(info.me_last_pgno) + 1) * pageSize
    }

    package var pageSize: Int {
        var statistics = MDB_stat()
        mdb_env_stat(pointer, &statistics)
        return Int(statistics.ms_psize)
    }

    package func begin(readOnly: Bool) throws(LMDBError) -> LMDBTransaction {
        var transaction: OpaquePointer?
        let flags = readOnly ? UInt32(MDB_RDONLY) : 0
        try check(mdb_txn_begin(pointer, nil, flags, &transaction), "Beginning a transaction on")
        guard let transaction else { throw LMDBError(code: ENOMEM, action: "Beginning a transaction on") }
        return LMDBTransaction(transaction, environment: self)
    }
}

extension LMDBTransaction {
    /// Opens the named tree, creating it in a write transaction; nil when it does not exist and may not be created.
    package func database(_ name: String, create: Bool) throws(LMDBError) -> LMDBDatabase? {
        var handle: MDB_dbi = 0
        let code = mdb_dbi_open(pointer, name, create ? UInt32(MDB_CREATE) : 0, &handle)
        if code == MDB_NOTFOUND { return nil }
        try check(code, "Opening a tree of")
        return LMDBDatabase(handle: handle)
    }
}

extension LMDBEnvironment {
    /// Writes the newest version to an empty file, in order and without unused pages, and syncs it. Others may read and
    /// write meanwhile.
    package func copy(to descriptor: Int32) throws(LMDBError) {
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

extension LMDBEnvironment {
    /// The oldest transaction that any process still reads; nil when nobody reads.
    ///
    /// LMDB reports this only as text: a heading, then per reader the process, the thread and the transaction.
    var oldestReader: Int? {
        var oldest: Int?
        withUnsafeMutablePointer(to: &oldest) { oldest in
            _ = mdb_reader_list(
                pointer,
                { line, context in
                    guard let line, let oldest = context?.assumingMemoryBound(to: Int?.self) else { return 0 }
                    let words = String(cString: line).split(whereSeparator: { $0 == " " || $0 == "\n" })
                    guard words.count == 3, let transaction = Int(words[2]) else { return 0 }
                    oldest.pointee = min(oldest.pointee ?? .max, transaction)
                    return 0
                }, oldest)
        }
        return oldest
    }

    /// The number of durable states from the oldest one in use to the newest. Versions of one commit count as one.
    package var activeVersions: Int {
        let newest = lastTransaction
        return newest - min(oldestReader ?? newest, newest) + 1
    }
}

/// Whether a file can grow.
enum FreeSpace {
    /// Less than one write takes: at most that much is left when a write was cut off for lack of space.
    private static let margin = 64 << 10

    /// Whether the device of the file has no space left, or the file has reached the process's limit for the size of
    /// files (RLIMIT_FSIZE).
    static func isExhausted(_ path: String) -> Bool {
        var device = statvfs()
        if statvfs(path, &device) == 0, Int(device.f_bavail) * Int(device.f_frsize) < margin { return true }
        var limit = rlimit()
        var file = stat()
        guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur < UInt(Int.max),
            stat(path, &file) == 0
        else { return false }
        return Int(file.st_size) + margin > Int(limit.rlim_cur)
    }
}
