import StorageEngine
import StoredRecords
import LMDBStorage
import Columnar
import Glibc
package import ObjectModel
package import StoreContract

extension ImageFile {
    /// Uploads a copy that nobody changes meanwhile.
    static func upload(
        _ copy: String, at position: LogPosition, to log: any ImageStore,
        progress: @escaping (_ bytes: Int64) throws -> Void
    ) throws -> LogImage {
        try upload(copy, at: position, by: log.uploadImage, progress: progress)
    }

    static func upload(
        _ copy: String, at position: LogPosition,
        by send: (LogPosition, Int32, (Int) throws -> [UInt8]) throws -> LogImage,
        progress: @escaping (_ bytes: Int64) throws -> Void
    ) throws -> LogImage {
        let descriptor = open(copy, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LMDBError(code: errno, action: "Opening").storeError(path: copy) }
        defer { close(descriptor) }
        var bytes: Int64 = 0
        return try send(position, Int32(FileFormat.number)) { most in
            let part = try [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
                var length = -1
                repeat { length = read(descriptor, buffer.baseAddress, most) } while length < 0 && errno == EINTR
                guard length >= 0 else { throw LMDBError(code: errno, action: "Reading").storeError(path: copy) }
                count = length
            }
            bytes += Int64(part.count)
            try progress(bytes)
            return part
        }
    }
}

/// A copy of a database file with which a log begins, or begins again: one state, without the history before it.
package struct LogBeginning: Sendable {
    /// The copy.
    package let path: String
    package let position: LogPosition

    /// Writes the copy: the newest state of `file`, as `version` with a new tag. A file at `path` is replaced.
    ///
    /// Check the file first, see `EmbeddedStore.check`. Throws the errors of `open` and `writeCopy`.
    ///
    /// - Parameter version: from the file's version, that of the copy.
    package init(
        of file: String, at path: String, version: (Version) -> Version, progress: (@Sendable (Int) -> Void)? = nil
    ) throws {
        guard FileIdentity(path: file) != nil else {
            throw StoreError(.fileAccess, "There is no file '\(file)'.")
        }
        unlink(path)
        let store = try EmbeddedStore.open(path: file)
        defer { store.close() }
        try store.writeCopy(to: path, progress: progress)
        do {
            position = try Self.begin(path, version)
        } catch {
            unlink(path)
            if error is DamagedRecord { throw StoreError.damaged(path) }
            throw (error as? LMDBError)?.storeError(path: path) ?? error
        }
        self.path = path
    }

    private static func begin(_ path: String, _ version: (Version) -> Version) throws -> LogPosition {
        guard let presence = try FilePresence.acquireExclusivelySoon(path) else {
            throw StoreError(.busy, "'\(path)' is in use by another program. Move it away and try again.")
        }
        var position = LogPosition.start
        try ImageFile.change(path, presence) { transaction, meta in
            position = LogPosition(version(try ImageFile.position(transaction, meta).version), .random())
            try transaction.put(meta, FileFormat.versionKey, Catalogue.versionRecord(position.version))
            try HistoryRecord(tag: position.tag, isCopy: true).put(in: transaction, meta)
            guard let log = try transaction.database(FileFormat.logTree, create: true) else { throw DamagedRecord() }
            // Its versions and tags are of another history.
            try transaction.clear(log)
            // The tag of the version is known after later ones too.
            let changes = ChangeSet(version: position.version, schemaChanged: true)
            try transaction.put(
                log, Catalogue.versionRecord(position.version),
                ChangeSetRecord.encode(changes, undo: nil, tag: position.tag, at: Timestamp.now().seconds))
        }
        return position
    }

    /// Uploads it.
    package func upload(to log: any ImageStore, progress: @escaping (_ bytes: Int64) -> Void = { _ in }) throws
        -> LogImage
    {
        try ImageFile.upload(path, at: position, to: log, progress: progress)
    }

    /// Calls a function of a log that takes the position, the file's format and a function that reads the next bytes.
    package func upload(
        by send: (LogPosition, Int32, (_ most: Int) throws -> [UInt8]) throws -> LogImage
    ) throws -> LogImage {
        try ImageFile.upload(path, at: position, by: send) { _ in }
    }

    /// Deletes the copy.
    package func remove() { unlink(path) }
}
