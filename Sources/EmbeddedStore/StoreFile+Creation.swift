import Glibc
import StoreContract
import Synchronization

extension StoreFile {
    /// Numbers the files that this process is making.
    private static let attempts = Atomic(0)

    /// Makes a new file whole or not at all: it is made under another name and appears under its own when it is on
    /// disk. A file that another process makes at the same time stays. Throws `LMDBError`, or what `fill` throws.
    static func create(
        path: String, options: EmbeddedStoreOptions, fill: (LMDBEnvironment) throws -> Void
    ) throws {
        let number = attempts.add(1, ordering: .relaxed).newValue
        let draft = "\(path).new-\(getpid())-\(number)"
        defer { unlink(draft) }
        do {
            try fill(
                try LMDBEnvironment(path: draft, mapSize: options.maximumSize, maximumReaders: 1, isPrivate: true))
        } catch let error as LMDBError where error.code == ENOENT {
            // The directory is missing: named by the path that was asked for.
            throw LMDBError(code: ENOENT, action: "Opening")
        }
        if link(draft, path) == 0 { return syncDirectory(of: path) }
        switch errno {
        case EEXIST: break
        case EPERM, ENOTSUP, ENOSYS, EMLINK:
            // Some file systems have no links. There a file that is made at the very same time is replaced.
            guard access(path, F_OK) != 0 else { break }
            guard rename(draft, path) == 0 else { throw LMDBError(code: errno, action: "Opening") }
            syncDirectory(of: path)
        case let code: throw LMDBError(code: code, action: "Opening")
        }
    }

    /// Makes the new file's name survive a power loss; LMDB syncs only the contents.
    private static func syncDirectory(of path: String) {
        let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
