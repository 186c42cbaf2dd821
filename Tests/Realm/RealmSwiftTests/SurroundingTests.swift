import Foundation
import OpenCombine
import OpenCombineDispatch
import RealmSwift
import Synchronization
import TestBasics
import Testing

class SurroundingDog: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = ""
    @Persisted var owner: SurroundingOwner?
    @Persisted var any: AnyRealmValue
    @Persisted var tags: RealmSwift.List<String>
    @Persisted var photo: Data?
    @Persisted var token: UUID
    @Persisted var key: ObjectId
    @Persisted var price: Decimal128
    @Persisted var born: Date
    @Persisted var weight: Double
    @Persisted var rate: Float
    @Persisted var good: Bool
}

class SurroundingOwner: Object, Codable {
    @Persisted var name = ""
    @Persisted var dogs: RealmSwift.List<SurroundingDog>
    @Persisted var pack: MutableSet<SurroundingDog>
    @Persisted var named: Map<String, SurroundingDog?>
    @Persisted var home: SurroundingHome?
    @Persisted var homes: Map<String, SurroundingHome?>
    @Persisted(originProperty: "owner") var owned: LinkingObjects<SurroundingDog>

    enum CodingKeys: String, CodingKey { case name }
}

class SurroundingHome: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var neighbour: SurroundingDog?
}

private actor SurroundingActor {
    private(set) var notes: [String] = []
    private var token: NotificationToken?

    nonisolated func notes(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        let areEnough = try await eventually { await notes.count >= count }
        let seen = await notes
        #expect(areEnough, "\(seen)", sourceLocation: sourceLocation)
        return seen
    }

    func observe(_ configuration: Realm.Configuration) async throws {
        let owner = try await Realm.open(configuration: configuration).objects(SurroundingOwner.self)[0]
        token = await owner.named.observe(keyPaths: [\.name], on: self) { actor, change in
            switch change {
            case .initial(let map): actor.notes.append("initial \(map.count)")
            case .update(_, let deletions, let insertions, let modifications):
                actor.notes.append("\(deletions) \(insertions) \(modifications)")
            case .error: actor.notes.append("error")
            }
        }
    }

    func refreshed(_ configuration: Realm.Configuration, _ write: @Sendable () async throws -> Void) async throws
        -> [Int]
    {
        let realm = try await Realm(configuration: configuration, actor: self)
        realm.autorefresh = false
        let before = realm.objects(SurroundingDog.self).count
        try await write()
        let between = realm.objects(SurroundingDog.self).count
        let moved = await realm.asyncRefresh()
        return [before, between, realm.objects(SurroundingDog.self).count, moved ? 1 : 0]
    }

    func end() { token?.invalidate() }
}

@Suite("The surrounding interface")
struct SurroundingTests {
    static let types: [ObjectBase.Type] = [SurroundingDog.self, SurroundingOwner.self, SurroundingHome.self]

    private static func open() throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
    }

    /// Creates an owner with the dogs 1, 2 and 3 in all collections.
    private static func owner() throws -> (Realm, SurroundingOwner) {
        let realm = try open()
        let owner = SurroundingOwner()
        try realm.write {
            realm.add(owner)
            for id in 1...3 {
                let dog = SurroundingDog(value: ["id": id, "name": "d\(id)", "owner": owner])
                owner.dogs.append(dog)
                owner.pack.insert(dog)
                owner.named["k\(id)"] = dog
            }
        }
        return (realm, owner)
    }

    // MARK: Realm

    @Test("Realm.{delete(MutableSet),delete(Map)} sets and maps, too: the objects go, and their places with them")
    func deletion() async throws {
        do {
            let (realm, owner) = try Self.owner()
            try realm.write {
                owner.pack.remove(owner.dogs[0])
                realm.delete(owner.pack)
            }
            #expect(owner.pack.isEmpty && owner.dogs.map(\.id) == [1] && realm.objects(SurroundingDog.self).count == 1)
            try realm.write {
                owner.named["null"] = .some(nil)
                owner.homes["a"] = SurroundingHome()
                realm.delete(owner.named)
                realm.delete(owner.homes)
            }
            #expect(owner.named.count == 0 && owner.dogs.isEmpty && realm.objects(SurroundingDog.self).isEmpty)
            #expect(owner.homes.count == 0 && realm.objects(SurroundingHome.self).isEmpty && !owner.isInvalidated)
        }
        #expect(
            await exception {
                let (realm, _) = try Self.owner()
                let (_, other) = try Self.owner()
                try realm.write { realm.delete(other.named) }
            } == "Can only delete an object from the Realm it belongs to.")
        #expect(
            await exception {
                let (realm, owner) = try Self.owner()
                realm.delete(owner.pack)
            }?.hasPrefix("Can only add, remove, or create objects in a Realm in a write transaction") == true)
    }

    @Test(
        """
        Realm.{asyncOpen(configuration:callbackQueue:callback:),asyncOpen(configuration:)} \
        AsyncOpenTask.cancel() opening in the background with a callback or as a publisher
        """)
    func opening() throws {
        let fixture = try FileFixture()
        let configuration = fixture.configuration()
        try fixture.with(configuration) { realm in try realm.write { realm.create(FileNote.self, value: ["id": 1]) } }
        let queue = DispatchQueue(label: "opened")
        let seen = Mutex<[String]>([])
        let done = DispatchSemaphore(value: 0)
        Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
            dispatchPrecondition(condition: .onQueue(queue))
            let text = (try? result.get()).map { "opened \($0.objects(FileNote.self).count)" } ?? "failed"
            seen.withLock { $0.append(text) }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + .seconds(TestRun.patience)) == .success)
        let cancelled = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { _ in
            seen.withLock { $0.append("called") }
        }
        cancelled.cancel()
        let missing = Realm.Configuration(
            fileURL: fixture.directory.appendingPathComponent("no/such.realm"), objectTypes: FileFixture.types)
        Realm.asyncOpen(configuration: missing, callbackQueue: queue) { result in
            if case .failure(let error) = result {
                seen.withLock { $0.append("\((error as? Realm.Error)?.code == .fileNotFound)") }
            }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + .seconds(TestRun.patience)) == .success)
        var kept: [AnyCancellable] = []
        for configuration in [configuration, missing] {
            Realm.asyncOpen(configuration: configuration).receive(on: queue).sink(
                receiveCompletion: { completion in
                    if case .failure = completion { seen.withLock { $0.append("publisher failed") } }
                    if case .finished = completion { seen.withLock { $0.append("publisher finished") } }
                    done.signal()
                },
                receiveValue: { realm in
                    dispatchPrecondition(condition: .onQueue(queue))
                    seen.withLock { $0.append("published \(realm.objects(FileNote.self).count)") }
                }
            ).store(in: &kept)
            #expect(done.wait(timeout: .now() + .seconds(TestRun.patience)) == .success)
        }
        #expect(
            seen.withLock { $0 } == [
                "opened 1", "true", "published 1", "publisher finished", "publisher failed",
            ])
        kept = []
        // By its URL: with all classes of the program, which the file must have or get.
        let own = fixture.url("own")
        #expect(throws: Never.self) {
            try fixture.with(Realm.Configuration(fileURL: own, objectTypes: FileFixture.types)) { _ in }
        }
        #expect(try Realm(configuration: Realm.Configuration(fileURL: own, objectTypes: FileFixture.types)).isEmpty)
    }

    @Test("Realm.asyncRefresh() moves to the latest version, and says whether that changed something")
    func asyncRefresh() async throws {
        let fixture = QueueFixture(Self.types)
        let counts = try await SurroundingActor().refreshed(fixture.configuration) {
            try fixture.run { realm in
                try realm.write { _ = realm.create(SurroundingDog.self, value: ["id": 1]) }
            }
        }
        #expect(counts == [0, 0, 1, 1])
    }

    @Test(
        """
        Realm.{freeze(),thaw(),isFrozen,freeze(object),thaw(object),freeze(collection)} frozen realms are read \
        on any thread
        """)
    func frozen() async throws {
        let (realm, owner) = try Self.owner()
        let frozen = realm.freeze()
        let dog = realm.freeze(owner.dogs[0])
        let dogs = realm.freeze(owner.dogs)
        try realm.write { owner.dogs[0].name = "new" }
        #expect(frozen.isFrozen && dog.name == "d1" && dogs[0].name == "d1" && frozen.thaw() == realm)
        #expect(realm.thaw(dog)?.name == "new" && frozen.configuration == realm.configuration)
        nonisolated(unsafe) let there = frozen
        let count = Mutex(0)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            count.withLock { $0 = there.objects(SurroundingDog.self).filter("name == 'd1'").count }
            done.signal()
        }
        done.wait()
        #expect(count.withLock { $0 } == 1)
    }

    @Test(
        """
        Error.{fail,fileAccess,filePermissionDenied,fileExists,fileNotFound,fileFormatUpgradeRequired} \
        Error.{incompatibleLockFile,addressSpaceExhausted,schemaMismatch,alreadyOpen,invalidInput,outOfDiskSpace} \
        Error.{incompatibleSession,unsupportedFileFormatVersion,subscriptionFailed,fileOperationFailed} \
        Error.{invalidDatabase,incompatibleHistories,noSubscriptionForWrite,fileURL} Realm's codes, domain and file
        """)
    func errors() {
        let codes: [(Realm.Error.Code, Int)] = [
            (.fail, 1), (.fileAccess, 2), (.filePermissionDenied, 3), (.fileExists, 4), (.fileNotFound, 5),
            (.fileFormatUpgradeRequired, 6), (.incompatibleLockFile, 8), (.addressSpaceExhausted, 9),
            (.schemaMismatch, 10), (.alreadyOpen, 12), (.invalidInput, 13), (.outOfDiskSpace, 14),
            (.incompatibleSession, 15), (.unsupportedFileFormatVersion, 16), (.subscriptionFailed, 18),
            (.fileOperationFailed, 19), (.invalidDatabase, 20), (.incompatibleHistories, 21),
            (.noSubscriptionForWrite, 22),
        ]
        for (code, number) in codes { #expect(code.rawValue == number) }
        let error: any Error = Realm.Error(.fileNotFound, "gone", fileURL: URL(fileURLWithPath: "/x"))
        #expect((error as NSError).code == 5 && (error as NSError).domain == "io.realm")
        #expect(error.localizedDescription == "gone" && (error as? Realm.Error)?.fileURL?.path == "/x")
        let made = Realm.Error(
            .fail, userInfo: ["key": 7, NSFilePathErrorKey: "/y", NSLocalizedDescriptionKey: "text"])
        #expect(made.userInfo["key"] as? Int == 7 && (made as NSError).userInfo["key"] as? Int == 7)
        #expect(made.fileURL?.path == "/y" && made.message == "text" && made.userInfo["Error Code"] as? Int == 1)
        #expect(
            "\(Realm.Error(.fileExists, "text"))"
                == "Error Domain=io.realm Code=4 \"text\" UserInfo={Error Code=4, NSLocalizedDescription=text}")
        let absent = Realm.Configuration(fileURL: URL(fileURLWithPath: "/none/a.realm"), objectTypes: [])
        do { _ = try Realm(configuration: absent) } catch {
            #expect((error as NSError).userInfo["Error Name"] as? String == "FileNotFound", "\(error)")
        }
        switch error {
        case Realm.Error.fileAccess: Issue.record("another code")
        case Realm.Error.fileNotFound: break
        default: Issue.record("no code")
        }
    }

    @Test(
        """
        Realm.{dynamicCreate(_:value:update:),dynamicObject(ofType:forPrimaryKey:),dynamicObjects(_:)} \
        Object.{dynamicList(_:),dynamicMutableSet(_:),dynamicMap(_:)} objects, lists, sets and maps by name
        """)
    func dynamic() async throws {
        do {
            let (realm, owner) = try Self.owner()
            try realm.write { realm.dynamicCreate("SurroundingDog", value: ["id": 9, "name": "dyn"]) }
            #expect(realm.dynamicObject(ofType: "SurroundingDog", forPrimaryKey: 9)?.name as? String == "dyn")
            #expect(realm.dynamicObjects("SurroundingDog").count == 4)
            #expect(owner.dynamicList("dogs").map { $0["id"] as? Int } == [1, 2, 3])
            #expect(owner.dynamicMutableSet("pack").map { $0["id"] as? Int } == [1, 2, 3])
            let map: Map<String, DynamicObject?> = owner.dynamicMap("named")
            #expect(map.keys == ["k1", "k2", "k3"] && map["k2"]??.name as? String == "d2")
            let object = realm.dynamicObjects("SurroundingOwner")[0]
            try realm.write {
                object.dynamicList("dogs").removeFirst()
                object.dynamicMutableSet("pack").removeAll()
                map["k1"] = .some(nil)
                object.name = "by name"
            }
            #expect(owner.dogs.count == 2 && owner.pack.isEmpty && owner.named["k1"] == .some(nil))
            #expect(owner.name == "by name")
        }
        for body in [
            { _ = $0.dynamicMutableSet("dogs") }, { _ = $0.dynamicList("pack") },
            {
                let _: Map<String, DynamicObject?> = $0.dynamicMap("dogs")
            },
        ] as [@Sendable (SurroundingOwner) -> Void] {
            #expect(await exception { body(try Self.owner().1) }?.contains("is not a") == true)
        }
    }

    // MARK: Names and schemas

    @Test("_name(for:) key paths lead through links, lists, sets, maps, linking objects and optionals")
    func names() async {
        #expect(_name(for: \SurroundingOwner.name) == "name")
        #expect(_name(for: \SurroundingOwner.home?.street) == "home.street")
        #expect(_name(for: \SurroundingOwner.home?.neighbour?.owner?.name) == "home.neighbour.owner.name")
        #expect(_name(for: \SurroundingOwner.dogs) == "dogs" && _name(for: \SurroundingOwner.named) == "named")
        #expect(_name(for: \SurroundingOwner.dogs.projectTo.name) == "dogs.name")
        #expect(_name(for: \SurroundingOwner.pack.projectTo.owner?.name) == "pack.owner.name")
        #expect(_name(for: \SurroundingOwner.named.projectTo.name) == "named.name")
        #expect(_name(for: \SurroundingOwner.owned.projectTo.any) == "owned.any")
        for keyPath in [\SurroundingDog.token, \.key, \.price, \.born, \.tags] as [PartialKeyPath<SurroundingDog>] {
            #expect(!_name(for: keyPath).isEmpty)
        }
        #expect(await exception { _ = _name(for: \SurroundingDog.isInvalidated) } != nil)
    }

    @Test(
        """
        Schema.{objectSchema,subscript,==,description} \
        ObjectSchema.{className,primaryKeyProperty,isEmbedded,objectClass} \
        ObjectSchema.{subscript,==,description,properties} \
        Property.{name,type,isArray,isSet,isMap,isIndexed,isOptional,objectClassName} Property.== \
        PropertyType.{int,bool,float,double,string,data,date,object,linkingObjects,objectId,decimal128,UUID,any} \
        schemas tell classes and properties, by name, and are equal by what they say
        """)
    func schemas() throws {
        let (realm, owner) = try Self.owner()
        let schema = realm.schema
        #expect(Set(schema.objectSchema.map(\.className)) == Set(Self.types.map { $0.className() }))
        let dog = try #require(schema["SurroundingDog"])
        #expect(dog.primaryKeyProperty?.name == "id" && !dog.isEmbedded && dog.objectClass == SurroundingDog.self)
        #expect(dog["name"]?.isIndexed == true && dog["id"]?.isIndexed == true && dog["any"]?.isIndexed == false)
        let types: [(String, PropertyType)] = [
            ("id", .int), ("name", .string), ("owner", .object), ("any", .any), ("tags", .string), ("photo", .data),
            ("token", .UUID), ("key", .objectId), ("price", .decimal128), ("born", .date), ("weight", .double),
            ("rate", .float), ("good", .bool),
        ]
        for (name, type) in types { #expect(dog[name]?.type == type, "\(name)") }
        #expect(dog["tags"]?.isArray == true && dog["photo"]?.isOptional == true && dog["nothing"] == nil)
        let people = owner.objectSchema
        #expect(
            people["pack"]?.isSet == true && people["named"]?.isMap == true && people["owned"]?.type == .linkingObjects)
        #expect(
            people["dogs"]?.objectClassName == "SurroundingDog" && people["owned"]?.objectClassName == "SurroundingDog")
        #expect(schema["SurroundingHome"]?.isEmbedded == true && schema["Nothing"] == nil)
        #expect(people == SurroundingOwner().objectSchema && people != dog && schema == realm.schema)
        #expect(dog["id"] == dog.properties[0] && dog["id"] != dog["name"])
        #expect(schema.description.contains("SurroundingDog {") && "\(dog)".contains("indexed = YES"))
        #expect("\(PropertyType.any) \(PropertyType.int) \(PropertyType.objectId)" == "mixed int object id")
    }

    // MARK: Values

    @Test("Decimal128.{min,max,magnitude} decimals and identifiers: limits, magnitude, parts, texts that are none")
    func values() throws {
        #expect(Decimal128.min < 0 && Decimal128.max > 0 && Decimal128.min == -Decimal128.max)
        #expect(Decimal128("NaN").isNaN && !Decimal128(1).isNaN && Decimal128("-3").magnitude == 3)
        #expect(Decimal128(number: 1.5) == 1.5 && Decimal128(value: "2") == 2 && Decimal128(value: 7) == 7)
        #expect(try Decimal128(string: "1E3") == 1000)
        #expect(try Decimal128(string: "one").isNaN)
        #expect(throws: (any Error).self) { try ObjectId(string: "xyz") }
        let decoded = try JSONDecoder().decode([Decimal128].self, from: Data(#"["1.10", 2, 2.5]"#.utf8))
        #expect(decoded == ["1.10", 2, 2.5])
        let id = ObjectId(timestamp: Date(timeIntervalSince1970: 1_700_000_000), machineId: 0x010203, processId: 0x0405)
        #expect(id.timestamp == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(id.stringValue.hasSuffix(String(id.stringValue.suffix(6))) && id.stringValue.contains("0102030405"))
        let same = try ObjectId(string: id.stringValue)
        #expect(same == id && same.hashValue == id.hashValue && ObjectId("000000000000000000000001") > ObjectId())
        #expect(try JSONDecoder().decode([ObjectId].self, from: JSONEncoder().encode([id])) == [id])
        let ids = (0..<100).map { _ in ObjectId.generate() }
        #expect(Set(ids).count == 100 && ids == ids.sorted())
    }

    @Test(
        """
        SortDescriptor.{init(keyPath:ascending:),reversed(),literal,==,description} texts, key paths, turned \
        round, printed and compared
        """)
    func descriptors() {
        let one: RealmSwift.SortDescriptor = "name"
        #expect(one == SortDescriptor(keyPath: \SurroundingDog.name) && one.ascending)
        #expect(one.reversed() == SortDescriptor(keyPath: "name", ascending: false) && one.reversed() != one)
        #expect(one.description == "SortDescriptor(keyPath: name, direction: ascending)")
        #expect(SortDescriptor(keyPath: \SurroundingDog.owner?.name).keyPath == "owner.name")
    }

    // MARK: Observing and publishing

    @Test("results of values and of Codable objects are encodable")
    func encoding() throws {
        let fixture = QueueFixture(Self.types)
        try fixture.run { realm in
            try realm.write { realm.create(SurroundingOwner.self, value: ["name": "Ann"]) }
            let owners = realm.objects(SurroundingOwner.self)
            func encodable<E: Encodable>(_: E.Type) -> Bool { true }
            #expect(encodable(Results<Int>.self) && encodable(LinkingObjects<SurroundingOwner>.self))
            // A managed object's synthesised code reports that it cannot be encoded.
            #expect(throws: EncodingError.self) { try JSONEncoder().encode(owners) }
            try realm.write {
                for id in [3, 1, 2] { realm.create(SurroundingDog.self, value: ["id": id, "tags": ["b", "a"]]) }
            }
            let tags = realm.objects(SurroundingDog.self)[0].tags.sorted()
            #expect(try String(decoding: JSONEncoder().encode(tags), as: UTF8.self) == #"["a","b"]"#)
        }
    }

    @Test("Realm.observe(actor) a map is observed on an actor by Swift key paths of its values")
    func mapOnActor() async throws {
        let fixture = QueueFixture(Self.types)
        try fixture.run { realm in
            try realm.write {
                _ = realm.create(SurroundingOwner.self, value: ["named": ["a": ["id": 1, "name": "x"]]])
            }
        }
        let actor = SurroundingActor()
        try await actor.observe(fixture.configuration)
        _ = try await actor.notes(1)
        try fixture.run { realm in try realm.write { realm.objects(SurroundingDog.self)[0].weight = 2 } }
        try fixture.run { realm in try realm.write { realm.objects(SurroundingDog.self)[0].name = "y" } }
        #expect(try await actor.notes(2) == ["initial 1", #"[] [] ["a"]"#])
        await actor.end()
    }

    @Test(
        """
        RealmPublishers.MapChangeset valuePublisher(_:keyPaths:) changesetPublisher(_:keyPaths:) embedded \
        objects, maps and Swift key paths are published; maps are frozen and handed over
        """)
    func publishers() async throws {
        let fixture = QueueFixture(Self.types)
        let kept = SurroundingKept()
        let queue = DispatchQueue(label: "published")
        try fixture.run { [kept] realm in
            try realm.write {
                realm.create(
                    SurroundingOwner.self,
                    value: ["home": ["street": "Elm"], "named": ["a": ["id": 1]], "dogs": [["id": 2]]])
            }
            let owner = realm.objects(SurroundingOwner.self)[0]
            guard let home = owner.home else { return }
            kept.all = [
                home.objectWillChange.sink { fixture.note("home will") },
                valuePublisher(home).sink(
                    receiveCompletion: { _ in fixture.note("home end") },
                    receiveValue: { fixture.note("home \($0.street)") }),
                changesetPublisher(home).sink { change in
                    if case .change(_, let changes) = change { fixture.note("home \(changes.map(\.name))") }
                },
                valuePublisher(owner.named).freeze().sink(
                    receiveCompletion: { _ in }, receiveValue: { fixture.note("map \($0.count) \($0.isFrozen)") }),
                changesetPublisher(owner.named).threadSafeReference().receive(on: queue).sink { change in
                    if case .update(let map, _, let insertions, _) = change {
                        fixture.note("queue \(map.keys) \(insertions)")
                    }
                },
                changesetPublisher(owner.named).freeze().sink { change in
                    if case .update(let map, _, _, _) = change { fixture.note("frozen \(map.isFrozen)") }
                },
                owner.named.changesetPublisher(keyPaths: [\.name]).sink { change in
                    if case .update(_, _, let insertions, let modifications) = change {
                        fixture.note("paths \(insertions) \(modifications)")
                    }
                },
                owner.dogs.changesetPublisher(keyPaths: [\.name]).sink { change in
                    if case .update(_, _, _, let modifications) = change { fixture.note("list \(modifications)") }
                },
                changesetPublisher(owner, keyPaths: [\SurroundingOwner.name]).sink { _ in fixture.note("owner") },
            ]
        }
        _ = try await fixture.notes(1)
        try fixture.run { realm in
            try realm.write {
                let owner = realm.objects(SurroundingOwner.self)[0]
                owner.home?.street = "Oak"
                owner.named["b"] = owner.dogs[0]
                owner.dogs[0].name = "new"
            }
        }
        let expected: Set<String> = [
            "map 1 true", "home will", "home Oak", #"home ["street"]"#, "map 2 true", #"queue ["a", "b"] ["b"]"#,
            "frozen true", #"paths ["b"] []"#, "list [0]",
        ]
        #expect(try await fixture.notes(with: expected) == expected)
        try fixture.run { [kept] realm in
            // Collections of a deleted owner cannot be accessed.
            kept.all.removeSubrange(3...)
            try realm.write { realm.delete(realm.objects(SurroundingOwner.self)) }
        }
        _ = try await fixture.notes(with: ["home end"])
        try fixture.run { _ in kept.all = [] }
    }
}

/// Retains subscriptions, which are used on one queue.
private final class SurroundingKept: @unchecked Sendable {
    var all: [any Cancellable] = []
}
