import EmbeddedStore
import Logging
import ObjectModel
import StoreContract

/// Logs what the start of a replica has to say; what is in progress, every few seconds.
final class ReplicaLog {
    private let logger = Logger(label: "replica")
    private var lastProgress = ContinuousClock.now

    private static let interval = Duration.seconds(5)

    func log(_ notice: ReplicaNotice) {
        switch notice {
        case .discarded(let path, let reason):
            logger.warning(
                "The replica is replaced by a new one.", metadata: ["replica": "\(path)", "reason": "\(reason)"])
        case .setAside(let path, let reason):
            logger.error(
                "The replica's file is damaged. It was renamed, and a new one is made.",
                metadata: ["renamed": "\(path)", "reason": "\(reason)"])
        case .unusableImage(let image, let reason):
            logger.error(
                "An image of the realm cannot be used. The one before it is tried, and then the log.",
                metadata: ["version": "\(image.position.version)", "reason": "\(reason)"])
        case .fetching(let image, let bytes):
            guard isTime else { return }
            logger.info(
                "Fetching an image of the realm.",
                metadata: ["version": "\(image.position.version)", "bytes": "\(bytes)", "of": "\(image.bytes)"])
        case .fetched(let image):
            logger.info(
                "Fetched an image of the realm.",
                metadata: ["version": "\(image.position.version)", "bytes": "\(image.bytes)"])
        case .applied(let version, let newest):
            guard isTime else { return }
            logger.info("Applying the log.", metadata: ["version": "\(version)", "of": "\(newest)"])
        }
    }

    private var isTime: Bool {
        guard ContinuousClock.now - lastProgress > Self.interval else { return false }
        lastProgress = .now
        return true
    }
}
