import Foundation
import OpenCombine
import RealmSwift
import TestBasics
import Testing

class ProjectedPerson: Object {
    @Persisted var firstName = ""
    @Persisted var age: Int
    @Persisted var address: ProjectedAddress?
    @Persisted var friends: RealmSwift.List<ProjectedPerson>
    @Persisted var pack: MutableSet<ProjectedPerson>
    @Persisted var named: Map<String, ProjectedPerson?>
    @Persisted(originProperty: "friends") var friendOf: LinkingObjects<ProjectedPerson>
    @Persisted var boss: ProjectedPerson?
}

class ProjectedAddress: EmbeddedObject {
    @Persisted var city = ""
    @Persisted var country: String?
}

final class PersonView: Projection<ProjectedPerson> {
    @Projected(\ProjectedPerson.firstName) var name
    @Projected(\ProjectedPerson.address?.city) var city
    @Projected(\ProjectedPerson.friends.projectTo.firstName) var friendNames: ProjectedCollection<String>
    @Projected(\ProjectedPerson.friends) var friends
}

/// A projection through collections of all kinds.
final class CrowdView: Projection<ProjectedPerson> {
    @Projected(\ProjectedPerson.friends.projectTo.address?.city) var cities: ProjectedCollection<String?>
    @Projected(\ProjectedPerson.pack.projectTo.age) var ages: ProjectedCollection<Int>
    @Projected(\ProjectedPerson.named.projectTo.firstName) var names: ProjectedCollection<String>
    @Projected(\ProjectedPerson.friendOf.projectTo.firstName) var fans: ProjectedCollection<String>
    @Projected(\ProjectedPerson.boss?.boss?.firstName) var bigBoss
    @Projected(\ProjectedPerson.boss) var boss
}

private actor ProjectionActor {
    var notes: [String] = []
    private var token: NotificationToken?

    nonisolated func notes(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        let areEnough = try await eventually { await notes.count >= count }
        let seen = await notes
        #expect(areEnough, "\(seen)", sourceLocation: sourceLocation)
        return seen
    }

    func observe(_ configuration: Realm.Configuration) async throws {
        let view = try await Realm.open(configuration: configuration).objects(PersonView.self)[0]
        token = await view.observe(keyPaths: [\.name], on: self) { actor, change in
            switch change {
            case .change(let view, let properties):
                actor.notes.append("\(view.name) \(properties.map(\.name))")
            case .deleted: actor.notes.append("deleted")
            case .error: actor.notes.append("error")
            }
        }
    }

    func end() { token?.invalidate() }
}

@Suite("Projections")
struct ProjectionTests {
    static let types: [ObjectBase.Type] = [ProjectedPerson.self, ProjectedAddress.self]

    private func realm() throws -> Realm {
        let realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: Self.types))
        try realm.write {
            realm.create(
                ProjectedPerson.self,
                value: [
                    "firstName": "Ann", "age": 3, "address": ["city": "Rome"],
                    "friends": [["firstName": "Bob", "age": 4], ["firstName": "Cid", "age": 5]],
                ])
        }
        return realm
    }

    @Test(
        """
        Projection Projected Projection.rootObject ProjectedCollection Realm.objects(Projection) a projection \
        reads and writes through its object
        """)
    func reads() throws {
        let realm = try realm()
        let view = realm.objects(PersonView.self)[0]
        #expect(realm.objects(PersonView.self).count == 3 && view.name == "Ann" && view.city == "Rome")
        #expect(Array(view.friendNames) == ["Bob", "Cid"] && view.friends.count == 2)
        #expect(view.friendNames.index(of: "Cid") == 1 && view.realm == realm && !view.isInvalidated)
        try realm.write {
            view.name = "Eve"
            view.friendNames[1] = "Dan"
        }
        #expect(view.rootObject.firstName == "Eve" && Array(view.friendNames) == ["Bob", "Dan"])
        #expect(realm.objects(ProjectedPerson.self).map(\.firstName) == ["Eve", "Bob", "Dan"])
        #expect(view.description.contains(" {\n\t\tname(\\.firstName) = Eve;\n\tcity("))
    }

    @Test(
        """
        Projection.{==,init(projecting:)} projections of the same object are equal, freeze and thaw, and key \
        paths have the object's names
        """)
    func identity() throws {
        let realm = try realm()
        let (view, same) = (realm.objects(PersonView.self)[0], realm.objects(PersonView.self)[0])
        #expect(view == same && view.hashValue == same.hashValue && view != realm.objects(PersonView.self)[1])
        let frozen = view.freeze()
        try realm.write { view.name = "Eve" }
        #expect(frozen.isFrozen && frozen.name == "Ann" && frozen.thaw()?.name == "Eve")
        #expect(_name(for: \PersonView.city) == "address.city" && _name(for: \PersonView.name) == "firstName")
        let unmanaged = PersonView(projecting: ProjectedPerson(value: ["firstName": "Una"]))
        #expect(unmanaged.name == "Una" && unmanaged.realm == nil && unmanaged.friendNames.isEmpty)
        let reference = ThreadSafeReference(to: view)
        #expect(realm.resolve(reference)?.name == "Eve")
        try realm.write { realm.delete(view.rootObject) }
        #expect(view.isInvalidated)
    }

    @Test(
        """
        Projection.observe(keyPaths:on:_:) changes are told by the projection's names, of projected properties \
        only, through links too
        """)
    func observe() async throws {
        let fixture = QueueFixture(Self.types)
        let id = try fixture.run { realm in
            try realm.write {
                realm.create(
                    ProjectedPerson.self, value: ["firstName": "Ann", "address": ["city": "Rome"]])
            }
            let view = realm.objects(PersonView.self)[0]
            fixture.keep(
                view.observe(on: fixture.queue) { change in
                    switch change {
                    case .change(let view, let properties):
                        fixture.note("\(view.name) " + properties.map(\.name).sorted().joined(separator: ","))
                    case .deleted: fixture.note("deleted")
                    case .error: fixture.note("error")
                    }
                })
            return 0
        }
        #expect(id == 0)
        try fixture.run { realm in try realm.write { realm.objects(ProjectedPerson.self)[0].age = 9 } }
        try fixture.run { realm in try realm.write { realm.objects(ProjectedPerson.self)[0].firstName = "Eve" } }
        _ = try await fixture.notes(1)
        try fixture.run { realm in try realm.write { realm.objects(ProjectedPerson.self)[0].address?.city = "Oslo" } }
        _ = try await fixture.notes(2)
        try fixture.run { realm in try realm.write { realm.delete(realm.objects(ProjectedPerson.self)) } }
        #expect(try await fixture.notes(3) == ["Eve name", "Eve city", "deleted"])
    }

    @Test("ProjectedCollection Projected projectTo leads on through lists, sets, maps and linking objects")
    func crowds() throws {
        let realm = try realm()
        let people = realm.objects(ProjectedPerson.self)
        let (ann, bob, cid) = (people[0], people[1], people[2])
        try realm.write {
            bob.address = ProjectedAddress(value: ["city": "Oslo"])
            ann.pack.insert(objectsIn: [cid, bob])
            ann.named["b"] = cid
            ann.named["a"] = bob
            ann.named["c"] = .some(nil)
            bob.friends.append(ann)
            cid.boss = bob
            bob.boss = ann
        }
        let view = realm.objects(CrowdView.self)[0]
        #expect(Array(view.cities) == ["Oslo", nil] && Array(view.ages) == [4, 5])
        #expect(Array(view.names) == ["Bob", "Cid", ""] && Array(view.fans) == ["Bob"])
        #expect(view.bigBoss == nil && realm.objects(CrowdView.self)[2].bigBoss == "Ann" && view.boss == nil)
        #expect(view.cities.count == 2 && view.cities.first == "Oslo" && view.ages.reduce(0, +) == 9)
        #expect(view.ages.description.contains("\t[0] 4"))
        try realm.write {
            view.cities[0] = "Bergen"
            view.ages[1] = 50
            view.names[0] = "Robert"
        }
        #expect(bob.address?.city == "Bergen" && cid.age == 50 && bob.firstName == "Robert")
        let frozen = view.cities.freeze()
        try realm.write { ann.friends.remove(at: 1) }
        #expect(frozen.count == 2 && frozen.isFrozen && view.cities.count == 1 && frozen.thaw()?.count == 1)
        let unmanaged = ProjectedPerson()
        unmanaged.friends.append(ProjectedPerson(value: ["address": ["city": "Rome"]]))
        unmanaged.named["x"] = ProjectedPerson(value: ["firstName": "Xen"])
        unmanaged.named["y"] = .some(nil)
        let plain = CrowdView(projecting: unmanaged)
        #expect(Array(plain.cities) == ["Rome"] && Array(plain.names) == ["Xen", ""] && plain.fans.isEmpty)
    }

    @Test(
        """
        Realm.objects(Projection) projections are sorted, filtered, sectioned and added up by the object's \
        names
        """)
    func queries() throws {
        let realm = try realm()
        let views = realm.objects(PersonView.self)
        #expect(views.sorted(byKeyPath: "firstName", ascending: false).map(\.name) == ["Cid", "Bob", "Ann"])
        #expect(views.filter("age > 3").map(\.name) == ["Bob", "Cid"])
        #expect(views.sum(ofProperty: "age") == 12 && views.filter("address.city == 'Rome'").first?.name == "Ann")
        #expect(views.index(of: views[1]) == 1)
        #expect(views.description.contains("Ann"))
    }

    @Test(
        """
        Projection.observe(keyPaths:on:_:) ProjectedCollection key paths of the projection narrow what is told; \
        projected collections tell their changes
        """)
    func keyPaths() async throws {
        let fixture = QueueFixture(Self.types)
        try fixture.run { realm in
            try realm.write {
                realm.create(
                    ProjectedPerson.self,
                    value: ["firstName": "Ann", "address": ["city": "Rome"], "friends": [["firstName": "Bob"]]])
            }
            let view = realm.objects(PersonView.self)[0]
            fixture.keep(
                view.observe(keyPaths: ["city"], on: fixture.queue) { change in
                    if case .change(let view, let properties) = change {
                        fixture.note("label \(view.city ?? "") \(properties.map(\.name))")
                    }
                })
            fixture.keep(
                view.observe(keyPaths: [\PersonView.city]) { change in
                    if case .change(let view, let properties) = change {
                        fixture.note("path \(view.city ?? "") \(properties.map(\.name))")
                    }
                })
            fixture.keep(
                view.friendNames.observe { change in
                    switch change {
                    case .initial(let names): fixture.note("initial \(Array(names))")
                    case .update(let names, let deletions, let insertions, let modifications):
                        fixture.note("\(Array(names)) \(deletions) \(insertions) \(modifications)")
                    case .error: fixture.note("error")
                    }
                })
        }
        _ = try await fixture.notes(1)
        try fixture.run { realm in
            try realm.write {
                let people = realm.objects(ProjectedPerson.self)
                people[0].firstName = "Eve"
                people[1].age = 7
            }
        }
        try fixture.run { realm in
            try realm.write {
                let people = realm.objects(ProjectedPerson.self)
                people[0].address?.city = "Oslo"
                people[1].firstName = "Rob"
                people[0].friends.append(ProjectedPerson(value: ["firstName": "New"]))
            }
        }
        #expect(
            try await fixture.notes(4).sorted() == [
                #"["Rob", "New"] [] [1] [0]"#, #"initial ["Bob"]"#, #"label Oslo ["city"]"#, #"path Oslo ["city"]"#,
            ])
        let configuration = fixture.configuration
        #expect(
            await exception {
                let view = try Realm(configuration: configuration).objects(PersonView.self)[0]
                _ = view.observe(keyPaths: ["tail"], on: DispatchQueue(label: "q")) { _ in }
            } == "Invalid property name: property 'tail' not found in object of type 'PersonView'")
    }

    @Test(
        """
        Projection.observe(keyPaths:on:actor:) Realm.observe(actor) actors are told of projections of \
        their own
        """)
    func actors() async throws {
        let fixture = QueueFixture(Self.types)
        try fixture.run { realm in try realm.write { _ = realm.create(ProjectedPerson.self, value: ["firstName": "A"]) }
        }
        let actor = ProjectionActor()
        try await actor.observe(fixture.configuration)
        try fixture.run { realm in try realm.write { realm.objects(ProjectedPerson.self)[0].age = 5 } }
        try fixture.run { realm in try realm.write { realm.objects(ProjectedPerson.self)[0].firstName = "B" } }
        _ = try await actor.notes(1)
        try fixture.run { realm in try realm.write { realm.deleteAll() } }
        #expect(try await actor.notes(2) == [#"B ["name"]"#, "deleted"])
        await actor.end()
    }

    @Test(
        """
        Projection valuePublisher(_:keyPaths:) changesetPublisher(_:keyPaths:) projections publish \
        themselves and their changes, and complete at the end
        """)
    func publishers() async throws {
        let fixture = QueueFixture(Self.types)
        let kept = Kept()
        try fixture.run { [kept] realm in
            try realm.write { _ = realm.create(ProjectedPerson.self, value: ["firstName": "A"]) }
            let view = realm.objects(PersonView.self)[0]
            kept.all = [
                view.objectWillChange.sink { fixture.note("will") },
                valuePublisher(view).sink(
                    receiveCompletion: { _ in fixture.note("value end") },
                    receiveValue: { fixture.note("value \($0.name)") }),
                changesetPublisher(view, keyPaths: ["name"]).sink(
                    receiveCompletion: { _ in fixture.note("changes end") },
                    receiveValue: { change in
                        switch change {
                        case .change(let view, let changes): fixture.note("\(view.name) \(changes.map(\.name))")
                        case .deleted: fixture.note("deleted")
                        case .error: fixture.note("error")
                        }
                    }),
                valuePublisher(view).freeze().sink(
                    receiveCompletion: { _ in }, receiveValue: { fixture.note("frozen \($0.isFrozen) \($0.name)") }),
            ]
        }
        try fixture.run { realm in try realm.write { realm.objects(ProjectedPerson.self)[0].firstName = "B" } }
        #expect(try await fixture.notes(4).sorted() == [#"B ["name"]"#, "frozen true B", "value B", "will"])
        try fixture.run { realm in try realm.write { realm.deleteAll() } }
        #expect(
            try await fixture.notes(6).dropFirst(4).sorted() == ["changes end", "value end"])
    }
}

/// Retains subscriptions, which are used on one queue.
private final class Kept: @unchecked Sendable {
    var all: [any Cancellable] = []
}
