import Cryptography
import Dispatch
import EmbeddedStore
import Glibc
import Logging
import ObjectModel
import PostgresLog
import StoreContract
import Synchronization

/// The duties of a gateway for the log that it shares with others, beside following it: it reports to PostgreSQL every
/// few seconds that it runs and how far it is, makes an image when one is due, deletes what nobody needs, and ends the
/// program when its replica must be replaced.
final class ReplicaKeeper: Sendable {
    struct Options: Sendable {
        /// Where the copy is written that is uploaded as an image.
        var copy: String
        /// The bytes of the log above the newest image from which a new one may be due.
        var imageBytes: Int
        /// The seconds that the log keeps an entry at least.
        var logSeconds: Int
        /// The program's address, for people.
        var address: String
        /// A hash of the roles at the start.
        var roles: [UInt8] = []
    }

    private let store: EmbeddedStore
    private let log: PostgresLog
    private let options: Options
    private let id: [UInt8]
    /// Called once when the replica must be replaced.
    private let onFailure: @Sendable (StoreError) -> Void
    private let logger = Logger(label: "replica")
    private let reports = DispatchQueue(label: "realmgate.gateway")
    private let images = DispatchQueue(label: "realmgate.images")
    private let state: Mutex<State>

    private struct State {
        var hasEnded = false
        /// Whether PostgreSQL took the last report.
        var isKnown = true
        /// The version at the last look whether an image is due.
        var looked: Version?
        /// Whether the last look at images and log succeeded.
        var isTidy = true
        var hasFailed = false
        var roles: [UInt8]
        /// The gateways with other roles, at the last look.
        var strangers: [String] = []
    }

    private static let reportInterval = 3.0
    private static let imageInterval = 30.0
    /// Gateways that were not seen for longer may have been stopped, and started with other roles.
    private static let mostSilence: Int64 = 10

    /// Nil for a store without a log in PostgreSQL.
    init?(
        _ store: EmbeddedStore, _ path: String, _ options: Options, onFailure: @escaping @Sendable (StoreError) -> Void
    ) {
        guard let log = store.log as? PostgresLog else { return nil }
        self.store = store
        self.log = log
        self.options = options
        self.onFailure = onFailure
        id = Self.id(of: path)
        state = Mutex(State(roles: options.roles))
    }

    /// The roles have changed.
    func update(roles: [UInt8]) { state.withLock { $0.roles = roles } }

    func start() {
        reports.async { [weak self] in self?.report() }
        // Not at once: the gateway has just started, and others may have too.
        images.asyncAfter(deadline: .now() + 1) { [weak self] in self?.tidy() }
    }

    /// Deletes the gateway from PostgreSQL's table. Call it before the store is closed.
    func end() {
        state.withLock { $0.hasEnded = true }
        reports.sync {
            do {
                try log.forget(id)
            } catch {
                logger.warning(
                    "The gateway stays in the table of gateways for an hour.", metadata: ["error": "\(error)"])
            }
        }
    }

    private var hasEnded: Bool { state.withLock { $0.hasEnded } }

    // MARK: Reports

    private func report() {
        guard !hasEnded else { return }
        if let failure = store.replicaFailure { fail(failure) }
        do {
            let gateway = LogGateway(
                id: id, address: options.address, program: "realmgate \(Realmgate.version)",
                newestFormat: LogDirectory.newestEntryFormat, roles: state.withLock { $0.roles },
                applied: try store.snapshot().version)
            try log.report(gateway)
            noteReport(isKnown: true)
        } catch {
            noteReport(isKnown: false, error)
        }
        reports.asyncAfter(deadline: .now() + Self.reportInterval) { [weak self] in self?.report() }
    }

    /// Logs a change, and not each attempt.
    private func noteReport(isKnown: Bool, _ error: (any Error)? = nil) {
        let hasChanged = state.withLock { state in
            defer { state.isKnown = isKnown }
            return state.isKnown != isKnown && !state.hasEnded
        }
        guard hasChanged else { return }
        if let error {
            logger.warning("This gateway cannot report its version to PostgreSQL.", metadata: ["error": "\(error)"])
        } else {
            logger.notice("This gateway reports its version to PostgreSQL again.")
        }
    }

    private func fail(_ failure: StoreError) {
        let isFirst = state.withLock { state in
            defer { state.hasFailed = true }
            return !state.hasFailed
        }
        guard isFirst else { return }
        logger.error("The replica follows its log no longer.", metadata: ["error": "\(failure.message)"])
        if Self.endsProgram(failure) { onFailure(failure) }
    }

    /// Whether the next start helps, of a newer program where entries are newer. Of a damaged log a new replica would be
    /// no better than this one, which still serves reads.
    static func endsProgram(_ failure: StoreError) -> Bool {
        [.versionGone, .historyLost, .diverged, .unsupportedFormat].contains(failure.code)
    }

    /// Warns when other gateways allow callers other things, once for each change.
    private func compareRoles() throws {
        let own = state.withLock { $0.roles }
        let others = try log.gateways().filter {
            $0.secondsSinceSeen <= Self.mostSilence && !$0.roles.isEmpty && $0.roles != own
        }
        let addresses = others.map(\.address).sorted()
        let isUnreported = state.withLock { state in
            defer { state.strangers = addresses }
            return state.strangers != addresses
        }
        guard isUnreported, !addresses.isEmpty else { return }
        logger.warning(
            "Other gateways of the realm have other roles (auth.roles): what a caller may do depends on the gateway. Give all of them the same.",
            metadata: ["gateways": "\(addresses.joined(separator: ", "))"])
    }

    // MARK: Images

    private func tidy() {
        guard !hasEnded else { return }
        do {
            try compareRoles()
            try makeImageIfDue()
            try log.trim(keepingSeconds: Int64(options.logSeconds))
            state.withLock { $0.isTidy = true }
        } catch {
            noteUntidy(error)
        }
        images.asyncAfter(deadline: .now() + Self.imageInterval) { [weak self] in self?.tidy() }
    }

    /// Logs the first failure of a row, as PostgreSQL may be away for long.
    private func noteUntidy(_ error: any Error) {
        let isUnreported = state.withLock { state in
            defer { state.isTidy = false }
            return state.isTidy && !state.hasEnded
        }
        guard isUnreported, store.replicaFailure == nil else { return }
        logger.warning(
            "No image was made, and the log was not trimmed. This is tried again.", metadata: ["error": "\(error)"])
    }

    private func makeImageIfDue() throws {
        let version = try store.snapshot().version
        // The sizes of entries are a look at each of them.
        guard state.withLock({ $0.looked != version }) else { return }
        let isDue = try store.isImageDue(least: Int64(options.imageBytes))
        state.withLock { $0.looked = version }
        guard isDue else { return }
        let start = ContinuousClock.now
        guard let image = try store.makeImage(by: id, copy: options.copy) else { return }
        logger.notice(
            "Made an image of the realm.",
            metadata: [
                "version": "\(image.position.version)", "bytes": "\(image.bytes)",
                "milliseconds": "\(Int((ContinuousClock.now - start) / .milliseconds(1)))",
            ])
    }

    // MARK: Names

    /// The same for each start with this file on this machine, so that a gateway that was killed takes its row over.
    static func id(of path: String) -> [UInt8] {
        var status = stat()
        _ = stat(path, &status)
        var hash = SHA256()
        hash.update(Array("\(hostName) \(machineRun) \(status.st_dev) \(status.st_ino) \(path)".utf8))
        return Array(hash.finalize().prefix(16))
    }

    private static var machineRun: String { TextFile.line("/proc/sys/kernel/random/boot_id") ?? "" }

    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "localhost" }
    }
}
