import Glibc
import ObjectModel
package import StoreContract
import Synchronization

extension EmbeddedStore {
    /// Whether an image of the log is due; see `ImageStore.isImageDue`. False for a store without a log.
    package func isImageDue(least: Int64 = 64 << 20) throws -> Bool {
        guard let log = replication?.log else { return false }
        return try log.isImageDue(least: least)
    }

    /// Makes an image of the newest version, and deletes all but the newest two. Returns nil when the newest image is of
    /// that version already, or another store makes one now. Reads and writes go on meanwhile. Do not call this on the
    /// writer's thread.
    ///
    /// Throws `isReplica` for a store without a log, the errors of `writeCopy`, and the log's.
    ///
    /// - Parameters:
    ///   - maker: 16 bytes that name the caller.
    ///   - copy: the path of the copy that is uploaded, and deleted at the end. A file there is replaced.
    @discardableResult
    package func makeImage(by maker: [UInt8], copy: String) throws -> LogImage? {
        guard let replication else {
            throw StoreError(.isReplica, "'\(file.path)' was opened without a log, so it has no images.")
        }
        try replication.throwIfStopped()
        let log = replication.log.log
        guard let lease = try ImageLease(log, maker) else { return nil }
        defer { lease.end() }
        if try log.images().first(where: \.isComplete)?.place == file.place { return nil }
        unlink(copy)
        defer { unlink(copy) }
        try writeCopy(to: copy) { _ in try lease.renew() }
        let image = try ImageFile.upload(copy, at: try ImageFile.place(of: copy), to: log) { _ in try lease.renew() }
        try log.deleteImages(keeping: type(of: log).keptImages)
        return image
    }
}

/// The right to make an image, renewed while it is made.
final class ImageLease: Sendable {
    private let log: any CommitLog
    private let maker: [UInt8]
    private let renewed = Mutex(ContinuousClock.now)

    /// A log gives the right for ten minutes.
    private static let interval = Duration.seconds(60)

    /// Nil when another store has it.
    init?(_ log: any CommitLog, _ maker: [UInt8]) throws {
        guard try log.claimImage(by: maker) else { return nil }
        self.log = log
        self.maker = maker
    }

    /// Renews it now and then. Throws `busy` when it is lost.
    func renew() throws {
        let isDue = renewed.withLock { renewed in
            guard ContinuousClock.now - renewed > Self.interval else { return false }
            renewed = .now
            return true
        }
        guard isDue, try !log.claimImage(by: maker) else { return }
        throw StoreError(.busy, "Another store began to make an image, because this one took too long.")
    }

    /// A failure only delays the next image.
    func end() { try? log.releaseImage(by: maker) }
}
