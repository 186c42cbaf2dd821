import Foundation
import RealmSwift
import Testing

class FilteredDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var owner: FilteredOwner?
    @Persisted var toys: List<FilteredToy>
    @Persisted var toySet: MutableSet<FilteredToy>
    @Persisted var toyMap: Map<String, FilteredToy?>
    @Persisted var home: FilteredHome?
    @Persisted var any: AnyRealmValue
    @Persisted var tags: List<String>
}

class FilteredOwner: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var boss: FilteredOwner?
    @Persisted(originProperty: "owner") var dogs: LinkingObjects<FilteredDog>
}

class FilteredToy: Object {
    @Persisted var brand = ""
    @Persisted var size = 0
}

class FilteredHome: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var number = 0
}

/// Which writes observers with key paths hear of, for each kind of thing that is observed.
@Suite("Key paths of observers")
struct KeyPathFilterTests {
    private let fixture = QueueFixture([FilteredDog.self, FilteredOwner.self, FilteredToy.self, FilteredHome.self])

    /// A write and the paths, of those that are observed, that hear of it.
    private struct Step: Sendable {
        let name: String
        let write: @Sendable (Realm, FilteredDog) -> Void
        let heard: Set<String>
    }

    private static let paths = [
        "name", "owner", "owner.name", "owner.boss.name", "toys", "toys.brand", "toySet.brand", "toyMap.brand",
        "home", "home.street", "tags", "owner.dogs.age",
    ]

    private static let steps: [Step] = [
        Step(name: "name", write: { $1.name = "x" }, heard: ["name"]),
        Step(name: "the same name", write: { $1.name = "x" }, heard: ["name"]),
        Step(name: "age", write: { $1.age = 3 }, heard: ["owner.dogs.age"]),
        Step(name: "owner's name", write: { $1.owner?.name = "n" }, heard: ["owner.name"]),
        Step(name: "owner's age", write: { $1.owner?.age = 4 }, heard: []),
        Step(name: "boss' name", write: { $1.owner?.boss?.name = "n" }, heard: ["owner.boss.name"]),
        Step(name: "toy's brand", write: { $1.toys[0].brand = "b" }, heard: ["toys.brand"]),
        Step(name: "toy's size", write: { $1.toys[0].size = 9 }, heard: []),
        Step(name: "set's brand", write: { $1.toySet.first?.brand = "b" }, heard: ["toySet.brand"]),
        Step(name: "map's brand", write: { $1.toyMap["t"]??.brand = "b" }, heard: ["toyMap.brand"]),
        Step(
            name: "another toy", write: { $1.toys.append($0.create(FilteredToy.self)) }, heard: ["toys", "toys.brand"]),
        Step(name: "street", write: { $1.home?.street = "s" }, heard: ["home.street"]),
        Step(name: "number", write: { $1.home?.number = 2 }, heard: []),
        Step(
            name: "another home", write: { $1.home = FilteredHome() }, heard: ["home", "home.street"]),
        Step(name: "tag", write: { $1.tags.append("t") }, heard: ["tags"]),
        Step(
            name: "no owner", write: { $1.owner = nil },
            heard: ["owner", "owner.name", "owner.boss.name", "owner.dogs.age"]),
    ]

    private static func fill(_ realm: Realm) throws -> FilteredDog {
        try realm.write {
            let boss = realm.create(FilteredOwner.self, value: ["name": "boss"])
            let owner = realm.create(FilteredOwner.self, value: ["name": "owner", "boss": boss] as [String: Any])
            let toys = (0..<3).map { realm.create(FilteredToy.self, value: ["brand": "\($0)"]) }
            return realm.create(
                FilteredDog.self,
                value: [
                    "id": 1, "owner": owner, "toys": [toys[0]], "toySet": [toys[1]], "toyMap": ["t": toys[2]],
                    "home": ["street": "first"],
                ] as [String: Any])
        }
    }

    /// The kinds of things that are observed.
    enum Kind: CaseIterable, Sendable {
        case results, filtered, object, list, set, map, sections, section
    }

    @Test(
        "each kind hears of what its paths lead to, and of nothing else",
        arguments: Kind.allCases)
    func filters(_ kind: Kind) async throws {
        let fixture = QueueFixture([
            FilteredDog.self, FilteredOwner.self, FilteredToy.self, FilteredHome.self, FilteredKennel.self,
        ])
        try fixture.run { realm in
            let dog = try Self.fill(realm)
            try realm.write {
                realm.create(
                    FilteredKennel.self, value: ["dogs": [dog], "pack": [dog], "named": ["d": dog]] as [String: Any])
            }
            for path in Self.paths { fixture.keep(try Self.observe(realm, dog, kind, path, fixture)) }
        }
        // Objects have no first call.
        var expected = kind == .object ? 0 : Self.paths.count
        var seen = try await fixture.notes(expected)
        #expect(seen.count == expected)
        for step in Self.steps {
            try fixture.run { realm in
                guard let dog = realm.objects(FilteredDog.self).first else { return }
                try realm.write { step.write(realm, dog) }
            }
            expected += step.heard.count
            seen = try await fixture.notes(expected)
            // Another turn, so that a call too many is seen.
            fixture.queue.sync {}
            seen = try await fixture.notes(expected)
            let heard = Set(seen.suffix(from: expected - step.heard.count))
            #expect(heard == step.heard, "\(kind), \(step.name): \(heard)")
            guard seen.count == expected else { break }
        }
        fixture.dropTokens()
    }

    private static func observe(
        _ realm: Realm, _ dog: FilteredDog, _ kind: Kind, _ path: String, _ fixture: QueueFixture
    ) throws -> NotificationToken {
        let kennel = try #require(realm.objects(FilteredKennel.self).first)
        func collection<C>(_: RealmCollectionChange<C>) { fixture.note(path) }
        switch kind {
        case .results: return realm.objects(FilteredDog.self).observe(keyPaths: [path]) { collection($0) }
        case .filtered:
            return realm.objects(FilteredDog.self).where { $0.id == 1 }.sorted(byKeyPath: "id")
                .observe(keyPaths: [path]) { collection($0) }
        case .object: return dog.observe(keyPaths: [path]) { (_: ObjectChange<FilteredDog>) in fixture.note(path) }
        case .list: return kennel.dogs.observe(keyPaths: [path]) { collection($0) }
        case .set: return kennel.pack.observe(keyPaths: [path]) { collection($0) }
        case .map: return kennel.named.observe(keyPaths: [path]) { _ in fixture.note(path) }
        case .sections:
            return realm.objects(FilteredDog.self).sectioned(by: \.id).observe(keyPaths: [path]) { _ in
                fixture.note(path)
            }
        case .section:
            return realm.objects(FilteredDog.self).sectioned(by: \.id)[0].observe(keyPaths: [path]) { _ in
                fixture.note(path)
            }
        }
    }

    @Test(
        "PropertyChange.{oldValue,newValue} are those by name: raw values, contents of mixed values, nil for null")
    func valuesByName() async throws {
        let fixture = QueueFixture([ShapeAll.self, ShapeBox.self, ShapeInner.self])
        let other = QueueFixture(beside: fixture)
        try fixture.run { [fixture] realm in
            let object = try realm.write { realm.create(ShapeAll.self, value: ["id": 1]) }
            fixture.keep(
                object.observe { (change: ObjectChange<ShapeAll>) in
                    guard case .change(_, let properties) = change else { return }
                    func text(_ value: Any?) -> String {
                        switch value {
                        case nil: "nil"
                        case let object as ObjectBase: "\(type(of: object))"
                        case let value?: "\(type(of: value)) \(value)"
                        }
                    }
                    for property in properties {
                        fixture.note("\(property.name): \(text(property.oldValue)) > \(text(property.newValue))")
                    }
                })
        }
        // The queue of the observer turns, so that it is at the version before the change.
        fixture.queue.sync {}
        try other.run { realm in
            guard let object = realm.object(ofType: ShapeAll.self, forPrimaryKey: 1) else { return }
            try realm.write {
                object.color = .blue
                object.optColor = .green
                object.any = .string("mixed")
                object.optInt = 5
                object.box = ShapeBox()
                object.links.append(object)
            }
        }
        let expected = [
            "optInt: nil > NSNumber 5", "any: nil > String mixed", "color: NSNumber 1 > NSNumber 3",
            "optColor: nil > NSNumber 2",
            "links: nil > nil", "box: nil > ShapeBox",
        ]
        #expect(try await fixture.notes(expected.count) == expected)
        fixture.dropTokens()
    }

    @Test(
        "paths that lead nowhere",
        arguments: [
            ("tail", "Invalid property name: property 'tail' not found in object of type 'FilteredDog'"),
            ("owner.tail", "Invalid property name: property 'tail' not found in object of type 'FilteredOwner'"),
            ("name.length", "name"), ("owner..name", "property '' not found in object of type 'FilteredOwner'"),
            (".name", "name"), ("name.", "name"), ("", "property '' not found in object of type 'FilteredDog'"),
            ("*", "*"), ("owner.*", "*"),
        ])
    func wrongPaths(_ path: String, _ text: String) async {
        let configuration = fixture.configuration
        let message = await exception {
            let queue = DispatchQueue(label: "q")
            let realm = try Realm(configuration: configuration)
            _ = realm.objects(FilteredDog.self).observe(keyPaths: [path], on: queue) { _ in }
        }
        #expect(message?.contains(text) == true, "\(message ?? "nothing")")
    }
}

class FilteredKennel: Object {
    @Persisted var dogs: List<FilteredDog>
    @Persisted var pack: MutableSet<FilteredDog>
    @Persisted var named: Map<String, FilteredDog?>
}
