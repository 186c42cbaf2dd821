import Foundation
import RealmSwift
import StoreTesting
import Testing

/// The oracle is the state before the write.
@Suite("Commits that fail")
struct FailedCommitTests {
    private static var parts: [AnyRealmValue] {
        [.fromArray([.int(1)]), .int(2), .fromArray([.int(3)]), .fromDictionary(["n": .int(4)])]
    }

    /// Returns a realm whose log fails as the faults say, with one object.
    private static func open(_ fixture: FileFixture, _ faults: LogFaults, _ queue: DispatchQueue? = nil) throws -> (
        Realm, NestedThing
    ) {
        let log = MemoryLog()
        var configuration = Realm.Configuration(
            fileURL: fixture.url("replica"), objectTypes: [NestedThing.self, NestedTarget.self])
        configuration.replication = Replication("memory") { log.connect(faults) }
        let realm = try Realm(configuration: configuration, queue: queue)
        let thing = try realm.write { realm.create(NestedThing.self, value: ["list": parts]) }
        return (realm, thing)
    }

    /// An edit before the held collections.
    private static let edits: [@Sendable (List<AnyRealmValue>) -> Void] = [
        { $0.insert(.int(0), at: 0) }, { $0.remove(at: 1) }, { $0.move(from: 0, to: 3) }, { $0.removeAll() },
    ]

    @Test(
        "Realm.commitWrite(withoutNotifying:) a failed commit leaves objects and held collections as they were",
        arguments: edits.indices)
    func commit(_ edit: Int) throws {
        let (fixture, faults) = (try FileFixture(), LogFaults())
        let (realm, thing) = try Self.open(fixture, faults)
        let lists = try [0, 2].map { try #require(thing.list[$0].listValue) }
        let map = try #require(thing.list[3].dictionaryValue)
        let added = NestedThing()
        for isBlock in [false, true] {
            faults.plan(.append, .refused)
            var created: NestedThing?
            func change() {
                Self.edits[edit](thing.list)
                thing.other = 5
                created = realm.create(NestedThing.self)
                if !isBlock { realm.add(added) }
            }
            if isBlock {
                #expect(throws: Realm.Error.self) { try realm.write(change) }
            } else {
                realm.beginWrite()
                change()
                #expect(throws: Realm.Error.self) { try realm.commitWrite() }
            }
            #expect(!realm.isInWriteTransaction && created?.isInvalidated == true && added.isInvalidated)
            #expect(thing.other == 0 && thing.list.count == Self.parts.count)
            #expect(realm.objects(NestedThing.self).count == 1)
            #expect(lists.map { Array($0) } == [[.int(1)], [.int(3)]] && map["n"] == .int(4))
        }
        try realm.write {
            thing.list.insert(.int(9), at: 0)
            lists[1].append(.int(5))
        }
        #expect(thing.list[3].listValue.map { Array($0) } == [.int(3), .int(5)])
    }

    @Test("Realm.write(withoutNotifying:_:) a write that cannot begin is an error, and its block does not run")
    func begin() throws {
        let (fixture, faults) = (try FileFixture(), LogFaults())
        let (realm, thing) = try Self.open(fixture, faults)
        faults.plan(.turn, .unavailable)
        do {
            try realm.write {
                thing.other = 1
                Issue.record("the block ran")
            }
        } catch let error as Realm.Error {
            #expect(error.code == .fail && !realm.isInWriteTransaction)
        }
        try realm.write { thing.other = 2 }
        #expect(thing.other == 2)
    }

    @Test("Realm.commitAsyncWrite(allowGrouping:_:) a failed commit in the background is taken back")
    func background() async throws {
        let (fixture, faults, queue) = (try FileFixture(), LogFaults(), DispatchQueue(label: "failing"))
        let outcome: (code: Realm.Error.Code?, state: String) = try await withCheckedThrowingContinuation {
            continuation in
            queue.async {
                do {
                    let (realm, thing) = try Self.open(fixture, faults, queue)
                    guard let held = thing.list[2].listValue else { throw Realm.Error(.fail) }
                    faults.plan(.append, .refused)
                    realm.beginWrite()
                    let created = realm.create(NestedThing.self)
                    thing.list.insert(.int(0), at: 0)
                    thing.other = 7
                    realm.commitAsyncWrite { error in
                        let state = "\(created.isInvalidated) \(thing.other) \(Array(held) == [.int(3)])"
                        continuation.resume(returning: ((error as? Realm.Error)?.code, state))
                    }
                } catch { continuation.resume(throwing: error) }
            }
        }
        #expect(outcome.code == .fail && outcome.state == "true 0 true")
    }
}
