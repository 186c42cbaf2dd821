import Foundation
import HTTPServer
import JSONCoding
import LiveStreams
import Logging
import ObjectCoding
import ObjectModel
import Promises
import RepositoryFiles
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

@testable import SyncSubscriptions

private final class Clock: Sendable {
    private let time = Atomic<Int64>(1_000_000)

    var now: Timestamp { Timestamp(seconds: time.load(ordering: .relaxed)) }
    func pass(_ seconds: Int64) { time.add(seconds, ordering: .relaxed) }
}

/// The records of a log, in memory.
private final class Records: RecordStore {
    private let all = Mutex<[String: LogRecord]>([:])

    func record(_ name: String) -> LogRecord? { all.withLock { $0[name] } }

    func recordRevisions(prefix: String) -> [String: Int64] {
        all.withLock { $0.filter { $0.key.hasPrefix(prefix) }.mapValues(\.revision) }
    }

    func recordRevisions(of names: [String]) -> [String: Int64] {
        all.withLock { $0.filter { names.contains($0.key) }.mapValues(\.revision) }
    }

    func store(_ body: [UInt8], as name: String, over revision: Int64?) -> Bool {
        all.withLock { all in
            guard all[name]?.revision == revision else { return false }
            all[name] = LogRecord(revision: (revision ?? 0) + 1, body: body)
            return true
        }
    }

    func deleteRecord(_ name: String, at revision: Int64) -> Bool {
        all.withLock { all in
            if all[name]?.revision == revision { all[name] = nil }
            return all[name] == nil
        }
    }

    func onRecordHint(_ listener: @escaping @Sendable () -> Void) {}
}

@Suite("Subscription sets")
struct SubscriptionSetsTests {
    private let clock = Clock()
    private let caller = LimitKey.caller("test")

    private func sets(
        file: String? = nil, maximumSets: Int = 10, setsPerCaller: Int? = nil, maximumSubscriptions: Int = 3,
        in records: (any RecordStore)? = nil
    ) -> SubscriptionSets {
        SubscriptionSets(
            { [clock] in
                SubscriptionSettings(
                    file: file, lifetime: 100, maximumSets: maximumSets, setsPerCaller: setsPerCaller,
                    maximumSubscriptions: maximumSubscriptions, clock: { clock.now })
            }, Logger(label: "test"), records)
    }

    private func query(_ body: String) throws -> SubscriptionQuery {
        guard case .object(let object) = try JSONValue.parse(body) else { throw CocoaError(.coderInvalidValue) }
        return try SubscriptionQuery(object)
    }

    private func key(_ number: Int64) -> TopicKey {
        TopicKey(subject: .object(ObjectReference(ClassID(rawValue: 1), ObjectKey(number))))
    }

    private func save(_ sets: SubscriptionSets) {
        let saved = Promise<Bool>()
        sets.save { saved.set(true) }
        _ = saved.wait()
    }

    @Test("a set and its queries are there again after a restart, and other owners do not see it")
    func restart() throws {
        let directory = try TestDirectory()
        let file = directory.file("subscriptions.json")
        let before = sets(file: file)
        let set = try before.made("phone", of: "key:1", for: caller)
        let body = #"{"class":"Dog","filter":"age > $0","args":[3],"sort":["age","name"],"limit":5,"fields":["name"]}"#
        let (named, _) = try set.put("old dogs", try query(body), key(1), before.now)
        let (unnamed, _) = try set.put(nil, try query(#"{"class":"Cat"}"#), key(2), before.now)
        save(before)
        let after = sets(file: file)
        let loaded = try after.existing("phone", of: "key:1")
        #expect(loaded.subscriptions.map(\.label) == [named.label, unnamed.label])
        #expect(loaded.subscriptions.map(\.query) == [named.query, unnamed.query])
        #expect(loaded.subscriptions.map(\.revision) == [named.revision, unnamed.revision])
        #expect(throws: Problem.self) { try after.existing("phone", of: "key:2") }
        #expect(throws: Problem.self) { try after.existing("phone", of: nil) }
    }

    @Test("a damaged file is renamed, and the sets begin empty")
    func damage() throws {
        let directory = try TestDirectory()
        let file = directory.file("subscriptions.json")
        let before = sets(file: file)
        _ = try before.made("phone", of: nil, for: caller).put("a", try query(#"{"class":"Dog"}"#), key(1), before.now)
        save(before)
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        var random = SeededRandom.ofTest()
        let seed = random.seed
        for _ in 0..<40 {
            let length = random.below(whole.count)
            try whole.prefix(length).write(to: URL(fileURLWithPath: file))
            let after = sets(file: file)
            #expect(after.count == 0, "cut to \(length) bytes, seed \(seed)")
            #expect(FileManager.default.fileExists(atPath: file + ".damaged"), "cut to \(length) bytes, seed \(seed)")
            try? FileManager.default.removeItem(atPath: file + ".damaged")
        }
    }

    @Test("a set is deleted when it was not used for its lifetime, and not before")
    func expiry() throws {
        let all = sets()
        _ = try all.made("used", of: nil, for: caller)
        _ = try all.made("unused", of: nil, for: caller)
        clock.pass(99)
        _ = try all.existing("used", of: nil)
        clock.pass(2)
        all.expire()
        #expect(all.count == 1)
        #expect(throws: Problem.self) { try all.existing("unused", of: nil) }
        _ = try all.existing("used", of: nil)
    }

    @Test("the limits of sets, of a caller's sets and of a set's subscriptions are kept, each with its own code")
    func limits() throws {
        func code(_ work: () throws -> Void) -> String? {
            do {
                try work()
                return nil
            } catch {
                return (error as? Problem)?.code
            }
        }
        let all = sets(maximumSets: 3, setsPerCaller: 2, maximumSubscriptions: 1)
        let set = try all.made("1", of: "key:a", for: caller)
        _ = try all.made("2", of: "key:a", for: caller)
        #expect(code { _ = try all.made("3", of: "key:a", for: caller) } == "subscription.sets_limited")
        _ = try all.made("1", of: "key:b", for: caller)
        #expect(code { _ = try all.made("2", of: "key:b", for: caller) } == "subscription.too_many_sets")
        _ = try set.put("x", try query(#"{"class":"Dog"}"#), key(1), all.now)
        #expect(
            code { _ = try set.put("y", try self.query(#"{"class":"Dog","limit":1}"#), self.key(2), all.now) }
                == "subscription.too_many")
        #expect(
            code { _ = try set.put("x", try self.query(#"{"class":"Cat"}"#), self.key(3), all.now) }
                == "subscription.other_class")
    }

    @Test("gateways of one log have the same sets, and a change of one reaches the other")
    func shared() throws {
        let records = Records()
        let (here, there) = (sets(in: records), sets(in: records))
        let set = try here.made("phone", of: "key:1", for: caller)
        _ = try set.put("a", try query(#"{"class":"Dog"}"#), key(1), here.now)
        let other = try there.existing("phone", of: "key:1")
        #expect(other.subscriptions.map(\.label) == ["a"])
        _ = try other.put("b", try query(#"{"class":"Cat"}"#), key(2), there.now)
        #expect(try other.remove(there.now) { $0.label == "a" } == 1)
        #expect(try here.existing("phone", of: "key:1").subscriptions.map(\.label) == ["b"])
        #expect(throws: Problem.self) { try there.existing("phone", of: "key:2") }
    }

    @Test("the names of records are short, and differ when owner or name differ")
    func recordNames() {
        let owners: [String?] = [nil, "key:1", "key:1 ", "key:1%20", "subject:a b", String(repeating: "ü", count: 400)]
        let names = ["a", "a b", "a%20b", "ä", "- a", "../x"]
        var known: Set<String> = []
        for owner in owners {
            for name in names {
                let id = SubscriptionSetID(owner, name)
                let record = SetRecord(of: id, in: Records(), gateway: "g").name
                #expect(known.insert(record).inserted, "\(record)")
                #expect(record.utf8.count <= 1000 && record.hasPrefix(SetRecord.prefix(ofOwner: owner)))
                #expect(record.utf8.allSatisfy { (0x20...0x7e).contains($0) })
            }
        }
    }

    @Test("a query is written as it was sent, whichever form its members had")
    func queryForms() throws {
        for (sent, written) in [
            (#"{"class":"Dog"}"#, #"{"class":"Dog"}"#),
            (#"{"class":"Dog","filter":null,"keyPaths":[]}"#, #"{"class":"Dog"}"#),
            (#"{"class":"Dog","sort":["age","name DESC"]}"#, #"{"class":"Dog","sort":"age,name DESC"}"#),
            (#"{"class":"Dog","limit":3.0}"#, #"{"class":"Dog","limit":3}"#),
            (#"{"class":"Dog","filter":"a = $0","args":[{"$uuid":"x"}]}"#, nil),
        ] as [(String, String?)] {
            let json = JSONWriter(capacity: 64)
            json.beginObject()
            try query(sent).write(into: json)
            json.endObject()
            #expect(String(decoding: json.bytes, as: UTF8.self) == written ?? sent)
        }
        for bad in [#"{}"#, #"{"class":3}"#, #"{"class":"D","limit":"3"}"#, #"{"class":"D","args":{}}"#] {
            #expect(throws: Problem.self, "\(bad)") { try query(bad) }
        }
    }
}
