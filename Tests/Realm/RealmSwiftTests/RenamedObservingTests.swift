import Foundation
import RealmSwift
import Testing

/// Every property has another name in the store.
class RenamedRow: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var name: String
    @Persisted var next: RenamedRow?
    @Persisted var rows: List<RenamedRow>
    @Persisted var any: AnyRealmValue
    @Persisted(originProperty: "next") var previous: LinkingObjects<RenamedRow>
    override class func propertiesMapping() -> [String: String] {
        ["key": "k", "name": "next", "next": "name", "rows": "r", "any": "a"]
    }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class whose property has the same name in Swift, and another one in the store.
class RenamedOther: Object {
    @Persisted var name: String
    @Persisted var any: AnyRealmValue
    override class func propertiesMapping() -> [String: String] { ["name": "label", "any": "value"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Observing properties that have other names in the store")
struct RenamedObservingTests {
    private let fixture = QueueFixture([RenamedRow.self, RenamedOther.self])

    private func edit(_ body: @Sendable (RenamedRow) -> Void) throws {
        try fixture.run { realm in
            let row = try #require(realm.objects(RenamedRow.self).first)
            try realm.write { body(row) }
        }
    }

    @Test(
        "Object.observe(keyPaths:on:_:) RealmCollection.observe(keyPaths:on:_:) sections and linking objects, by Swift's names"
    )
    func keyPaths() async throws {
        try fixture.run { [fixture] realm in
            let row = try realm.write {
                let row = realm.create(RenamedRow.self, value: ["key": 1, "name": "a", "any": "m"])
                row.rows.append(row)
                row.next = row
                return row
            }
            func keep(_ label: String, _ keyPaths: [String]?) {
                fixture.keep(
                    row.observe(keyPaths: keyPaths) { (change: ObjectChange<RenamedRow>) in
                        if case .change(_, let properties) = change {
                            fixture.note("\(label) \(properties.map(\.name))")
                        }
                    })
            }
            func keep<C: RealmCollection>(_ label: String, _ collection: C, _ keyPaths: [String]) {
                fixture.keep(
                    collection.observe(keyPaths: keyPaths) { change in
                        if case .update(_, _, _, let modifications) = change {
                            fixture.note("\(label) \(modifications)")
                        }
                    })
            }
            keep("all", nil)
            keep("name", ["name"])
            keep("next", ["next"])
            keep("next.name", ["next.name"])
            keep("any", ["any"])
            keep("results", realm.objects(RenamedRow.self), ["name"])
            keep("list", row.rows, ["name"])
            keep("linking", row.previous, ["name"])
            keep("results any", realm.objects(RenamedRow.self), ["any"])
            let sections = realm.objects(RenamedRow.self).sectioned(by: \.key)
            fixture.keep(
                sections.observe(keyPaths: ["name"]) { change in
                    if case .update(_, _, _, let modifications, _, _) = change {
                        fixture.note("sections \(modifications.count)")
                    }
                })
            fixture.keep(
                sections[0].observe(keyPaths: [\RenamedRow.name]) { change in
                    if case .update(_, _, _, let modifications, _, _) = change {
                        fixture.note("section \(modifications.count)")
                    }
                })
            fixture.keep(realm.objects(RenamedRow.self).observe { _ in fixture.note("ready") })
        }
        _ = try await fixture.notes(1)
        try edit { $0.name = "b" }
        #expect(
            Set(try await fixture.notes(10)) == [
                "ready", #"all ["name"]"#, #"name ["name"]"#, #"next.name ["next"]"#, "results [0]", "list [0]",
                "linking [0]", "sections 1", "section 1",
            ])
        try edit { $0.any = .int(1) }
        _ = try await fixture.notes(with: [#"all ["any"]"#, #"any ["any"]"#, "results any [0]"])
        fixture.queue.sync { [fixture] in fixture.dropTokens() }
    }

    @Test(
        "a key path leads through mixed values to objects of all classes that have the property",
        arguments: ["any.name", "any.any.name"])
    func mixedValues(_ path: String) async throws {
        try fixture.run { [fixture] realm in
            let row = try realm.write {
                let row = realm.create(RenamedRow.self, value: ["key": 1])
                let (other, third) = (RenamedOther(), RenamedOther())
                realm.add(third)
                // Whichever way the path takes, an object of each class is at its end.
                other.any = .object(third)
                row.any = .object(path == "any.name" ? realm.create(RenamedRow.self, value: ["key": 2]) : other)
                if path == "any.name" { realm.add(other) }
                return row
            }
            fixture.keep(
                row.observe(keyPaths: [path]) { (change: ObjectChange<RenamedRow>) in
                    if case .change(_, let properties) = change { fixture.note("\(properties.map(\.name))") }
                })
            fixture.keep(
                realm.objects(RenamedRow.self).filter("key == 1").observe(keyPaths: [path]) { change in
                    if case .update(_, _, _, let modifications) = change {
                        fixture.note("\(modifications)")
                    } else {
                        fixture.note("ready")
                    }
                })
        }
        _ = try await fixture.notes(1)
        var expected = ["ready"]
        /// Makes an edit that both observers are to be told of.
        func expectNotified(_ edit: @Sendable (Realm, RenamedRow) -> Void) async throws {
            try self.edit { row in if let realm = row.realm { edit(realm, row) } }
            expected += [#"["any"]"#, "[0]"]
            #expect(try await fixture.notes(expected.count).sorted() == expected.sorted())
        }
        if path == "any.name" {
            try await expectNotified { realm, _ in realm.object(ofType: RenamedRow.self, forPrimaryKey: 2)?.name = "b" }
            try await expectNotified { realm, row in
                row.any = realm.objects(RenamedOther.self).last.map { .object($0) } ?? .none
            }
            try await expectNotified { realm, _ in realm.objects(RenamedOther.self).last?.name = "c" }
        } else {
            try await expectNotified { realm, _ in realm.objects(RenamedOther.self).first?.name = "b" }
            try await expectNotified { realm, row in
                row.any.object(RenamedOther.self)?.any = .object(realm.create(RenamedRow.self, value: ["key": 3]))
            }
            try await expectNotified { realm, _ in realm.object(ofType: RenamedRow.self, forPrimaryKey: 3)?.name = "c" }
        }
        fixture.queue.sync { [fixture] in fixture.dropTokens() }
    }

    @Test("AnyRealmValue a list in a mixed value of such a property is observed")
    func nested() async throws {
        try fixture.run { [fixture] realm in
            let row = try realm.write {
                realm.create(RenamedRow.self, value: ["key": 1, "any": ["list": [1]]] as [String: Any])
            }
            let list = try #require(row.any.dictionaryValue?["list"]?.listValue)
            fixture.keep(
                list.observe { change in
                    if case .update(let list, _, let insertions, _) = change {
                        fixture.note("\(list.count) \(insertions)")
                    } else {
                        fixture.note("initial")
                    }
                })
        }
        _ = try await fixture.notes(1)
        try edit { $0.any.dictionaryValue?["list"]?.listValue?.append(.int(2)) }
        #expect(try await fixture.notes(2) == ["initial", "2 [1]"])
        fixture.queue.sync { [fixture] in fixture.dropTokens() }
    }

    @Test("observe refuses names of the store")
    func storedNames() async {
        #expect(
            await exception {
                let realm = try ParityRealm.open([RenamedRow.self])
                _ = realm.objects(RenamedRow.self).observe(keyPaths: ["k"]) { _ in }
            } == "Invalid property name: property 'k' not found in object of type 'RenamedRow'")
    }
}
