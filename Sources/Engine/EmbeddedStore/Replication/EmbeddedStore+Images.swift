import Glibc
package import ObjectModel
package import StoreContract
import StoredRecords
import Synchronization

extension EmbeddedStore {
    /// Whether an image of the log is due; see `ImageStore.isImageDue`. False for a store without a log.
    package func isImageDue(least: Int64 = LogImage.defaultLeast) throws -> Bool {
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
        if try log.images().first(where: \.isComplete)?.position == file.position { return nil }
        unlink(copy)
        defer { unlink(copy) }
        try writeCopy(to: copy) { _ in try lease.renew() }
        let image = try ImageFile.upload(copy, at: try ImageFile.position(of: copy), to: log) { _ in try lease.renew() }
        try log.deleteImages(keeping: type(of: log).retainedImages)
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

extension EmbeddedStore: SharedVersions {
    package var sharedVersions: (any SharedVersions)? { replication == nil ? nil : self }

    package var sharedRecords: (any RecordStore)? { replication?.log }

    package func pin(_ pin: VersionPin, completion: @escaping @Sendable (Result<Version, any Error>) -> Void) {
        // Alone, so that the version that it makes is the newest one when it is passed on.
        enqueue(
            WriterJob(work: .notice(.pinned(id: pin.id, note: pin.note)), isAlone: true) { [weak self] result in
                guard let self, case .success = result else { return completion(result) }
                do {
                    let snapshot = try snapshot()
                    pass(.pinned(pin, snapshot))
                    completion(result)
                } catch {
                    completion(.failure(error))
                }
            })
    }

    package func unpin(_ id: [UInt8], completion: @escaping @Sendable (Result<Version, any Error>) -> Void) {
        enqueue(
            WriterJob(work: .notice(.unpinned(id: id)), isAlone: false) { [weak self] result in
                if case .success = result { self?.pass(.unpinned(id)) }
                completion(result)
            })
    }

    package func onPin(_ listener: @escaping @Sendable (PinEvent) -> Void) {
        pinListeners.withLock { $0.append(listener) }
    }

    /// Passes on what other stores said, on the writer's thread, while the newest version is that of a pin. A version of
    /// which no snapshot can be made is not kept here.
    func pass(_ notices: [RedoStep]) {
        for notice in notices where pinListeners.withLock({ !$0.isEmpty }) {
            switch notice {
            case .pinned(let id, let note):
                if let snapshot = try? snapshot() { pass(.pinned(VersionPin(id: id, note: note), snapshot)) }
            case .unpinned(let id): pass(.unpinned(id))
            default: continue
            }
        }
    }

    private func pass(_ event: PinEvent) { for listener in pinListeners.withLock({ $0 }) { listener(event) } }
}
