import ArgumentParser
import EmbeddedStore
import ObjectModel
import PostgresLog
import StoreContract

/// `realmgate image`: makes an image of a realm now.
struct ImageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "image",
        abstract: "Make an image of a realm in PostgreSQL now, and delete the part of its log that nobody needs.",
        discussion: """
            Gateways begin from the newest image, and make images themselves when the log has become long. This command \
            makes one at once: before many gateways are added, or to have deleted data leave PostgreSQL, which has it \
            until it is in no image and no entry any more. Two images are kept, so run it twice for that, with a write \
            in between, and with --log-seconds 0.

            It needs a replica: that of --data, which a gateway may have open, or a new one in TMPDIR, else /tmp, which \
            is deleted afterwards.

            Example:

              realmgate image --store postgres://rg@db1/app --realm shop
            """)

    @OptionGroup var source: RealmOptions

    @Option(
        help: ArgumentHelp("The replica to make it from (default: a new one).", valueName: "file"),
        completion: .file())
    var data: String?

    @Option(help: .setting("store.logSeconds", valueName: "seconds"))
    var logSeconds: Int?

    func run() throws {
        let seconds = logSeconds ?? ServiceConfiguration.defaults.logSeconds
        guard seconds >= 0 else {
            throw CommandError("--log-seconds is \(seconds); it must be 0 or more.", exitCode: 64)
        }
        let log = try source.log()
        let scratch = try TemporaryDirectory(prefix: "realmgate-")
        defer { scratch.remove() }
        let store: EmbeddedStore
        let line = ReplicaLine()
        store = try EmbeddedStore.open(
            path: data ?? scratch.path + "/replica", log: log, options: ServiceConfiguration.defaults.store
        ) { line.show($0) }
        line.finish()
        defer { store.close() }
        let maker = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        if let image = try store.makeImage(by: maker, copy: scratch.path + "/copy") {
            print("\(log.realm): image of version \(image.position.version), \(grouped(Int(image.bytes))) bytes")
        } else if let image = try log.images().first(where: \.isComplete),
            image.position.version == (try store.snapshot().version)
        {
            print(
                "\(log.realm): the newest image is of version \(image.position.version) already, which is the newest one"
            )
        } else {
            throw CommandError(
                "A gateway makes an image of the realm '\(log.realm)' now. Wait for it: realmgate status shows the newest one.",
                exitCode: 75)
        }
        let trimmed = try log.trim(keepingSeconds: Int64(seconds))
        if trimmed > 0 { print("\(log.realm): \(grouped(Int(trimmed))) versions deleted from the log") }
    }
}

/// Shows what a replica for a command does, on the terminal.
final class ReplicaLine {
    private var line = ProgressLine(of: nil)

    func show(_ notice: ReplicaNotice) {
        switch notice {
        case .fetching(let image, let bytes):
            line.show("image of version \(image.position.version): \(grouped(Int(bytes >> 20))) MiB", at: Int(bytes))
        case .applied(let version, _): line.show("version \(version) applied", at: Int(clamping: version.rawValue))
        case .unusableImage(let image, let reason):
            line.finish()
            StandardError.write("The image of version \(image.position.version) cannot be used: \(reason)\n")
        case .discarded(let path, let reason):
            line.finish()
            StandardError.write("The replica '\(path)' is replaced by a new one: \(reason)\n")
        case .setAside(let path, let reason):
            line.finish()
            StandardError.write("The replica is damaged and was renamed to '\(path)'. A new one is made. \(reason)\n")
        case .fetched: line.finish()
        }
    }

    func finish() { line.finish() }
}
