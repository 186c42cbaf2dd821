import Foundation
import RealmSwift
import TestBasics
import Testing

/// A number that must be positive.
struct MisusePositive: FailableCustomPersistable, Hashable {
    typealias PersistedType = Int
    let number: Int
    init(_ number: Int) { self.number = number }
    init?(persistedValue: Int) {
        guard persistedValue > 0 else { return nil }
        number = persistedValue
    }
    var persistableValue: Int { number }
}

class MisusePositives: Object {
    @Persisted var id: Int
    @Persisted var declared = MisusePositive(1)
    @Persisted var optional: MisusePositive?
    @Persisted var list: List<MisusePositive>
    @Persisted var map: Map<String, MisusePositive>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MisuseWithoutDefault: Object {
    @Persisted var id: Int
    @Persisted var positive: MisusePositive
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MisuseTopPlace: Object {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MisusePlaces: Object {
    @Persisted var top: MisuseTopPlace?
    @Persisted var formless: NamedPlace?
    @Persisted var number: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class MisuseView: Projection<NamedNumbers> {
    @Projected(\NamedNumbers.int8) var fine
    @Projected(\NamedNumbers.ignored) var pathless
}

/// What is checked first, and in which words it is reported.
@Suite("Misuse: order of checks and words")
struct MisuseOrderTests {
    private static func deleted() throws -> (Realm, NamedNumbers, List<Int8>, MutableSet<Int16>, Map<String, Int32>) {
        let (realm, object) = try ValuesByNameTests.stored()
        let parts = (realm, object, object.list8, object.set16, object.map32)
        try realm.write { realm.delete(object) }
        return parts
    }

    @Test("what was deleted is reported as such, outside of a write and within one", arguments: [false, true])
    func invalidated(isWriting: Bool) async {
        let edits: [@Sendable ((Realm, NamedNumbers, List<Int8>, MutableSet<Int16>, Map<String, Int32>)) -> Void] = [
            { $0.1.int8 = 1 }, { $0.1["int8"] = 1 }, { $0.1.setValue(1, forKey: "id") }, { $0.1.link = nil },
            { $0.1.place = NamedPlace() }, { $0.1.list8 = List<Int8>() }, { $0.2.append(1) }, { $0.3.insert(1) },
            { $0.4["a"] = 1 }, { $0.1.any = .none },
        ]
        for (number, edit) in edits.enumerated() {
            let message = await exception {
                let parts = try Self.deleted()
                if isWriting { try parts.0.write { edit(parts) } } else { edit(parts) }
            }
            #expect(message == "Object has been deleted or invalidated.", "\(number)")
        }
    }

    @Test("a frozen object says that it is to be thawed, before all else")
    func frozen() async {
        let edits: [@Sendable (NamedNumbers) -> Void] = [
            { $0.int8 = 1 }, { $0["int8"] = 1 }, { $0.id = 4 }, { $0["id"] = 4 }, { $0.link = nil },
            { $0.place = NamedPlace() }, { $0.any = .none },
        ]
        for (number, edit) in edits.enumerated() {
            #expect(
                await exception { edit(try ValuesByNameTests.stored().1.freeze()) }
                    == "Attempting to modify a frozen object - call thaw on the Object instance first.", "\(number)")
        }
        #expect(
            await exception { try ValuesByNameTests.stored().1.freeze().list8.append(1) }
                == "Can't perform transactions on a frozen Realm")
    }

    @Test("a primary key is not assigned, not even its own value")
    func primaryKeys() async {
        for key in [3, 4] {
            #expect(
                await exception {
                    let (realm, object) = try ValuesByNameTests.stored()
                    try realm.write { object.id = key }
                } == "Cannot modify primary key")
        }
        #expect(
            await exception {
                let (realm, object) = try ValuesByNameTests.stored()
                try realm.write { object["id"] = 4 }
            } == "Primary key can't be changed to '4' after an object is inserted.")
        #expect(
            await exception { try ValuesByNameTests.stored().1.id = 4 }
                == "Cannot modify managed objects outside of a write transaction.")
    }

    @Test("Error.{fileNotFound,fileOperationFailed} a read-only file that does not exist, and paths through a file")
    func files() throws {
        let fixture = try FileFixture()
        let file = fixture.url("file")
        try Data([1]).write(to: file)
        func message(_ url: URL, readOnly: Bool) -> String? {
            do {
                _ = try Realm(
                    configuration: .init(fileURL: url, readOnly: readOnly, objectTypes: ValuesByNameTests.types))
                return nil
            } catch { return (error as? Realm.Error).map { "\($0.code) \($0.message)" } }
        }
        let missing = fixture.url("missing")
        #expect(
            message(missing, readOnly: true)
                == "fileNotFound Failed to open file at path '\(missing.path)': No such file or directory")
        let below = file.appendingPathComponent("x")
        #expect(
            message(below, readOnly: true)
                == "fileOperationFailed Failed to open file at path '\(below.path)': Not a directory")
        #expect(
            message(below, readOnly: false)
                == "fileOperationFailed Failed to open file at path '\(below.path).lock': Not a directory")
        #expect(message(below.appendingPathComponent("y"), readOnly: false)?.hasPrefix("fileOperationFailed") == true)
    }

    @Test("Projection a property whose path leads to no stored property is reported as soon as the projection is used")
    func projections() async {
        let uses: [@Sendable (Realm, NamedNumbers) -> Void] = [
            { realm, _ in _ = realm.objects(MisuseView.self) }, { _, object in _ = MisuseView(projecting: object) },
            { _, _ in _ = MisuseView(projecting: NamedNumbers()) },
        ]
        for use in uses {
            let message = await exception {
                let (realm, object) = try ValuesByNameTests.stored()
                use(realm, object)
            }
            #expect(message?.hasPrefix("@Projected property") == true && message?.contains("NamedNumbers") == true)
        }
    }

    @Test("FailableCustomPersistable a declared default stands for the property in queries and key paths")
    func failableQueries() throws {
        let realm = try ParityRealm.open([MisusePositives.self])
        try realm.write {
            for id in 1...3 {
                realm.create(
                    MisusePositives.self,
                    value: ["id": id, "declared": id, "list": [id], "map": ["a": id]] as [String: Any])
            }
        }
        let all = realm.objects(MisusePositives.self)
        #expect(all.where { $0.declared == MisusePositive(2) }.map(\.id) == [2])
        #expect(all.where { $0.declared.persistableValue > 1 }.map(\.id) == [2, 3])
        #expect(all.where { $0.declared.in([MisusePositive(3)]) && $0.optional == nil }.map(\.id) == [3])
        #expect(all.where { $0.list.contains(MisusePositive(1)) }.map(\.id) == [1])
        #expect(
            all.where { $0.map["a"] == MisusePositive(2) || $0.map.values == MisusePositive(3) }.map(\.id) == [2, 3])
        #expect(_name(for: \MisusePositives.declared) == "declared" && all.max(of: \.declared) == MisusePositive(3))
    }

    @Test("FailableCustomPersistable what has no value is reported where it is read")
    func failableWords() async {
        let noDefault =
            "Failed to default construct a MisusePositive using the default value for persisted type Int. This conversion "
            + "must either succeed, the property must be optional, or you must explicitly specify a default value for the "
            + "property."
        #expect(await exception { _ = MisuseWithoutDefault().positive } == noDefault)
        #expect(
            await exception {
                let realm = try ParityRealm.open([MisuseWithoutDefault.self])
                try realm.write { _ = realm.create(MisuseWithoutDefault.self, value: ["id": 1]) }
            } == noDefault)
        #expect(
            await exception {
                let realm = try ParityRealm.open([MisuseWithoutDefault.self])
                let object = MisuseWithoutDefault()
                object.positive = MisusePositive(2)
                try realm.write { realm.add(object) }
                try realm.write { realm.dynamicObjects("MisuseWithoutDefault")[0]["positive"] = 0 }
                _ = object.positive
            } == "Failed to convert persisted value '0' to type 'MisusePositive' in a non-optional context.")
    }

    @Test(
        "Query.geoWithin(_:) links to a class of its own, to one without the form of a point, and other types are refused"
    )
    func places() async {
        func message(_ name: String) async -> String? {
            await exception {
                let realm = try ParityRealm.open([MisusePlaces.self, MisuseTopPlace.self, NamedPlace.self])
                let circle = try #require(GeoCircle(center: (0, 0), radiusInRadians: 0.1))
                _ = realm.objects(MisusePlaces.self).filter("\(name) GEOWITHIN %@", circle)
            }
        }
        #expect(
            await message("top")
                == "A GEOWITHIN query can only operate on a link to an embedded class but 'MisuseTopPlace' is at the top level"
        )
        #expect(await message("formless")?.hasPrefix("Class 'NamedPlace' does not have the form of geoJSON") == true)
        #expect(
            await message("number")
                == "The left hand side of 'geoWithin' must be a link to geoJSON formatted data. But the provided type is 'int'"
        )
    }

    @Test("Object.observe(actor) an object or the owner of a collection that was deleted before the registration")
    func actors() async throws {
        let fixture = QueueFixture(ValuesByNameTests.types)
        let (object, list) = try await Self.observed(fixture)
        #expect(object == false && list == false)
        #expect(try await fixture.notes(1) == ["deleted"])
    }

    private actor Other {}

    /// Returns whether the tokens were still active.
    @MainActor private static func observed(_ fixture: QueueFixture) async throws -> (Bool, Bool) {
        let other = Other()
        let realm = try await Realm(configuration: fixture.configuration, actor: MainActor.shared)
        let object = try realm.write { realm.create(NamedNumbers.self) }
        let list = object.list8
        // The main actor's realm stays at the version before.
        realm.autorefresh = false
        try fixture.run { realm in try realm.write { realm.deleteAll() } }
        let first = await object.observe(on: other) { (_: isolated Other, change: ObjectChange<NamedNumbers>) in
            if case .deleted = change { fixture.note("deleted") } else { fixture.note("other") }
        }
        let second = await list.observe(on: other) { _, _ in fixture.note("list") }
        return (first.invalidate(), second.invalidate())
    }
}
