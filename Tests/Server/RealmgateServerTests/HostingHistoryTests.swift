import Foundation
import HTTPTesting
import RealmSwift
import RealmgateServer
import RepositoryFiles
import StoreTesting
import Synchronization
import Testing
import TestBasics

/// Many write at once, each to objects of its own and to one counter that all increase; in the end realms, clients and
/// streams must have the same contents.
@Suite("Histories of a hosted realm")
struct HostingHistoryTests {
    @Test("threads with realms and clients write at once, and all see the same at the end", arguments: [false, true])
    func together(isFile: Bool) async throws {
        let scratch = try TestDirectory()
        let site = try Site(file: isFile ? scratch.file("history.realm") : nil)
        try site.write { realm in _ = realm.create(HostedEntry.self, value: ["id": 0, "writer": "all"]) }
        let watcher = try site.client()
        _ = try watcher.ask("GET /v1/observe/objects/HostedEntry?sort=id&fields=id,writer,count")
        var received = Received(try watcher.news().json)

        let steps = 20 * TestRun.length
        let expected = try await withThrowingTaskGroup(of: [Int: Int].self) { group in
            for writer in 1...4 {
                let random = SeededRandom.ofTest("\(isFile) \(writer)")
                // Blocking work runs on threads of its own, not on those of the tests.
                group.addTask {
                    try await onThread {
                        writer <= 2
                            ? try realmWrites(site.configuration, writer, steps, random)
                            : try clientWrites(site, writer, steps, random)
                    }
                }
            }
            return try await group.reduce(into: [:]) { all, own in all.merge(own) { $1 } }
        }
        // A last write, to detect when the stream has everything.
        try site.write { realm in _ = realm.create(HostedEntry.self, value: ["id": 999_999, "writer": "end"]) }
        while received.entries.last?.id != 999_999 { try received.take(watcher.news()) }

        let ofRealm = try site.run { realm in
            realm.objects(HostedEntry.self).sorted(byKeyPath: "id").map { Received.Entry($0.id, $0.writer, $0.count) }
        }
        let page = try site.ask("GET /v1/objects/HostedEntry?sort=id&limit=1000")
        let ofClient = Received(page.json).entries
        #expect(ofRealm == ofClient && ofRealm == received.entries)
        #expect(ofRealm.first == Received.Entry(0, "all", 4 * steps))
        let own = Dictionary(uniqueKeysWithValues: ofRealm.dropFirst().dropLast().map { ($0.id, $0.count) })
        #expect(own == expected)
        await site.server.stop()
    }
}

/// Runs on a thread of its own.
private func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// Writes through a realm of the calling thread. Returns the expected counts of its own objects.
private func realmWrites(
    _ configuration: Realm.Configuration, _ writer: Int, _ steps: Int, _ random: SeededRandom
) throws -> [Int: Int] {
    var random = random
    let realm = try Realm(configuration: configuration)
    var own: [Int: Int] = [:]
    for step in 0..<steps {
        let change = Change(&random, writer, step, own)
        try realm.write {
            realm.object(ofType: HostedEntry.self, forPrimaryKey: 0)?.count += 1
            switch change {
            case .put(let id, let count):
                realm.create(
                    HostedEntry.self, value: ["id": id, "writer": "w\(writer)", "count": count], update: .modified)
            case .delete(let id):
                if let entry = realm.object(ofType: HostedEntry.self, forPrimaryKey: id) { realm.delete(entry) }
            }
        }
        change.apply(to: &own)
    }
    return own
}

/// Writes as a client: increasing the counter requires the version that was read, so that no increase is lost.
private func clientWrites(_ site: Site, _ writer: Int, _ steps: Int, _ random: SeededRandom) throws -> [Int: Int] {
    var random = random
    let client = try site.client()
    var own: [Int: Int] = [:]
    for step in 0..<steps {
        let change = Change(&random, writer, step, own)
        let operation =
            switch change {
            case .put(let id, let count):
                #"{"op":"create","class":"HostedEntry","update":"modified","value":{"id":\#(id),"writer":"w\#(writer)","count":\#(count)}}"#
            case .delete(let id): #"{"op":"delete","object":{"class":"HostedEntry","key":\#(id)}}"#
            }
        while true {
            let count = try client.ask("GET /v1/objects/HostedEntry/0").json["count"] as? Int ?? 0
            let answer = try client.ask(
                "POST /v1/transactions",
                #"""
                {"operations":[
                  {"op":"require","class":"HostedEntry","filter":"id == 0 AND count == \#(count)","count":1},
                  {"op":"set","object":{"class":"HostedEntry","key":0},"value":{"count":\#(count + 1)}},\#(operation)]}
                """#)
            if answer.status == 200 { break }
            guard answer.status == 412 else { throw LoopbackClient.Failure.unexpected(answer.text) }
        }
        change.apply(to: &own)
    }
    return own
}

/// A change by a writer to its own objects.
private enum Change {
    case put(Int, Int)
    case delete(Int)

    init(_ random: inout SeededRandom, _ writer: Int, _ step: Int, _ own: [Int: Int]) {
        let known = own.keys.sorted()
        if let id = known.randomElement(using: &random), Bool.random(using: &random) {
            self = Bool.random(using: &random) ? .delete(id) : .put(id, step)
        } else {
            self = .put(writer * 1000 + step, step)
        }
    }

    func apply(to own: inout [Int: Int]) {
        switch self {
        case .put(let id, let count): own[id] = count
        case .delete(let id): own[id] = nil
        }
    }
}

/// The state that the events of a stream describe.
private struct Received {
    struct Entry: Hashable, Sendable {
        let id: Int
        let writer: String
        let count: Int

        init(_ id: Int, _ writer: String, _ count: Int) {
            self.id = id
            self.writer = writer
            self.count = count
        }
    }

    var entries: [Entry]

    init(_ initial: [String: Any]) { entries = Self.entries(initial["items"]) }

    mutating func take(_ news: (name: String, json: [String: Any])) throws {
        guard news.name == "update", let objects = news.json["objects"] as? [String: Any] else {
            throw LoopbackClient.Failure.unexpected("\(news)")
        }
        let positions = { (name: String) in news.json[name] as? [Int] ?? [] }
        // Modifications are positions before the change.
        for (position, entry) in zip(positions("modifications"), Self.entries(objects["modifications"])) {
            entries[position] = entry
        }
        for position in positions("deletions").reversed() { entries.remove(at: position) }
        for (position, entry) in zip(positions("insertions"), Self.entries(objects["insertions"])) {
            entries.insert(entry, at: position)
        }
    }

    private static func entries(_ json: Any?) -> [Entry] {
        (json as? [[String: Any]] ?? []).map {
            Entry($0["id"] as? Int ?? -1, $0["writer"] as? String ?? "", $0["count"] as? Int ?? -1)
        }
    }
}
