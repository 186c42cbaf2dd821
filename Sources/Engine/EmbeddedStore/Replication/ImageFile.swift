import StorageEngine
import LMDBStorage
import Columnar
import Dispatch
import Glibc
import ObjectModel
import StoreContract
import Synchronization

/// The file of an image: a copy of a store, on its way to the log or from it.
enum ImageFile {
    /// Downloads an image, checks it, and gives it its name as a replica of the log. Nothing is at `path` before all of
    /// it is on disk.
    ///
    /// Throws `logDamaged` and `invalidFile` for a damaged image, `unsupportedFormat`, `busy` when another program
    /// fetches to the same path or a file appeared there, `full`, `inputOutput`, and the log's errors.
    static func fetch(
        _ image: LogImage, from log: any CommitLog, to path: String, progress: (_ bytes: Int64) -> Void
    ) throws {
        guard image.fileFormat <= Int32(FileFormat.number) else {
            throw StoreError.unsupportedFormat("image of version \(image.position.version)", UInt32(image.fileFormat))
        }
        let draft = path + ".image"
        guard let presence = try FilePresence.acquireExclusivelySoon(draft) else {
            throw StoreError(.busy, "Another program makes the replica '\(path)' now. Wait for it.")
        }
        defer { unlink(draft) }
        do {
            guard ftruncate(presence.descriptor, 0) == 0 else { throw LMDBError(code: errno, action: "Emptying") }
            var bytes: Int64 = 0
            try log.downloadImage(image) { part in
                try write(part, to: presence.descriptor)
                bytes += Int64(part.count)
                progress(bytes)
            }
            try syncing(presence.descriptor) { try PageCheck(presence, path: draft).verify() }
            try change(draft, presence) { transaction, meta in
                let position = try position(transaction, meta)
                guard position == image.position else {
                    throw StoreError(
                        .logDamaged,
                        "The image of version \(image.position.version) has version \(position.version), or another history."
                    )
                }
                try HistoryRecord(tag: position.tag).put(in: transaction, meta)
                try ReplicaRecord(log: log.id, run: 0).put(in: transaction, meta)
            }
            guard try FileSystem.rename(draft, toNew: path) else {
                throw StoreError(.busy, "Another program made the replica '\(path)' meanwhile. Try again.")
            }
            FileSystem.syncDirectory(of: path)
        } catch let error as LMDBError {
            throw error.storeError(path: path)
        } catch is DamagedRecord {
            throw StoreError.damaged(draft)
        }
    }

    /// Puts the file on disk while `body` reads it, which needs a processor and no disk.
    private static func syncing(_ descriptor: Int32, _ body: () throws -> Void) throws {
        let failure = Mutex<Int32>(0)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            let code = fsync(descriptor) == 0 ? 0 : errno
            failure.withLock { $0 = code }
        }
        defer { group.wait() }
        try body()
        group.wait()
        let code = failure.withLock { $0 }
        guard code == 0 else { throw LMDBError(code: code, action: "Syncing") }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(LMDBError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw LMDBError(code: errno, action: "Writing") }
            rest = rest.dropFirst(count)
        }
    }

    /// The newest position of a copy that nobody else has open.
    static func position(of path: String) throws -> LogPosition {
        guard let presence = try FilePresence.acquireExclusivelySoon(path) else {
            throw StoreError(.busy, "'\(path)' is in use by another program. Move it away and try again.")
        }
        var found = LogPosition.start
        do {
            try change(path, presence) { found = try position($0, $1) }
        } catch is DamagedRecord {
            throw StoreError.damaged(path)
        } catch let error as LMDBError {
            throw error.storeError(path: path)
        }
        return found
    }

    static func position(_ transaction: LMDBTransaction, _ meta: LMDBDatabase) throws -> LogPosition {
        guard let version = try transaction.get(meta, FileFormat.versionKey), version.count == 8 else {
            throw DamagedRecord()
        }
        return LogPosition(
            Version(version.bigEndian(at: 0, as: UInt64.self)), try HistoryRecord(transaction, meta).tag)
    }

    /// Runs a transaction on a file that nobody else has open; it is on disk afterwards.
    static func change(
        _ path: String, _ presence: FilePresence, _ body: (LMDBTransaction, LMDBDatabase) throws -> Void
    ) throws {
        // Room for a few pages.
        let environment = try LMDBEnvironment(
            path: path, presence, mapSize: presence.fileSize + 16 << 20, maximumReaders: 1, isPrivate: true)
        let transaction = try environment.begin(readOnly: false)
        defer { transaction.abort() }
        guard let meta = try transaction.database(FileFormat.metaTree, create: false) else { throw DamagedRecord() }
        try body(transaction, meta)
        try transaction.commit()
    }
}
