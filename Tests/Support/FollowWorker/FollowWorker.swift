import Foundation
import Glibc
import RealmSwift
import TestBasics

/// Follows a gateway with a file, and writes until it is killed; reports the outcome of each commit.
///
///     FollowWorker PATH GATEWAY NAME ROUND SEED     writes
///     FollowWorker PATH GATEWAY NAME                waits until both sides have everything, and reports its content
///
/// FOLLOW_WORKER_RESET in the environment says whether a client reset discards or recovers what was not sent. The names of
/// its objects contain NAME and ROUND, and no other worker deletes them. See `FollowedKillTests`.
@main
enum FollowWorker {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 || arguments.count == 6, let gateway = URL(string: arguments[2]) else {
            say("unexpected usage: FollowWorker PATH GATEWAY NAME [ROUND SEED]")
            exit(2)
        }
        let work = Work(path: arguments[1], gateway: gateway, name: arguments[3])
        do {
            if arguments.count == 6 {
                try await work.write(round: arguments[4], seed: UInt64(arguments[5]) ?? 0)
            } else {
                try await work.finish()
            }
        } catch {
            say("unexpected \(error)")
            exit(1)
        }
    }
}

class WorkItem: Object {
    @Persisted(primaryKey: true) var _id = ""
    @Persisted var owner = ""
    @Persisted var tokens: List<String>
    @Persisted var marks: Map<String, Int>
}

/// Writes the line at once: it is known even if this process ends now.
func say(_ line: String) {
    var text = line + "\n"
    _ = text.withUTF8 { Glibc.write(1, $0.baseAddress, $0.count) }
}

/// One worker's realm.
actor Work {
    private let configuration: Realm.Configuration
    private let name: String

    init(path: String, gateway: URL, name: String) {
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: [WorkItem.self])
        configuration.syncConfiguration = SyncConfiguration(gateway: gateway) { error in
            // An unavailable gateway is part of the test.
            say("\(error.code == .connection ? "outage" : "error") \(error.code) \(error.message)")
        }
        let (before, after) = (Self.before, Self.after)
        configuration.syncConfiguration?.clientResetMode =
            ProcessInfo.processInfo.environment["FOLLOW_WORKER_RESET"] == "discard"
            ? .discardUnsyncedChanges(beforeReset: before, afterReset: after)
            : .recoverUnsyncedChanges(beforeReset: before, afterReset: after)
        self.configuration = configuration
        self.name = name
    }

    private static let before: ClientResetMode.BeforeReset = { _ in say("resetting") }
    private static let after: ClientResetMode.AfterReset = { _, _ in say("reset") }

    /// Commits endlessly. Some commits begin before anything has been downloaded.
    func write(round: String, seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let realm = try await Realm.open(configuration: configuration)
        say("open")
        _ = try await realm.objects(WorkItem.self).subscribe(waitForSync: seed % 2 == 0 ? .never : .onCreation)
        say("subscribed")
        for number in 0... {
            try commit("\(name)-\(round)-\(number)", realm, &random)
            try await Task.sleep(for: .microseconds(Int.random(in: 0..<3_000, using: &random)))
        }
    }

    private func commit(_ token: String, _ realm: Realm, _ random: inout SeededRandom) throws {
        let own = realm.objects(WorkItem.self).where { $0.owner == name }
        let shared = realm.objects(WorkItem.self).where { $0.owner == "" }
        // It chooses the objects within the transaction, because the latest version may be without those of the version
        // that the realm had before: a client reset deletes what the gateway does not have.
        let operation = try realm.write {
            let kind = Int.random(in: 0..<10, using: &random)
            switch kind {
            case 0 where own.count > 2:
                guard let item = own.randomElement(using: &random) else { break }
                let operation = attempt("delete \(item._id)")
                realm.delete(item)
                return operation
            case 1...4:
                guard let first = own.randomElement(using: &random), let second = shared.randomElement(using: &random)
                else { break }
                // Both or neither.
                let operation = attempt("append \(first._id) \(second._id) \(token)")
                first.tokens.append(token)
                second.tokens.append(token)
                return operation
            case 5...6:
                guard let item = shared.randomElement(using: &random) else { break }
                let operation = attempt("mark \(item._id) \(token)")
                item.marks[token] = 1
                return operation
            default: break
            }
            let operation = attempt("create \(token)")
            _ = realm.create(WorkItem.self, value: ["_id": token, "owner": name])
            return operation
        }
        say("done \(operation)")
    }

    /// Reports that the operation is about to be made, and returns it.
    private func attempt(_ operation: String) -> String {
        say("try \(operation)")
        return operation
    }

    /// Reports the content once both sides have everything.
    func finish() async throws {
        let others = arrivals(of: SIGUSR1)
        let realm = try await Realm.open(configuration: configuration)
        _ = try await realm.objects(WorkItem.self).subscribe(
            waitForSync: .onCreation, timeout: TimeInterval(TestRun.patience))
        try await realm.syncSession?.wait(for: .upload, timeout: TimeInterval(TestRun.patience))
        say("sent")
        // The others are done, too. Nothing here wakes up until then.
        for await _ in others.signals { break }
        others.source.cancel()
        try await realm.syncSession?.wait(for: .download, timeout: TimeInterval(TestRun.patience))
        realm.refresh()
        for item in realm.objects(WorkItem.self).sorted(byKeyPath: "_id") where item.owner != "filler" {
            say(
                "item \(item._id) \(item.tokens.joined(separator: ",")) \(item.marks.keys.sorted().joined(separator: ","))"
            )
        }
        say("end")
    }
}

/// Returns a stream of a signal, which does nothing else from now on while the source exists.
private func arrivals(of number: Int32) -> (signals: AsyncStream<Void>, source: any DispatchSourceSignal) {
    signal(number, SIG_IGN)
    let (signals, arrivals) = AsyncStream.makeStream(of: Void.self)
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler { arrivals.yield() }
    source.activate()
    return (signals, source)
}
