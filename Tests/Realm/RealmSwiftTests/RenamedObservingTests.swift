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

@Suite("Observing properties that have other names in the store")
struct RenamedObservingTests {
    private let place = Place([RenamedRow.self])

    private func edit(_ body: @Sendable (RenamedRow) -> Void) throws {
        try place.run { realm in
            let row = try #require(realm.objects(RenamedRow.self).first)
            try realm.write { body(row) }
        }
    }

    @Test(
        "Object.observe(keyPaths:on:_:) RealmCollection.observe(keyPaths:on:_:) sections and linking objects, by Swift's names"
    )
    func keyPaths() async throws {
        try place.run { [place] realm in
            let row = try realm.write {
                let row = realm.create(RenamedRow.self, value: ["key": 1, "name": "a", "any": "m"])
                row.rows.append(row)
                row.next = row
                return row
            }
            func keep(_ label: String, _ keyPaths: [String]?) {
                place.keep(
                    row.observe(keyPaths: keyPaths) { (change: ObjectChange<RenamedRow>) in
                        if case .change(_, let properties) = change { place.note("\(label) \(properties.map(\.name))") }
                    })
            }
            func keep<C: RealmCollection>(_ label: String, _ collection: C, _ keyPaths: [String]) {
                place.keep(
                    collection.observe(keyPaths: keyPaths) { change in
                        if case .update(_, _, _, let modifications) = change { place.note("\(label) \(modifications)") }
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
            place.keep(
                sections.observe(keyPaths: ["name"]) { change in
                    if case .update(_, _, _, let modifications, _, _) = change {
                        place.note("sections \(modifications.count)")
                    }
                })
            place.keep(
                sections[0].observe(keyPaths: [\RenamedRow.name]) { change in
                    if case .update(_, _, _, let modifications, _, _) = change {
                        place.note("section \(modifications.count)")
                    }
                })
            place.keep(realm.objects(RenamedRow.self).observe { _ in place.note("ready") })
        }
        _ = try await place.notes(1)
        try edit { $0.name = "b" }
        #expect(
            Set(try await place.notes(10)) == [
                "ready", #"all ["name"]"#, #"name ["name"]"#, #"next.name ["next"]"#, "results [0]", "list [0]",
                "linking [0]", "sections 1", "section 1",
            ])
        try edit { $0.any = .int(1) }
        _ = try await place.notes(with: [#"all ["any"]"#, #"any ["any"]"#, "results any [0]"])
        place.queue.sync { [place] in place.dropTokens() }
    }

    @Test("AnyRealmValue a list in a mixed value of such a property is observed")
    func nested() async throws {
        try place.run { [place] realm in
            let row = try realm.write {
                realm.create(RenamedRow.self, value: ["key": 1, "any": ["list": [1]]] as [String: Any])
            }
            let list = try #require(row.any.dictionaryValue?["list"]?.listValue)
            place.keep(
                list.observe { change in
                    if case .update(let list, _, let insertions, _) = change {
                        place.note("\(list.count) \(insertions)")
                    } else {
                        place.note("initial")
                    }
                })
        }
        _ = try await place.notes(1)
        try edit { $0.any.dictionaryValue?["list"]?.listValue?.append(.int(2)) }
        #expect(try await place.notes(2) == ["initial", "2 [1]"])
        place.queue.sync { [place] in place.dropTokens() }
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
