import HTTPMessages
import Foundation
import HTTPServer
import JSONCoding
import RealmSwift
import StoreTesting
import Testing
import TestBasics

@Suite("Edits of the same collections by several")
struct EditingTests {
    /// Lets both write while they are disconnected, and checks that they have the same data afterwards.
    private func apart(
        _ start: String, one: @escaping @Sendable (Realm, SubDog) -> Void,
        two: @escaping @Sendable (Realm, SubDog) -> Void
    ) async throws -> (server: TestServer, client: SyncedRealm) {
        let server = try TestServer()
        try server.send(.post, "/v1/objects/SubDog", start)
        let clients = [SyncedRealm(server), SyncedRealm(server)]
        for client in clients { try await client.dogs() }
        for (client, edit) in zip(clients, [one, two]) {
            try await client.session()?.suspend()
            try await client.write { realm in
                if let dog = realm.object(ofType: SubDog.self, forPrimaryKey: 1) { edit(realm, dog) }
            }
        }
        for client in clients {
            try await client.session()?.resume()
            try await client.settle()
        }
        for client in clients { try await client.settle() }
        #expect(try await clients[0].text() == clients[1].text())
        #expect(clients.flatMap(\.errors.now).map(\.message) == [])
        return (server, clients[0])
    }

    @Test("elements of a list that two clients replace, insert and take out do not get into each other's way")
    func lists() async throws {
        let (server, _) = try await apart(#"{"_id":1,"names":["a","b","c","d","e","f"]}"#) { _, dog in
            dog.names.insert("x", at: 0)
            dog.names[2] = "B"
            dog.names.remove(at: 3)
        } two: { _, dog in
            dog.names[3] = "D"
            dog.names.insert("y", at: 5)
            dog.names.remove(at: 6)
            dog.names.append("z")
        }
        #expect(server.object("SubDog", "1")?["names"] == ["x", "a", "B", "D", "e", "y", "z"])
    }

    @Test("what one client took out of a list is not put back, nor another taken, by another's edits of it")
    func gone() async throws {
        let (server, _) = try await apart(#"{"_id":1,"names":["a","b","c","d"]}"#) { _, dog in
            dog.names.remove(at: 1)
            dog.names.remove(at: 0)
        } two: { _, dog in
            dog.names[1] = "B"
            dog.names.remove(at: 0)
        }
        #expect(server.object("SubDog", "1")?["names"] == ["c", "d"])
    }

    @Test("elements that are alike are told apart by where they stand")
    func alike() async throws {
        let (server, _) = try await apart(#"{"_id":1,"names":["a","a","b","a","a"]}"#) { _, dog in
            dog.names[4] = "last"
        } two: { _, dog in
            dog.names[0] = "first"
            dog.names.remove(at: 1)
        }
        #expect(server.object("SubDog", "1")?["names"] == ["first", "b", "a", "last"])
    }

    @Test("links in a list are found again, also behind deleted ones")
    func links() async throws {
        let (server, _) = try await apart(
            #"[{"_id":2},{"_id":3},{"_id":4},{"_id":5},{"_id":1,"friends":[2,3,4,5]}]"#
        ) { realm, dog in
            if let other = realm.object(ofType: SubDog.self, forPrimaryKey: 2) { realm.delete(other) }
            dog.friends.swapAt(0, 1)
        } two: { realm, dog in
            dog.friends.remove(at: 3)
            dog.friends.insert(dog, at: 2)
        }
        let friends = server.object("SubDog", "1")?["friends"]?.parts ?? []
        #expect(Set(friends) == [3, 4, 1])
        #expect(friends.count == 3)
    }

    @Test("a link to what somebody else deleted is left out, and the rest of the commit is done")
    func linksToDeleted() async throws {
        let (server, client) = try await apart(#"[{"_id":2},{"_id":3},{"_id":1}]"#) { realm, _ in
            if let other = realm.object(ofType: SubDog.self, forPrimaryKey: 2) { realm.delete(other) }
        } two: { realm, dog in
            dog.name = "kept"
            dog.friends.append(objectsIn: realm.objects(SubDog.self).where { $0._id == 2 })
            let new = realm.create(SubDog.self, value: ["_id": 9] as [String: Any])
            new.friends.append(objectsIn: realm.objects(SubDog.self).where { $0._id == 2 })
        }
        #expect(server.object("SubDog", "1")?["name"] == "kept")
        #expect(server.object("SubDog", "9")?["friends"] == [])
        #expect(try await client.keys() == [1, 3, 9])
    }

    @Test("embedded objects are edited where they are: their properties, in lists, and within each other's lists")
    func embedded() async throws {
        let (server, _) = try await apart(
            #"{"_id":1,"chip":{"code":"a","scans":[1,2]},"chips":[{"code":"k"},{"code":"l","scans":[7]},{"code":"m"}]}"#
        ) { _, dog in
            dog.chip?.code = "A"
            dog.chips[1].scans.append(8)
            dog.chips.insert(SubChip(value: ["code": "new"]), at: 0)
        } two: { _, dog in
            dog.chip?.scans.append(3)
            dog.chips[2].code = "M"
            dog.chips.remove(at: 0)
            dog.chips[0].scans.insert(6, at: 0)
        }
        let dog = server.object("SubDog", "1")
        #expect(dog?["chip"] == ["code": "A", "scans": [1, 2, 3]])
        #expect(
            dog?["chips"] == [
                ["code": "new", "scans": []], ["code": "l", "scans": [6, 7, 8]], ["code": "M", "scans": []],
            ])
    }

    @Test("keys of a map and elements of a set that two clients edit are all as each left them")
    func keys() async throws {
        let (server, _) = try await apart(#"{"_id":1,"rates":{"a":1,"b":2,"c":3},"marks":[1,2,3]}"#) { _, dog in
            dog.rates["a"] = nil
            dog.rates["d"] = 4
            dog.marks.remove(1)
        } two: { _, dog in
            dog.rates["b"] = 5
            dog.rates["a"] = nil
            dog.marks.insert(9)
            dog.marks.remove(1)
        }
        let dog = server.object("SubDog", "1")
        #expect(dog?["rates"] == ["b": 5.0, "c": 3.0, "d": 4.0])
        #expect(dog?["marks"] == [2, 3, 9])
    }

    @Test("what was edited in vain here becomes what the gateway has, with all else that was changed there")
    func inVain() async throws {
        let server = try TestServer()
        try server.send(.post, "/v1/objects/SubDog", #"{"_id":1,"names":["a","b"],"marks":[1],"rates":{"k":1}}"#)
        let client = SyncedRealm(server)
        try await client.dogs()
        for number in 0..<5 {
            try await client.session()?.suspend()
            try server.send(
                .patch, "/v1/objects/SubDog/1",
                #"{"names":["c\#(number)"],"marks":[\#(number)],"rates":{"l":\#(number)},"age":\#(number)}"#)
            try await client.write { realm in
                let dog = realm.object(ofType: SubDog.self, forPrimaryKey: 1)
                switch number {
                case 0: dog?.names[0] = "x"
                case 1: dog?.marks.remove(0)
                case 2: dog?.rates["l"] = nil
                case 3: dog?.names.removeFirst()
                default: dog?.names = dog?.names.unmanagedCopy() ?? List()
                }
            }
            try await client.session()?.resume()
            try await client.settle()
            let fresh = SyncedRealm(server)
            try await fresh.dogs()
            #expect(try await client.text() == fresh.text(), "round \(number)")
        }
    }

    @Test("clients and somebody else who edit everything at once come to the same")
    func convergence() async throws {
        for round in 0..<TestRun.length {
            var random = SeededRandom.ofTest(round)
            let seed = random.seed
            let server = try TestServer()
            let clients = [SyncedRealm(server), SyncedRealm(server), SyncedRealm(server)]
            for client in clients {
                try await client.dogs()
                try await client.owners()
            }
            for _ in 0..<80 {
                let client = clients[Int.random(in: 0..<3, using: &random)]
                // Each step has choices of its own: how many an edit takes depends on what has arrived.
                let own = random.next()
                try await client.write { realm in
                    var edits = SeededRandom(seed: own)
                    AllEdits.random(realm, &edits)
                }
                for _ in 0..<Int.random(in: 0..<3, using: &random) { AllEdits.direct(server, &random) }
                switch Int.random(in: 0..<8, using: &random) {
                case 0: try await client.session()?.suspend()
                case 1: try await client.session()?.resume()
                default: break
                }
            }
            for client in clients { try await client.session()?.resume() }
            for client in clients + clients { try await client.settle() }
            let fresh = SyncedRealm(server)
            try await fresh.dogs()
            try await fresh.owners()
            let expected = try await fresh.text()
            for client in clients {
                let text = try await client.text()
                let lines = zip(text.split(separator: "\n"), expected.split(separator: "\n")).filter { $0 != $1 }
                #expect(text == expected, "seed \(seed): \(lines.prefix(2))")
            }
            // A subscription never reports an object that another client deletes before its creator is informed.
            let errors = clients.flatMap(\.errors.now).filter { $0.code != .outsideSubscriptions }
            #expect(errors.map(\.message) == [], "seed \(seed)")
            #expect(!expected.isEmpty)
        }
    }
}

extension List {
    /// The same elements, in an unmanaged list.
    fileprivate func unmanagedCopy() -> List<Element> {
        let copy = List<Element>()
        copy.append(objectsIn: Array(self))
        return copy
    }
}

/// All edits of dogs and owners that a program can make, and those of another client at the gateway.
enum AllEdits {
    static func random(_ realm: Realm, _ random: inout SeededRandom) {
        for _ in 0..<Int.random(in: 1...5, using: &random) { one(realm, &random) }
    }

    private static func one(_ realm: Realm, _ random: inout SeededRandom) {
        let all = realm.objects(SubDog.self)
        func below(_ count: Int) -> Int { Int.random(in: 0..<Swift.max(count, 1), using: &random) }
        let number = below(26)
        guard let dog = all.randomElement(using: &random), number > 1 else {
            realm.create(
                SubDog.self,
                value: ["_id": below(12), "name": "n\(below(50))", "names": ["p", "q", "p"], "chip": ["code": "c"]]
                    as [String: Any], update: .modified)
            return
        }
        switch number {
        case 2: if below(3) == 0 { realm.delete(dog) }
        case 3: dog.name = "r\(below(50))"
        case 4: dog.age = below(2) == 0 ? nil : below(9)
        case 5: dog.names.append("a\(below(50))")
        case 6: if !dog.names.isEmpty { dog.names.remove(at: below(dog.names.count)) }
        case 7: dog.names.insert("i\(below(9))", at: below(dog.names.count + 1))
        case 8: if !dog.names.isEmpty { dog.names[below(dog.names.count)] = "s\(below(9))" }
        case 9: if dog.names.count > 1 { dog.names.move(from: below(dog.names.count), to: below(dog.names.count)) }
        case 10: if below(4) == 0 { dog.names.removeAll() }
        case 11: dog.marks.insert(below(6))
        case 12: dog.marks.remove(below(6))
        case 13: dog.rates["k\(below(4))"] = Double(below(100))
        case 14: dog.rates["k\(below(4))"] = nil
        case 15: dog.chip = below(3) == 0 ? nil : SubChip(value: ["code": "c\(below(50))"])
        case 16: dog.chip?.code = "d\(below(50))"
        case 17: dog.chip?.scans.insert(below(9), at: 0)
        case 18: dog.chips.insert(SubChip(value: ["code": "e\(below(9))"]), at: below(dog.chips.count + 1))
        case 19: if !dog.chips.isEmpty { dog.chips.remove(at: below(dog.chips.count)) }
        case 20 where dog.chips.count > 1 && below(3) == 0:
            dog.chips.move(from: 0, to: dog.chips.count - 1)
            dog.chips.last?.scans.append(below(9))
        case 20: if !dog.chips.isEmpty { dog.chips[below(dog.chips.count)].code = "f\(below(50))" }
        case 21: if !dog.chips.isEmpty { dog.chips[below(dog.chips.count)].scans.append(below(9)) }
        case 22:
            if let friend = all.randomElement(using: &random) {
                dog.friends.insert(friend, at: below(dog.friends.count + 1))
            }
        case 23: if !dog.friends.isEmpty { dog.friends.remove(at: below(dog.friends.count)) }
        case 24: dog.extra = below(2) == 0 ? .int(below(9)) : .object(dog)
        default:
            dog.owner =
                below(3) == 0
                ? nil : realm.create(SubOwner.self, value: ["handle": "o\(below(5))"], update: .modified)
        }
    }

    /// Writes at the gateway; does nothing if there is no object to write to.
    static func direct(_ server: TestServer, _ random: inout SeededRandom) {
        func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        let dog = "/v1/objects/SubDog/\(below(12))"
        switch below(10) {
        case 0: _ = try? server.send(.delete, dog + "/names/0")
        case 1: _ = try? server.send(.post, dog + "/names?index=0", #""g\#(below(50))""#)
        case 2: _ = try? server.send(.put, dog + "/names/1", #""h\#(below(50))""#)
        case 3: _ = try? server.send(.put, dog + "/rates/k\(below(4))", "\(below(100))")
        case 4: _ = try? server.send(.delete, dog + "/rates/k\(below(4))")
        case 5: _ = try? server.send(.post, dog + "/marks", "\(below(6))")
        case 6: _ = try? server.send(.delete, dog + "/chips/0")
        case 7: _ = try? server.send(.patch, dog, #"{"age":\#(below(9)),"names":["w\#(below(9))","v"]}"#)
        case 8: _ = try? server.send(.put, dog + "/chips/0/code", #""j\#(below(50))""#)
        default: if below(4) == 0 { _ = try? server.send(.delete, dog) }
        }
    }
}
