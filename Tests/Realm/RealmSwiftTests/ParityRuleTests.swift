import Foundation
import RealmSwift
import Testing

class ParityAddress: EmbeddedObject {
    @Persisted var city: String
    @Persisted var country: String
}

class ParityResident: Object {
    @Persisted var firstName: String
    @Persisted var lastName: String
    @Persisted var age: Int
    @Persisted var address: ParityAddress?
    @Persisted var friends: List<ParityResident>
}

final class ParityView: Projection<ParityResident> {
    @Projected(\ParityResident.firstName) var name
    @Projected(\ParityResident.lastName) var surname
    @Projected(\ParityResident.address?.city) var homeCity
    @Projected(\ParityResident.address?.country) var homeCountry
    @Projected(\ParityResident.friends.projectTo.firstName) var friendNames: ProjectedCollection<String>
}

enum ParityOld {
    class ParityMigrated: Object {
        @Persisted var id: Int
        @Persisted var number: Int
        @Persisted var link: ParityMigrated?
        override class func propertiesMapping() -> [String: String] { ["number": "stored_number"] }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum ParityNew {
    class ParityMigrated: Object {
        @Persisted var id: Int
        @Persisted var count: Int
        @Persisted var text: String
        @Persisted var link: ParityMigrated?
        @Persisted var links: List<ParityMigrated>
        override class func propertiesMapping() -> [String: String] {
            ["count": "stored_number", "text": "stored_text"]
        }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

@Suite("Parity with Realm: projections, migrations and what is refused")
struct ParityRuleTests {
    private static func view(_ realm: Realm) throws -> ParityView {
        let resident = ParityResident(
            value: [
                "firstName": "Ann", "lastName": "Lee", "address": ["city": "Rome", "country": "Italy"],
                "friends": [["firstName": "Bo"]],
            ] as [String: Any])
        try realm.write { realm.add(resident) }
        return ParityView(projecting: resident)
    }

    @Test(
        "Projection.observe(keyPaths:on:_:) also by the object's names; changes behind links have their own names")
    func projectionNames() async throws {
        let fixture = QueueFixture([ParityResident.self, ParityAddress.self])
        try fixture.run { realm in
            let view = try Self.view(realm)
            func keep(_ label: String, _ keyPaths: [String]?) {
                fixture.keep(
                    view.observe(keyPaths: keyPaths) { [fixture] change in
                        guard case .change(_, let properties) = change else { return fixture.note("\(label) other") }
                        let texts = properties.map { "\($0.name)=\($0.newValue.map { "\($0)" } ?? "nil")" }
                        fixture.note("\(label) \(texts.joined(separator: " "))")
                    })
            }
            keep("1", ["lastName"])
            keep("2", ["name"])
            keep("3", ["address.city"])
            keep("4", ["homeCountry"])
            keep("5", nil)
        }
        func change(_ body: @Sendable (ParityResident) -> Void) throws {
            try fixture.run { realm in
                let resident = try #require(realm.objects(ParityResident.self).first)
                try realm.write { body(resident) }
            }
        }
        try change { $0.lastName = "Fox" }
        #expect(try await fixture.notes(2).sorted() == ["1 surname=Fox", "5 surname=Fox"])
        try change { $0.firstName = "Eve" }
        #expect(try await fixture.notes(4).dropFirst(2).sorted() == ["2 name=Eve", "5 name=Eve"])
        try change { $0.address?.city = "Pisa" }
        let notes = try await fixture.notes(6).dropFirst(4).sorted()
        #expect(notes.first == "3 homeCity=Pisa" && notes.last?.contains("homeCity=Pisa") == true)
        #expect(
            await exception {
                let realm = try ParityRealm.open([ParityResident.self, ParityAddress.self])
                _ = try Self.view(realm).observe(keyPaths: ["age"]) { _ in }
            } == "Invalid property name: property 'age' not found in object of type 'ParityView'")
    }

    @Test("Projection's description has its properties with their paths")
    func projectionDescription() throws {
        let realm = try ParityRealm.open([ParityResident.self, ParityAddress.self])
        let text = try Self.view(realm).description
        #expect(text.hasPrefix("ParityView<ParityResident> <0x") && text.hasSuffix(";\n}"))
        #expect(text.contains(" {\n\t\tname(\\.firstName) = Ann;\n\tsurname(\\.lastName) = Lee;\n"))
        #expect(text.contains("\thomeCity(\\.address.city) = Optional(\"Rome\");"))
    }

    @Test(
        "Migration.enumerateObjects(ofType:_:) gives new objects with Swift's names, and the old ones with stored ones"
    )
    func migration() throws {
        let fixture = try FileFixture()
        let url = fixture.url("migrated")
        do {
            let realm = try Realm(
                configuration: .init(fileURL: url, objectTypes: [ParityOld.ParityMigrated.self]))
            try realm.write {
                let first = realm.create(ParityOld.ParityMigrated.self, value: ["id": 1, "number": 7])
                realm.create(ParityOld.ParityMigrated.self, value: ["id": 2, "number": 8, "link": first])
            }
        }
        let configuration = Realm.Configuration(
            fileURL: url, schemaVersion: 1,
            migrationBlock: { migration, version in
                #expect(version == 0)
                #expect(migration.oldSchema["ParityMigrated"]?["stored_number"] != nil)
                #expect(migration.newSchema["ParityMigrated"]?["count"]?.columnName == "stored_number")
                migration.enumerateObjects(ofType: "ParityMigrated") { old, new in
                    #expect(old?["stored_number"] as? Int == new?["count"] as? Int)
                    new?["text"] = "was \(old?["stored_number"] as? Int ?? 0)"
                    new?.count = (new?.count as? Int ?? 0) * 10
                    #expect(new?["stored_number"] as? Int == new?.count as? Int)
                    if let link = new?["link"] as? MigrationObject { new?.dynamicList("links").append(link) }
                    #expect(
                        (old?["link"] as? MigrationObject)?["stored_number"] as? Int
                            == (old?["id"] as? Int == 2 ? 7 : nil))
                }
                migration.create("ParityMigrated", value: ["id": 3, "count": 30, "text": "made"])
            }, objectTypes: [ParityNew.ParityMigrated.self])
        let realm = try Realm(configuration: configuration)
        let all = realm.objects(ParityNew.ParityMigrated.self).sorted(byKeyPath: "id")
        #expect(all.map(\.count) == [70, 80, 30] && all.map(\.text) == ["was 7", "was 8", "made"])
        #expect(all[1].links.map(\.id) == [1] && all[1].link?.id == 1)
    }

    @Test(
        "Object.{dynamicList(_:),dynamicMutableSet(_:),dynamicMap(_:)} are there for values; links are of their class"
    )
    func dynamic() async throws {
        let realm = try ParityRealm.open()
        try realm.write {
            realm.create(
                ParityPerson.self,
                value: [
                    "id": 1, "numbers": [1, 2, 3], "digits": [4, 5], "scores": ["a": 1], "friend": ["id": 2],
                    "home": ["street": "s"], "friends": [["id": 3]],
                ] as [String: Any])
        }
        let person = try #require(realm.dynamicObject(ofType: "ParityPerson", forPrimaryKey: 1))
        let map: Map<String, DynamicObject?> = person.dynamicMap("scores")
        #expect(person.dynamicList("numbers").count == 3 && person.dynamicMutableSet("digits").count == 2)
        #expect(map.count == 1 && map.keys == ["a"] && !person.dynamicList("numbers").isEmpty)
        #expect((person["numbers"] as? List<Int>)?.first == 1)
        try realm.write { person.dynamicList("numbers").removeFirst() }
        #expect(person.dynamicList("numbers").count == 2)
        #expect((person["friend"] as? ParityPerson)?.id == 2 && (person.home as? ParityHome)?.street == "s")
        #expect(person.dynamicList("friends").first?["id"] as? Int == 3)
        #expect(
            await exception {
                let realm = try ParityRealm.open()
                let person = try realm.write { realm.create(ParityPerson.self, value: ["id": 1, "numbers": [1]]) }
                _ = person.dynamicList("digits")
            }?.contains("is not a list") == true)
    }

    @Test("an embedded object is assigned to the property that has it, which changes nothing")
    func ownEmbedded() throws {
        let realm = try ParityRealm.open()
        let person = ParityPerson(1)
        person.home = ParityHome(value: ["street": "h"])
        try realm.write { realm.add(person) }
        let home = try #require(person.home)
        let dynamic = try #require(realm.dynamicObject(ofType: "ParityPerson", forPrimaryKey: 1))
        try realm.write {
            person.home = person.home
            person["home"] = home
            person.setValue(home, forKey: "home")
            dynamic["home"] = home
        }
        #expect(!home.isInvalidated && person.home?.isSameObject(as: home) == true && home.street == "h")
        #expect(realm.objects(ParityHome.self).count == 1)
    }

    @Test("DynamicObject collections refuse objects of another class", arguments: ["list", "map", "set"])
    func otherClass(_ kind: String) async {
        let found = await exception {
            let realm = try ParityRealm.open([ParityPerson.self, ParityHome.self, NestedThing.self])
            try realm.write {
                let owner = realm.dynamicCreate("ParityPerson", value: ["id": 1])
                let other = realm.dynamicCreate("NestedThing")
                switch kind {
                case "list": owner.dynamicList("friends").append(other)
                case "set": owner.dynamicMutableSet("group").insert(other)
                default: (owner.dynamicMap("byName") as Map<String, DynamicObject?>)["a"] = other
                }
            }
        }
        let name = ["list": "RLMArray", "map": "RLMDictionary", "set": "RLMSet"][kind] ?? ""
        #expect(found == "Object of type 'NestedThing' does not match \(name) type 'ParityPerson'")
    }

    @Test("a primary key is not assigned, not even its own value; nor is an embedded object of another place")
    func refused() async {
        let bodies: [(String, @Sendable (ParityPerson) -> Void)] = [
            ("Cannot modify primary key", { $0.id = $0.id }),
            ("Cannot modify primary key", { $0.id = 5 }),
            ("Primary key can't be changed to '1' after an object is inserted.", { $0["id"] = 1 }),
            ("Primary key can't be changed to '1' after an object is inserted.", { $0.setValue(1, forKey: "id") }),
            ("Can't set link to existing managed embedded object", { $0.home = $0.homes[0] }),
            ("Can't set link to existing managed embedded object", { $0["home"] = $0.homes[0] }),
            ("Cannot add an existing managed embedded object to a List.", { $0.homes[0] = $0.homes[0] }),
            ("Cannot add an existing managed embedded object to a List.", { $0.homes.append($0.homes[0]) }),
            ("Cannot add an existing managed embedded object to a List.", { $0.homes.insert($0.homes[0], at: 0) }),
            (
                "Cannot add an existing managed embedded object to a Dictionary.",
                { $0.homesByName["a"] = $0.homesByName["a"] }
            ),
        ]
        for (index, (message, body)) in bodies.enumerated() {
            let found = await exception {
                let realm = try ParityRealm.open()
                let person = ParityPerson(1)
                person.home = ParityHome(value: ["street": "h"])
                person.homes.append(ParityHome(value: ["street": "l"]))
                person.homesByName["a"] = ParityHome(value: ["street": "m"])
                try realm.write { realm.add(person) }
                try realm.write { body(person) }
            }
            #expect(found == message, "\(index)")
        }
        #expect(
            await exception {
                let realm = try ParityRealm.open()
                let person = ParityPerson(1)
                person.home = ParityHome()
                person.homes.append(ParityHome())
                try realm.write { realm.add(person) }
                try realm.write {
                    person.home = ParityHome(value: ["street": "x"])
                    person.homes[0] = ParityHome(value: ["street": "y"])
                    person.homes = person.homes
                    person.home = nil
                    realm.create(ParityPerson.self, value: ["id": 1, "name": "n"], update: .modified)
                }
                if person.homes.map(\.street) != ["y"] || person.name != "n" { throw CancellationError() }
            } == nil)
    }
}
