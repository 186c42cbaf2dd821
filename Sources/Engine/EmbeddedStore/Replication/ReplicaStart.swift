import Glibc
import LMDBStorage
package import ObjectModel
package import StoreContract

/// Makes a replica ready: from its file, or else from the newest image that is usable, or else from the beginning of
/// the log; and then from the log.
struct ReplicaStart {
    let path: String
    let schema: Schema
    let log: any CommitLog
    let options: EmbeddedStoreOptions
    let report: (ReplicaNotice) -> Void

    /// Returns a store that follows the log.
    func run() throws -> EmbeddedStore {
        // An image that is uploaded meanwhile is newer than what is needed.
        let images = try log.images().filter(\.isComplete)
        if let store = try fromFile(images) { return store }
        let floor = try log.floor()
        var failure: StoreError?
        for image in images where image.position.version >= floor {
            do {
                return try fromImage(image)
            } catch let error as StoreError where Self.concernsImage(error) {
                failure = error
                report(.unusableImage(image, reason: error.message))
                try? ReplicaFile.discard(path)
            }
        }
        do {
            guard let store = try following(ReplicaFile.open(path: path, schema: schema, log: log.id, options: options))
            else {
                throw StoreError(.busy, "Another program replaced the replica '\(path)' meanwhile. Try again.")
            }
            return store
        } catch let error as StoreError where error.code == .versionGone {
            try? ReplicaFile.discard(path)
            // What is wrong with the image says more than that the log begins later.
            throw failure
                ?? StoreError(
                    .versionGone,
                    "The log begins after version \(floor), and has no image of that version or a later one. Restore the realm from a backup."
                )
        }
    }

    /// Whether another image, or the log alone, may do better.
    private static func concernsImage(_ error: StoreError) -> Bool {
        let codes: Set<StoreError.Code> = [
            .logDamaged, .invalidFile, .unsupportedFormat, .versionGone, .historyLost, .diverged,
        ]
        return codes.contains(error.code)
    }

    // MARK: The file

    /// Nil when there is no file any more.
    private func fromFile(_ images: [LogImage]) throws -> EmbeddedStore? {
        guard FileIdentity(path: path) != nil else { return nil }
        let file: StoreFile?
        do {
            file = try ReplicaFile.open(path: path, schema: schema, log: log.id, options: options)
        } catch let error as StoreError where error.code == .invalidFile && ReplicaFile.isDamaged(path) {
            try ReplicaFile.setAside(path)
            report(.setAside(path: path + ReplicaFile.damagedSuffix, reason: error.message))
            return nil
        }
        guard let file else {
            try discard("It is of another log, or the machine crashed while it was written.")
            return nil
        }
        // An empty file is not worth a reading of the whole log.
        if let image = images.first, try file.position == .start, image.position != .start {
            file.close()
            try ReplicaFile.discard(path)
            return nil
        }
        do {
            return try following(file)
        } catch let error as StoreError where [.versionGone, .historyLost, .diverged].contains(error.code) {
            try discard(error.message)
            return nil
        }
    }

    private func discard(_ reason: String) throws {
        try ReplicaFile.discard(path)
        report(.discarded(path: path, reason: reason))
    }

    // MARK: Images

    private func fromImage(_ image: LogImage) throws -> EmbeddedStore {
        try ImageFile.fetch(image, from: log, to: path) { report(.fetching(image, bytes: $0)) }
        report(.fetched(image))
        guard
            let store = try following(
                ReplicaFile.open(path: path, schema: schema, log: log.id, options: options, isChecked: true))
        else { throw StoreError(.busy, "Another program replaced the replica '\(path)' meanwhile. Try again.") }
        return store
    }

    // MARK: The log

    /// A store that has what the log had at the start; nil without a file. Closes the file when it throws.
    private func following(_ file: StoreFile?) throws -> EmbeddedStore? {
        guard let file else { return nil }
        let store = try EmbeddedStore.started(file, LogReplication(log))
        do {
            // Before it is compared, because another process may just have brought the file further.
            let position = try file.position
            let newest = try log.newest()
            try LogReplication.compare(position, with: newest, path: path)
            while try store.follow(compares: false) == .entries {
                report(.applied(try file.position.version, of: newest.version))
            }
        } catch {
            store.close()
            throw error
        }
        store.startFollowing()
        return store
    }
}

/// A notice for people about the start of a replica.
package enum ReplicaNotice: Sendable {
    /// The replica's file cannot be used. It is deleted, and a new one is made.
    case discarded(path: String, reason: String)
    /// The replica's file is damaged. It has another name now, and a new one is made.
    case setAside(path: String, reason: String)
    /// The image cannot be used; the one before it is tried.
    case unusableImage(LogImage, reason: String)
    /// So many bytes of the image are here. Often.
    case fetching(LogImage, bytes: Int64)
    /// The replica was made from this image.
    case fetched(LogImage)
    /// The replica has this version, and the log had that one at the start. After each page of the log.
    case applied(Version, of: Version)
}
