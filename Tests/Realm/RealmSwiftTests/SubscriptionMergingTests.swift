import Foundation
import JSONCoding
import ObjectModel
import StoreTesting
import Testing
import WireProtocol

@testable import RealmSwift
@testable import SyncEngine

extension LonelyRealm {
    /// Applies an event as if the gateway had sent it.
    ///
    /// - Parameter isWhole: whether all of its objects are parsed at once.
    func tell(_ name: String, _ data: String, id: String? = nil, isWhole: Bool = false) async throws {
        try await run { _, realm in
            let client = try #require(realm.rlm.file?.sync?.client)
            let sent = ServerEvent(id: id, name: name, data: Array(data.utf8))
            let (event, objects) = try isWhole ? (SetEvent(sent), nil) : EventObjects.split(sent)
            try await client.stateStore.change { syncState, transaction in
                try syncState.apply(event, with: objects, transaction)
            }
            realm.refresh()
        }
    }

    /// Simulates that the gateway has run the first upload.
    ///
    /// - Parameter row: the row of the objects that it concerns, if the answer has one.
    func acknowledge(at version: UInt64, row: JSONValue? = nil) async throws {
        try await run { _, realm in
            let client = try #require(realm.rlm.file?.sync?.client)
            try await client.stateStore.change { syncState, transaction in
                guard let first = syncState.uploads.first else { return }
                var rows: [SyncObject: JSONValue] = [:]
                if let row { for object in first.touched.keys { rows[object] = row } }
                _ = try syncState.acknowledge(first.number, at: version, nil, rows, transaction)
            }
            realm.refresh()
        }
    }

    func uploads() async throws -> [String] {
        try await run { _, realm in
            let client = try #require(realm.rlm.file?.sync?.client)
            try await client.stateStore.change { _, _ in }
            return client.stateStore.syncState.uploads.flatMap(\.operations).map {
                String(decoding: $0.sent.json.bytes, as: UTF8.self)
            }
        }
    }

    func dogs() async throws -> [String] {
        try await run { _, realm in
            realm.objects(RulesDog.self).sorted(by: \._id).map { "\($0._id) \($0.name) \($0.age)" }
        }
    }

    func edit(_ body: @Sendable (Realm) -> Void) async throws {
        try await run { _, realm in try realm.write { body(realm) } }
    }
}

/// The number of the first subscription's query.
private let first = 1

@Suite("What local changes and the gateway's come to together")
struct SubscriptionMergingTests {
    private func realm() async throws -> LonelyRealm {
        let realm = LonelyRealm()
        try await realm.subscribe(nil, "age < 100")
        let number = try await realm.run { _, realm in realm.subscriptions.first?.query.number }
        #expect(number == first)
        try await realm.tell(
            "initial",
            #"""
            {"subscription":"n1","version":10,"items":[{"_id":1,"dog_name":"a","age":1},{"_id":2,"dog_name":"b","age":2}]}
            """#, id: "10-0a1b2c3d.1")
        return realm
    }

    @Test("an update's positions are those of the gateway's result")
    func positions() async throws {
        let realm = try await realm()
        #expect(try await realm.run { _, realm in realm.subscriptions.state } == .complete)
        try await realm.tell(
            "update",
            #"""
            {"subscription":"n1","version":11,"deletions":[0],"insertions":[0,2],"modifications":[1],"objects":{
            "insertions":[{"_id":0,"dog_name":"z","age":0},{"_id":5,"dog_name":"e","age":5}],
            "modifications":[{"_id":2,"dog_name":"bb","age":3}]}}
            """#, id: "11-0a1b2c3d.1")
        #expect(try await realm.dogs() == ["0 z 0", "2 bb 3", "5 e 5"])
        try await realm.tell(
            "update", #"{"subscription":"n1","version":12,"deletions":[1],"insertions":[],"modifications":[]}"#)
        #expect(try await realm.dogs() == ["0 z 0", "5 e 5"])
        await #expect(throws: SyncMismatch.self) {
            try await realm.tell(
                "update", #"{"subscription":"n1","version":13,"deletions":[2],"insertions":[],"modifications":[]}"#)
        }
        #expect(try await realm.dogs() == ["0 z 0", "5 e 5"])
        // Data from the gateway is not uploaded.
        #expect(try await realm.uploads() == [])
    }

    @Test("a property that was changed here keeps its value until the gateway has answered, and then has the gateway's")
    func pendingField() async throws {
        let realm = try await realm()
        try await realm.edit { $0.object(ofType: RulesDog.self, forPrimaryKey: 1)?.name = "mine" }
        let theirs = #"""
            {"subscription":"n1","version":VERSION,"deletions":[],"insertions":[],"modifications":[0],"objects":{
            "insertions":[],"modifications":[{"_id":1,"dog_name":"theirs","age":9}]}}
            """#
        try await realm.tell("update", theirs.replacingOccurrences(of: "VERSION", with: "11"), id: "11-0a1b2c3d.1")
        #expect(try await realm.dogs().first == "1 mine 9")
        // The gateway's change was before the local one.
        try await realm.acknowledge(at: 12)
        #expect(try await realm.dogs().first == "1 mine 9")
        try await realm.edit { $0.object(ofType: RulesDog.self, forPrimaryKey: 1)?.name = "again" }
        // The gateway's change was after the local one, and before its response.
        try await realm.tell("update", theirs.replacingOccurrences(of: "VERSION", with: "14"), id: "14-0a1b2c3d.1")
        #expect(try await realm.dogs().first == "1 again 9")
        try await realm.acknowledge(at: 13)
        #expect(try await realm.dogs().first == "1 theirs 9")
    }

    @Test("an event from before an answered upload does not undo it")
    func lateEvent() async throws {
        let realm = try await realm()
        try await realm.edit { $0.object(ofType: RulesDog.self, forPrimaryKey: 1)?.age = 50 }
        _ = try await realm.uploads()
        try await realm.acknowledge(at: 12)
        try await realm.tell(
            "update",
            #"""
            {"subscription":"n1","version":11,"deletions":[],"insertions":[],"modifications":[0],"objects":{
            "insertions":[],"modifications":[{"_id":1,"dog_name":"x","age":1}]}}
            """#, id: "11-0a1b2c3d.1")
        #expect(try await realm.dogs().first == "1 x 50")
    }

    @Test("an older row of a long event does not undo the row that came with an answer, and a newer one replaces it")
    func rowOfAnswer() async throws {
        let realm = try await realm()
        try await realm.subscribe("other", "age > 0")
        try await realm.edit { $0.object(ofType: RulesDog.self, forPrimaryKey: 1)?.age = 50 }
        _ = try await realm.uploads()
        try await realm.acknowledge(at: 12, row: ["_id": 1, "dog_name": "answered", "age": 50])
        #expect(try await realm.dogs().first == "1 answered 50")
        // The first result of the other subscription was begun before.
        try await realm.tell(
            "initial",
            #"{"subscription":"n2","version":11,"part":true,"items":[{"_id":1,"dog_name":"old","age":1}]}"#, id: "")
        #expect(try await realm.dogs().first == "1 answered 50")
        try await realm.tell(
            "update",
            #"""
            {"subscription":"n1","version":13,"deletions":[],"insertions":[],"modifications":[0],"objects":{
            "insertions":[],"modifications":[{"_id":1,"dog_name":"new","age":2}]}}
            """#, id: "")
        #expect(try await realm.dogs().first == "1 new 2")
    }

    @Test("what is created here stays while the gateway does not know it; what matches nothing goes with the answer")
    func created() async throws {
        let realm = try await realm()
        try await realm.edit {
            $0.create(RulesDog.self, value: ["_id": 7, "age": 7])
            $0.create(RulesDog.self, value: ["_id": 8, "age": 800])
        }
        try await realm.tell(
            "initial", #"{"subscription":"n1","version":11,"items":[{"_id":2,"dog_name":"b","age":2}]}"#,
            id: "11-0a1b2c3d.1")
        #expect(try await realm.dogs() == ["2 b 2", "7  7", "8  800"])
        try await realm.acknowledge(at: 12)
        #expect(try await realm.dogs() == ["2 b 2", "7  7"])
    }

    @Test("what was deleted here does not come back with an event from before")
    func deleted() async throws {
        let realm = try await realm()
        try await realm.edit { $0.delete($0.objects(RulesDog.self)) }
        #expect(
            try await realm.uploads() == [
                #"{"op":"delete","object":{"class":"RulesDog","key":1}}"#,
                #"{"op":"delete","object":{"class":"RulesDog","key":2}}"#,
            ])
        try await realm.tell(
            "update",
            #"""
            {"subscription":"n1","version":11,"deletions":[],"insertions":[],"modifications":[0],"objects":{
            "insertions":[],"modifications":[{"_id":1,"dog_name":"x","age":1}]}}
            """#, id: "11-0a1b2c3d.1")
        #expect(try await realm.dogs() == [])
    }

    @Test("links lead to what comes later, and are null meanwhile")
    func links() async throws {
        let realm = try await realm()
        try await realm.tell(
            "update",
            #"""
            {"subscription":"n1","version":11,"deletions":[],"insertions":[],"modifications":[0],"objects":{
            "insertions":[],"modifications":[{"_id":1,"dog_name":"a","age":1,"owner":"ada"}]}}
            """#, id: "11-0a1b2c3d.1")
        let owner = { @Sendable (realm: Realm) in
            realm.object(ofType: RulesDog.self, forPrimaryKey: 1)?.owner?.handle
        }
        #expect(try await realm.run { _, realm in owner(realm) } == nil)
        try await realm.run { _, realm in
            _ = try await realm.objects(RulesOwner.self).subscribe(name: "owners", waitForSync: .never)
        }
        let number = try await realm.run { _, realm in realm.subscriptions.first(named: "owners")?.query.number }
        let label = "n\(try #require(number))"
        try await realm.tell(
            "initial", #"{"subscription":"\#(label)","version":12,"items":[{"handle":"ada"}]}"#, id: "12-0a1b2c3d.2")
        #expect(try await realm.run { _, realm in owner(realm) } == "ada")
        // The object leaves the result, and enters it again.
        try await realm.tell("initial", #"{"subscription":"\#(label)","version":13,"items":[]}"#, id: "13-0a1b2c3d.2")
        #expect(try await realm.run { _, realm in owner(realm) } == nil)
        try await realm.tell(
            "initial", #"{"subscription":"\#(label)","version":14,"items":[{"handle":"ada"}]}"#, id: "14-0a1b2c3d.2")
        #expect(try await realm.run { _, realm in owner(realm) } == "ada")
        #expect(try await realm.uploads() == [])
    }
}
