import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import RealmSwift
import StoreTesting
import Synchronization
import TestBasics
import Testing

/// What becomes of a realm whose gateway has another history: its backup was restored. Invariant: afterwards the realm has
/// what its gateway has; its own changes that were not sent are at both or at neither, as the mode says.
@Suite("Client resets")
struct ClientResetTests {
    /// What the blocks of a mode have seen: the dogs of the frozen and of the live realm.
    final class Seen: Sendable {
        struct Call: Equatable {
            var block: String
            var before: [Int]
            var after: [Int]?
            var isFrozen: [Bool]
        }
        private let all = Mutex<[Call]>([])
        var calls: [Call] { all.withLock { $0 } }

        private static func keys(_ realm: Realm) -> [Int] { realm.objects(SubDog.self).map(\._id).sorted() }

        func before(_ before: Realm) {
            let call = Call(block: "before", before: Self.keys(before), after: nil, isFrozen: [before.isFrozen])
            all.withLock { $0.append(call) }
        }

        func after(_ before: Realm, _ after: Realm) {
            let call = Call(
                block: "after", before: Self.keys(before), after: Self.keys(after),
                isFrozen: [before.isFrozen, after.isFrozen])
            // An app may take over what it wants to keep. Whoever sees the call finds it written.
            try? after.write { _ = after.create(SubDog.self, value: ["_id": 900], update: .modified) }
            all.withLock { $0.append(call) }
        }
    }

    enum Mode: String, CaseIterable, Sendable {
        case discard
        case recover
        case recoverOrDiscard

        var recovers: Bool { self != .discard }

        func mode(_ seen: Seen) -> ClientResetMode {
            switch self {
            case .discard:
                .discardUnsyncedChanges(beforeReset: { seen.before($0) }, afterReset: { seen.after($0, $1) })
            case .recover:
                .recoverUnsyncedChanges(beforeReset: { seen.before($0) }, afterReset: { seen.after($0, $1) })
            case .recoverOrDiscard:
                .recoverOrDiscardUnsyncedChanges(beforeReset: { seen.before($0) }, afterReset: { seen.after($0, $1) })
            }
        }
    }

    /// Makes a follower of a gateway whose history is then lost. The follower has changes that were not sent.
    ///
    /// The backup has the dogs 1, 2 and 3. Later come 4 from the gateway and 5 from here, and without a connection 10 is
    /// created, 1 and 4 are edited, and 2 is deleted.
    private func lose(_ server: TestServer, _ client: SyncedRealm) async throws {
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":1,"name":"a"},{"_id":2,"name":"b"},{"_id":3}]"#)
        try await client.dogs()
        try server.backUp()
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":4}]"#)
        try await client.write { _ = $0.create(SubDog.self, value: ["_id": 5]) }
        try await client.settle()
        server.stop()
        try await client.write { realm in
            realm.create(SubDog.self, value: ["_id": 10])
            realm.object(ofType: SubDog.self, forPrimaryKey: 1)?.name = "edited"
            realm.object(ofType: SubDog.self, forPrimaryKey: 4)?.name = "edited"
            if let dog = realm.object(ofType: SubDog.self, forPrimaryKey: 2) { realm.delete(dog) }
        }
        try server.restore()
    }

    @Test(
        "ClientResetMode.discardUnsyncedChanges ClientResetMode.recoverUnsyncedChanges ClientResetMode.recoverOrDiscardUnsyncedChanges local changes are undone or sent, and the blocks see both states",
        arguments: Mode.allCases)
    func modes(_ mode: Mode) async throws {
        let seen = Seen()
        let server = try TestServer()
        let client = SyncedRealm(server, reset: mode.mode(seen))
        try await lose(server, client)
        #expect(try await eventually { seen.calls.count == 2 })
        try await client.settle()
        let there = mode.recovers ? [1, 3, 10, 900] : [1, 2, 3, 900]
        #expect(try await client.keys() == there)
        #expect(try server.keys() == there)
        #expect(server.object("SubDog", "1")?["name"] == (mode.recovers ? "edited" : "a"))
        #expect(
            try await client.run { $0.object(ofType: SubDog.self, forPrimaryKey: 1)?.name }
                == (mode.recovers ? "edited" : "a"))
        let calls = seen.calls
        try #require(calls.count == 2)
        #expect(calls[0] == Seen.Call(block: "before", before: [1, 3, 4, 5, 10], after: nil, isFrozen: [true]))
        #expect(
            calls[1].block == "after" && calls[1].before == [1, 3, 4, 5, 10] && calls[1].isFrozen == [true, false])
        // What is recovered may have reached the gateway by then.
        #expect(mode.recovers ? calls[1].after?.contains(10) == true : calls[1].after == [1, 2, 3])
        #expect(client.errors.now.allSatisfy { $0.code == .connection })
    }

    @Test(
        "ClientResetMode.manual SyncError.clientResetInfo SyncSession.immediatelyHandleError nothing is sent before the program begins the reset, which leaves a copy",
        arguments: [true, false])
    func manual(hasHandler: Bool) async throws {
        let found = Mutex<[SyncError]>([])
        let sessions = Mutex(0)
        let path = NSTemporaryDirectory() + "/reset-\(UUID().uuidString).realm"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let server = try TestServer()
        let handler: ClientResetMode.ErrorReportingBlock = { error, session in
            // Before the error, which the test waits for.
            if session != nil { sessions.withLock { $0 += 1 } }
            if let error = error as? SyncError { found.withLock { $0.append(error) } }
        }
        let client = SyncedRealm(server, path: path, reset: .manual(errorHandler: hasHandler ? handler : nil))
        @Sendable func errors() -> [SyncError] {
            (hasHandler ? found.withLock { $0 } : client.errors.now).filter { $0.code == .clientResetError }
        }
        try await lose(server, client)
        #expect(try await eventually { errors().count == 1 })
        #expect(sessions.withLock { $0 } == (hasHandler ? 1 : 0))
        // Works as before, without the gateway.
        try await client.write { _ = $0.create(SubDog.self, value: ["_id": 11]) }
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":6}]"#)
        await #expect(throws: Realm.Error.self) {
            try await client.session()?.wait(for: .download, timeout: 0.2)
        }
        #expect(try await client.keys() == [1, 3, 4, 5, 10, 11])
        #expect(try server.keys() == [1, 2, 3, 6])
        // A program that has not begun it is told again when it starts again.
        await client.close()
        _ = try await client.keys()
        #expect(try await eventually { errors().count == 2 })
        #expect(try server.keys() == [1, 2, 3, 6])
        let info = try #require(errors().last?.clientResetInfo())
        defer { try? FileManager.default.removeItem(atPath: info.path) }
        SyncSession.immediatelyHandleError(info.errorToken)
        SyncSession.immediatelyHandleError(info.errorToken)
        #expect(try await eventually { try await client.keys() == [1, 2, 3, 6] })
        try await client.settle()
        #expect(try server.keys() == [1, 2, 3, 6])
        let copy = Realm.Configuration(fileURL: URL(fileURLWithPath: info.path), objectTypes: SubModels.all)
        let kept = try await SyncedRealm(copy).keys()
        #expect(kept == [1, 3, 4, 5, 10, 11])
        // A token is for one reset.
        try await client.write { _ = $0.create(SubDog.self, value: ["_id": 12]) }
        SyncSession.immediatelyHandleError(info.errorToken)
        try await client.settle()
        #expect(try server.keys() == [1, 2, 3, 6, 12])
        #expect(client.errors.now.first { $0.code != .connection }?.clientResetInfo() != nil || hasHandler)
    }

    @Test("a gateway that was compacted, or that was down, has its history: nothing is reset")
    func sameHistory() async throws {
        let seen = Seen()
        let server = try TestServer()
        let client = SyncedRealm(server, reset: Mode.discard.mode(seen))
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":1},{"_id":2}]"#)
        try await client.dogs()
        for round in 0..<2 {
            server.stop()
            try await client.write { _ = $0.create(SubDog.self, value: ["_id": 10 + round]) }
            if round == 0 { try server.compact() }
            try server.start()
            try server.send(.post, "/v1/objects/SubDog", #"[{"_id":\#(20 + round)}]"#)
            try await client.settle()
        }
        #expect(try await client.keys() == [1, 2, 10, 11, 20, 21])
        #expect(try server.keys() == [1, 2, 10, 11, 20, 21])
        #expect(seen.calls.isEmpty)
    }

    @Test("two followers, one that recovers and one that discards, come to the same through random edits and resets")
    func convergence() async throws {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        let server = try TestServer()
        let paths = (0..<2).map { NSTemporaryDirectory() + "/reset-\(UUID().uuidString)-\($0).realm" }
        defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
        let calls = [Seen(), Seen()]
        let clients = [
            SyncedRealm(server, path: paths[0], reset: .recoverUnsyncedChanges { calls[0].before($0) }),
            SyncedRealm(server, path: paths[1], reset: .discardUnsyncedChanges { calls[1].before($0) }),
        ]
        for client in clients {
            try await client.dogs()
            try await client.owners()
        }
        /// The model: dogs that nobody edits or deletes, by whether they are at the gateway.
        var expected: Set<Int> = []
        var lost: Set<Int> = []
        var next = 1_000
        func create(_ client: SyncedRealm) async throws -> Int {
            next += 1
            try await client.write { [next] in _ = $0.create(SubDog.self, value: ["_id": next]) }
            return next
        }
        func edit(_ count: Int) async throws {
            for _ in 0..<count {
                let own = random.next()
                try await clients[random.below(2)].write { realm in
                    var edits = SeededRandom(seed: own)
                    Edits.random(realm, &edits, below: 1_000)
                }
            }
        }
        for round in 0..<6 {
            try await edit(3)
            for client in clients { expected.insert(try await create(client)) }
            for client in clients { try await client.settle() }
            try server.backUp()
            // Sent, and lost with the gateway's history.
            for client in clients { lost.insert(try await create(client)) }
            try await edit(random.below(4))
            for client in clients { try await client.settle() }
            server.stop()
            try await edit(random.below(4))
            expected.insert(try await create(clients[0]))
            lost.insert(try await create(clients[1]))
            try server.restore()
            // The process may end during the reset.
            for client in clients where random.oneIn(2) {
                if random.oneIn(2) { try await Task.sleep(for: .milliseconds(random.below(30))) }
                await client.close()
                _ = try await client.keys()
            }
            for (client, seen) in zip(clients, calls) {
                #expect(try await eventually { seen.calls.count > round })
                try await client.settle()
            }
            for client in clients { expected.insert(try await create(client)) }
            for client in clients { try await client.settle() }
            for client in clients { try await client.settle() }
            let there = try server.keys()
            #expect(Set(there).isSuperset(of: expected), "seed \(seed), round \(round)")
            #expect(lost.isDisjoint(with: there), "seed \(seed), round \(round)")
            for client in clients { #expect(try await client.keys() == there, "seed \(seed), round \(round)") }
            #expect(try await clients[0].text() == clients[1].text(), "seed \(seed), round \(round)")
        }
        #expect(clients.allSatisfy { $0.errors.now.allSatisfy { $0.code == .connection } }, "seed \(seed)")
        for client in clients { await client.close() }
    }
}
