import Foundation
import Glibc
import RealmSwift

/// How long it takes a realm to follow a gateway, and how that grows with the number of objects: see Benchmarks/README.md.
///
///     FollowBenchmark REALMGATE [COUNT ...]
///
/// REALMGATE is the built program that serves.
final class Measure: Object {
    @Persisted(primaryKey: true) var _id = 0
    @Persisted var name = ""
    @Persisted var value = 0.0
    @Persisted var station: Station?
    @Persisted var numbers: List<Int>
}

final class Station: Object {
    @Persisted(primaryKey: true) var _id = 0
    @Persisted var city = ""
}

struct Failure: Error {
    var text: String
}

func milliseconds(_ start: ContinuousClock.Instant) -> Double { (ContinuousClock.now - start) / .milliseconds(1) }

func text(_ number: Double) -> String {
    number >= 100 ? String(Int(number.rounded())) : String(format: "%.2f", number)
}

/// Megabytes of memory that a process has now, or has had at most.
func memory(_ pid: pid_t, _ what: String = "VmRSS") -> Double {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(what) } ?? ""
    return (line.split(separator: " ").compactMap { Double($0) }.first ?? 0) / 1024
}

/// Milliseconds of processor time that a process has used.
func processorTime(_ pid: pid_t) -> Double {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
    let fields = status.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) * 1000 / Double(sysconf(Int32(_SC_CLK_TCK)))
}

/// Says how much processor time of both processes some work takes.
func counted<R>(_ what: String, _ served: Served, _ work: () async throws -> R) async throws -> R {
    let before = (processorTime(getpid()), processorTime(served.pid))
    let result = try await work()
    let after = (processorTime(getpid()), processorTime(served.pid))
    let times = "\(text(after.0 - before.0)) here, \(text(after.1 - before.1)) of the gateway"
    FileHandle.standardError.write(Data("processor time, \(what): \(times)\n".utf8))
    return result
}

/// `realmgate serve` with a fresh file.
final class Served {
    let directory: String
    let pid: pid_t
    let url: URL

    private static let schema = """
        {"schemaVersion": 1, "classes": [
          {"name": "Measure", "primaryKey": "_id", "properties": [
            {"name": "_id", "type": "int"}, {"name": "name", "type": "string"}, {"name": "value", "type": "double"},
            {"name": "station", "type": "Station?"}, {"name": "numbers", "type": "int[]"}]},
          {"name": "Station", "primaryKey": "_id", "properties": [
            {"name": "_id", "type": "int"}, {"name": "city", "type": "string"}]}]}
        """

    init(_ program: String) throws {
        directory = NSTemporaryDirectory() + "follow-benchmark-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Self.schema.write(toFile: directory + "/schema.json", atomically: false, encoding: .utf8)
        let output = directory + "/out"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [
            "serve", "--port", "0", "--data", directory + "/a.realmgate", "--schema", directory + "/schema.json",
        ]
        FileManager.default.createFile(atPath: output, contents: nil)
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        pid = process.processIdentifier
        for _ in 0..<5_000 {
            let said = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
            if let line = said.split(separator: "\n").first, let address = line.split(separator: " ").last,
                let found = URL(string: String(address))
            {
                url = found
                return
            }
            usleep(2_000)
        }
        throw Failure(text: "the gateway does not start")
    }

    deinit {
        kill(pid, SIGKILL)
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// With curl, so that this process's memory is that of the realm.
    func curl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["curl", "--silent", "--fail", "--output", "/dev/null"] + arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(text: "curl \(arguments)") }
    }

    func fill(_ count: Int) throws {
        let stations = (0..<1_000).map { #"{"_id":\#($0),"city":"city\#($0 % 50)"}"# }
        try load("Station", stations)
        let measures = (0..<count).map {
            #"{"_id":\#($0),"name":"measure \#($0)","value":\#(Double($0 % 1_000) / 4),"station":\#($0 % 1_000),"numbers":[\#($0),\#($0 + 1),\#($0 % 7)]}"#
        }
        try load("Measure", measures)
    }

    private func load(_ className: String, _ lines: [String]) throws {
        let file = directory + "/rows"
        try lines.joined(separator: "\n").write(toFile: file, atomically: false, encoding: .utf8)
        try curl([
            "--header", "Content-Type: application/x-ndjson", "--data-binary", "@" + file,
            url.absoluteString + "/v1/import/" + className,
        ])
    }

    func change(_ id: Int, _ value: Int) throws {
        try curl([
            "--request", "PATCH", "--header", "Content-Type: application/json", "--data", #"{"value":\#(value)}"#,
            url.absoluteString + "/v1/objects/Measure/\(id)",
        ])
    }
}

actor Follower {
    private let configuration: Realm.Configuration
    private var realm: Realm?

    init(_ served: Served) {
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: served.directory + "/follower.realm"),
            objectTypes: [Measure.self, Station.self])
        configuration.syncConfiguration = SyncConfiguration(gateway: served.url, errorHandler: { print($0) })
        self.configuration = configuration
    }

    private func open() async throws -> Realm {
        if let realm { return realm }
        let opened = try await Realm.open(configuration: configuration)
        realm = opened
        return opened
    }

    func subscribe() async throws {
        let realm = try await open()
        // Those that are linked to come later: all links are missing at first.
        _ = try await realm.objects(Measure.self).subscribe(timeout: 600)
        _ = try await realm.objects(Station.self).subscribe(timeout: 600)
    }

    func overlapping(_ count: Int) async throws {
        let realm = try await open()
        let set = realm.subscriptions
        try await set.update {
            for number in 0..<count {
                set.append(
                    QuerySubscription<Measure>(name: "q\(number)") {
                        $0.value > Double(number) && $0.value < Double(number + 120)
                    })
            }
        }
    }

    func remove(_ name: String) async throws {
        let realm = try await open()
        let set = realm.subscriptions
        try await set.update { set.remove(named: name) }
        try await realm.syncSession?.wait(for: .download, timeout: 600)
    }

    func removeUnnamed() async throws {
        let realm = try await open()
        let set = realm.subscriptions
        try await set.update { set.removeAll(unnamedOnly: true) }
        try await realm.syncSession?.wait(for: .download, timeout: 600)
    }

    /// Waits until the object has that value.
    func wait(_ id: Int, _ value: Double) async throws {
        let realm = try await open()
        while true {
            realm.refresh()
            if realm.object(ofType: Measure.self, forPrimaryKey: id)?.value == value { return }
            try await Task.sleep(for: .microseconds(200))
        }
    }

    func write(_ id: Int) async throws {
        let realm = try await open()
        try realm.write { realm.object(ofType: Measure.self, forPrimaryKey: id)?.value += 1 }
        try await realm.syncSession?.wait(for: .upload, timeout: 600)
    }

    func create(_ count: Int, from first: Int) async throws {
        let realm = try await open()
        try realm.write {
            for id in first..<first + count {
                realm.create(Measure.self, value: ["_id": id, "value": 500.0] as [String: Any])
            }
        }
        try await realm.syncSession?.wait(for: .upload, timeout: 600)
    }

    func counts() async throws -> (Int, linked: Int) {
        let realm = try await open()
        realm.refresh()
        return (realm.objects(Measure.self).count, realm.objects(Measure.self).where { $0.station != nil }.count)
    }

    func close() { realm = nil }
}

func median(_ count: Int, _ body: (Int) async throws -> Void) async throws -> Double {
    var all: [Double] = []
    for number in 0..<count {
        let start = ContinuousClock.now
        try await body(number)
        all.append(milliseconds(start))
    }
    return all.sorted()[count / 2]
}

/// Writes the line at once.
func say(_ line: String) {
    var text = line + "\n"
    _ = text.withUTF8 { write(1, $0.baseAddress, $0.count) }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard let program = arguments.first else {
    say("usage: FollowBenchmark REALMGATE [COUNT ...]")
    exit(2)
}
var counts = arguments.dropFirst().compactMap { Int($0) }
if counts.isEmpty { counts = [1_000, 10_000, 100_000] }
say(
    "| objects | export with curl | first download | times export | here, MB more | gateway, MB more | change comes down | change goes up | 1,000 new ones go up | 20 more subscriptions | one of them ends | all objects go |"
)
say("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
for count in counts {
    let served = try Served(program)
    try served.fill(count)
    try served.curl([served.url.absoluteString + "/v1/export/Measure"])
    let export = try await median(3) { _ in try served.curl([served.url.absoluteString + "/v1/export/Measure"]) }
    let follower = Follower(served)
    let before = (memory(getpid()), memory(served.pid))
    let start = ContinuousClock.now
    try await counted("first download", served) { try await follower.subscribe() }
    let download = milliseconds(start)
    let peak = (memory(getpid(), "VmHWM") - before.0, memory(served.pid, "VmHWM") - before.1)
    let found = try await follower.counts()
    guard found == (count, linked: count) else { throw Failure(text: "there are \(found) of \(count)") }
    let down = try await median(21) { number in
        try served.change(number * 7, 10_000 + number)
        try await follower.wait(number * 7, Double(10_000 + number))
    }
    let up = try await median(21) { try await follower.write($0 * 11) }
    let created = try await median(5) { try await follower.create(1_000, from: 10_000_000 + $0 * 1_000) }
    let more = try await median(1) { _ in
        try await counted("20 more subscriptions", served) { try await follower.overlapping(20) }
    }
    let fewer = try await median(5) { try await follower.remove("q\($0 * 3)") }
    let all = try await median(1) { _ in try await follower.removeUnnamed() }
    await follower.close()
    say(
        "| \(count) | \(text(export)) | \(text(download)) | \(text(download / export)) | \(text(peak.0)) | \(text(peak.1)) | \(text(down)) | \(text(up)) | \(text(created)) | \(text(more)) | \(text(fewer)) | \(text(all)) |"
    )
}
