import HTTPMessages
import Foundation
import HTTPServer
import JSONCoding
import RealmSwift
import Testing

@Suite("What goes up from a realm that follows a gateway")
struct UploadTests {
    @Test("what is created, changed and deleted here is done at the gateway, and other clients see it")
    func simple() async throws {
        let server = try TestServer()
        let (one, two) = (SyncedRealm(server), SyncedRealm(server))
        for client in [one, two] {
            try await client.dogs()
            try await client.owners()
        }
        try await one.write { realm in
            let ada = realm.create(SubOwner.self, value: ["handle": "ada"])
            realm.create(SubDog.self, value: ["_id": 1, "name": "Rex", "age": 7, "owner": ada] as [String: Any])
            realm.create(SubDog.self, value: ["_id": 2, "name": "Fido"])
        }
        try await one.settle()
        #expect(server.object("SubDog", "1")?["owner"] == "ada")
        try await two.settle()
        #expect(try await two.run { $0.object(ofType: SubDog.self, forPrimaryKey: 1)?.owner?.handle } == "ada")
        try await two.write { realm in
            realm.object(ofType: SubDog.self, forPrimaryKey: 1)?.name = "Max"
            if let fido = realm.object(ofType: SubDog.self, forPrimaryKey: 2) { realm.delete(fido) }
        }
        try await two.settle()
        try await one.settle()
        #expect(try await one.keys() == [1])
        #expect(try await one.run { $0.object(ofType: SubDog.self, forPrimaryKey: 1)?.name } == "Max")
        #expect(one.errors.now.map(\.message) + two.errors.now.map(\.message) == [])
    }

    @Test("values of every type, lists, sets, maps, embedded objects and links arrive as they are")
    func types() async throws {
        let server = try TestServer()
        let (one, two) = (SyncedRealm(server), SyncedRealm(server))
        for client in [one, two] { try await client.dogs() }
        try await one.write { realm in
            let dog = realm.create(SubDog.self, value: ["_id": 1])
            let friend = realm.create(SubDog.self, value: ["_id": 2])
            dog.age = 3
            dog.weight = .infinity
            dog.born = Date(timeIntervalSince1970: 1_700_000_000.25)
            dog.price = 1.5
            dog.tag = UUID(uuidString: "123E4567-E89B-12D3-A456-426614174000")
            dog.picture = Data([0, 1, 255])
            dog.extra = .object(friend)
            dog.friends.append(objectsIn: [friend, dog])
            dog.names.append(objectsIn: ["a", "b"])
            dog.marks.insert(objectsIn: [5, 6])
            dog.rates["EUR"] = 1.25
            dog.chip = SubChip(value: ["code": "c", "scans": [1, 2]])
            dog.chips.append(SubChip(value: ["code": "d"]))
        }
        try await settle(one, two)
        #expect(try await one.text() == two.text())
        #expect(try await two.text().hasPrefix("1  3 inf 1700000000.25 1.5"))
        try await two.write { realm in
            let dog = realm.object(ofType: SubDog.self, forPrimaryKey: 1)
            dog?.names.append("c")
            dog?.marks.remove(5)
            dog?.marks.insert(9)
            dog?.rates["EUR"] = 2
            dog?.rates["USD"] = 3
            dog?.chip?.code = "cc"
            dog?.chip?.scans.append(3)
            dog?.chips.first?.scans.append(1)
            dog?.extra = .list(List())
            dog?.friends.remove(at: 0)
        }
        try await settle(two, one)
        #expect(try await one.text() == two.text())
        try await one.write { realm in
            let dog = realm.object(ofType: SubDog.self, forPrimaryKey: 1)
            dog?.names.move(from: 0, to: 2)
            dog?.rates["EUR"] = nil
            dog?.chip = nil
            dog?.chips.removeAll()
            dog?.age = nil
        }
        try await settle(one, two)
        #expect(try await one.text() == two.text())
        #expect(try await two.text().contains("b,c,a"))
        #expect(one.errors.now.map(\.message) + two.errors.now.map(\.message) == [])
    }

    @Test("elements that two clients append, and set elements and keys that they put in, are all there")
    func merging() async throws {
        let server = try TestServer()
        let (one, two) = (SyncedRealm(server), SyncedRealm(server))
        for client in [one, two] { try await client.dogs() }
        try await one.write { _ = $0.create(SubDog.self, value: ["_id": 1, "names": ["a"]] as [String: Any]) }
        try await settle(one, two)
        for (client, letter) in [(one, "x"), (two, "y")] {
            try await client.session()?.suspend()
            try await client.write { realm in
                let dog = realm.object(ofType: SubDog.self, forPrimaryKey: 1)
                dog?.names.append(letter)
                dog?.rates[letter] = 1
                dog?.marks.insert(letter == "x" ? 1 : 2)
                if letter == "x" { dog?.name = letter } else { dog?.age = 5 }
            }
        }
        for client in [one, two] {
            try await client.session()?.resume()
            try await client.settle()
        }
        try await settle(one, two)
        #expect(try await one.text() == two.text())
        #expect(try await one.run { $0.objects(SubDog.self).first?.names.sorted() } == ["a", "x", "y"])
        #expect(try await one.run { $0.objects(SubDog.self).first?.rates.keys } == ["x", "y"])
        #expect(try await one.run { $0.objects(SubDog.self).first.map { Array($0.marks) } } == [1, 2])
        #expect(try await one.run { $0.objects(SubDog.self).first?.name } == "x")
        #expect(try await one.run { $0.objects(SubDog.self).first?.age } == 5)
    }

    @Test("elements that are not here stay at the gateway when the list is edited here")
    func hiddenElements() async throws {
        let server = try TestServer()
        try server.send(
            .post, "/v1/objects/SubDog",
            #"[{"_id":2,"age":1},{"_id":3,"age":9},{"_id":4,"age":1},{"_id":1,"age":9,"friends":[2,3,4]}]"#)
        let client = SyncedRealm(server)
        try await client.dogs("age > 5")
        try await client.write { realm in
            let dog = realm.object(ofType: SubDog.self, forPrimaryKey: 1)
            if let dog { dog.friends.insert(dog, at: 0) }
        }
        try await client.settle()
        #expect(server.object("SubDog", "1")?["friends"] == [1, 2, 3, 4])
        #expect(
            try await client.run { $0.object(ofType: SubDog.self, forPrimaryKey: 1)?.friends.map(\._id) } == [1, 3])
    }

    @Test("what is created beside all subscriptions goes up, and from here")
    func outside() async throws {
        let server = try TestServer()
        let client = SyncedRealm(server)
        try await client.dogs("age > 5")
        try await client.write { realm in
            realm.create(SubDog.self, value: ["_id": 1, "age": 2])
            realm.create(SubDog.self, value: ["_id": 2, "age": 8])
        }
        try await client.settle()
        #expect(try await client.keys() == [2])
        #expect(server.object("SubDog", "1") != nil)
    }

    @Test("what another client deleted meanwhile stays deleted, and the rest of the commit is done")
    func deletedElsewhere() async throws {
        let server = try TestServer()
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":1},{"_id":2}]"#)
        let client = SyncedRealm(server)
        try await client.dogs()
        try await client.session()?.suspend()
        try server.send(.delete, "/v1/objects/SubDog/1")
        try await client.write { realm in
            for dog in realm.objects(SubDog.self) { dog.name = "new" }
        }
        try await client.session()?.resume()
        try await client.settle()
        #expect(try await client.keys() == [2])
        #expect(server.object("SubDog", "2")?["name"] == "new")
        #expect(client.errors.now.map(\.message) == [])
    }

    private func settle(_ first: SyncedRealm, _ second: SyncedRealm) async throws {
        try await first.settle()
        try await second.settle()
    }
}

extension SyncedRealm {
    /// Returns all dogs with all their properties.
    func text() async throws -> String {
        try await run { realm in
            realm.objects(SubDog.self).sorted(by: \._id).map { dog -> String in
                let parts: [String] = [
                    "\(dog._id)", dog.name, "\(dog.age ?? -1)", "\(dog.weight)", "\(dog.born.timeIntervalSince1970)",
                    "\(dog.price ?? 0)", dog.tag?.uuidString ?? "-", dog.picture?.base64EncodedString() ?? "-",
                    dog.extra.text, dog.owner?.handle ?? "-",
                    dog.friends.map { "\($0._id)" }.joined(separator: ","), dog.names.joined(separator: ","),
                    dog.marks.map { "\($0)" }.joined(separator: ","),
                    dog.rates.asKeyValueSequence().map { "\($0.key)=\($0.value)" }.joined(separator: ","),
                    dog.chip?.text ?? "-", dog.chips.map(\.text).joined(separator: ","),
                ]
                return parts.joined(separator: " ")
            }.joined(separator: "\n")
        }
    }
}

extension SubChip {
    fileprivate var text: String { "\(code)(\(scans.map { "\($0)" }.joined(separator: " ")))" }
}

extension AnyRealmValue {
    fileprivate var text: String {
        switch self {
        case .object(let object): "object \((object as? SubDog)?._id ?? -1)"
        case .list(let list): "list \(list.count)"
        case .none: "none"
        default: "\(self)"
        }
    }
}
