import Foundation
import RealmSwift
import Synchronization
import TestBasics
import Testing

private actor RealmActor {
    /// Returns the number of objects in a realm that is opened here, in each way.
    func counts(_ configuration: Realm.Configuration) async throws -> [Int] {
        var counts: [Int] = []
        for behavior in [Realm.OpenBehavior.never, .once, .always] {
            let one = try await Realm(configuration: configuration, actor: self, downloadBeforeOpen: behavior)
            counts.append(one.objects(ProofDog.self).count)
            let two = try await Realm.open(configuration: configuration, downloadBeforeOpen: behavior)
            counts.append(two == one ? two.objects(ProofDog.self).count : -1)
        }
        return counts
    }

    func code(_ configuration: Realm.Configuration) async -> Realm.Error.Code? {
        do {
            _ = try await Realm.open(configuration: configuration)
            return nil
        } catch { return (error as? Realm.Error)?.code }
    }

    func openCancelled(_ configuration: Realm.Configuration) async throws {
        while !Task.isCancelled { await Task.yield() }
        _ = try await Realm.open(configuration: configuration, downloadBeforeOpen: .always)
    }
}

@Suite("Declarations: realms")
struct RealmDeclarations {
    private static func memory() -> Realm.Configuration {
        Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: Form.types)
    }

    /// Returns the message of a misuse in a write transaction.
    private func message(_ body: @escaping @Sendable (Realm) throws -> Void) async -> String? {
        await exception {
            let realm = try Realm(configuration: Self.memory())
            try realm.write { try body(realm) }
        }
    }

    private static let outside =
        "Can only add, remove, or create objects in a Realm in a write transaction - call beginWriteTransaction on an RLMRealm instance first."

    @Test(
        """
        Realm.{init(queue:),init(fileURL:),init(configuration:queue:)} Configuration.defaultConfiguration \
        Configuration.{init,fileURL,objectTypes} the default configuration is what realms are opened with
        """)
    func opening() throws {
        let fixture = try FileFixture()
        let before = Realm.Configuration.defaultConfiguration
        #expect(before.schemaVersion == 0 && !before.readOnly && before.objectTypes == nil)
        defer { Realm.Configuration.defaultConfiguration = before }
        let configuration = Realm.Configuration(fileURL: fixture.url("default"), objectTypes: Form.types)
        Realm.Configuration.defaultConfiguration = configuration
        let realm = try Realm()
        #expect(try realm.configuration == configuration && Realm(configuration: configuration) == realm)
        #expect(realm.schema.objectSchema.count == 3)
        try realm.write { realm.add(ProofDog(1)) }
        let queue = DispatchQueue(label: "own")
        #expect(
            try queue.sync {
                let there = try Realm(queue: queue)
                return there.objects(ProofDog.self).count == 1 && !there.isFrozen
            })
        // Another file, with the default's classes.
        let other = try Realm(fileURL: fixture.url("other"))
        #expect(other.isEmpty && other != realm && other.configuration.fileURL == fixture.url("other"))
        #expect(other.schema.objectSchema.count == 3 && other.configuration.inMemoryIdentifier == nil)
    }

    @Test(
        """
        Realm.{init(configuration:actor:downloadBeforeOpen:),open(configuration:downloadBeforeOpen:)} \
        OpenBehavior.{never,once,always} Realm.actor opened on an actor
        """)
    func actors() async throws {
        let fixture = QueueFixture(Form.types)
        try fixture.run { realm in try realm.write { realm.add(ProofDog(1)) } }
        let actor = RealmActor()
        #expect(try await actor.counts(fixture.configuration) == [1, 1, 1, 1, 1, 1])
        let missing = Realm.Configuration(
            fileURL: URL(fileURLWithPath: "/nonexistent/x.realm"), objectTypes: Form.types)
        #expect(await actor.code(missing) == .fileNotFound)
        let configuration = fixture.configuration
        let task = Task { try await actor.openCancelled(configuration) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(
        "Realm.init(configuration:downloadBeforeOpen:) Realm.actor the main actor, queue and thread are one")
    @MainActor
    func mainActor() async throws {
        let fixture = try FileFixture()
        let configuration = Realm.Configuration(fileURL: fixture.url("main"), objectTypes: Form.types)
        let realm = try await Realm(configuration: configuration)
        try realm.write { realm.add(ProofDog(1)) }
        let again = try await Realm(configuration: configuration, downloadBeforeOpen: .once)
        let opened = try await Realm.open(configuration: configuration)
        // Without an argument for the queue it would be the asynchronous initialiser.
        let plain = try Realm(configuration: configuration, queue: nil)
        #expect(again == realm && opened == realm && plain == realm)
        #expect(try Realm(configuration: configuration, queue: .main) == realm && realm.freeze().thaw() == realm)
        let dog = plain.objects(ProofDog.self)[0]
        let notes = Mutex<[String]>([])
        @Sendable func note(_ text: String) { notes.withLock { $0.append(text) } }
        let tokens = [
            plain.objects(ProofDog.self).observe { change in
                if case .update(let dogs, _, _, _) = change { note("here \(dogs.count)") }
            },
            await realm.objects(ProofDog.self).observe(on: MainActor.shared) { _, change in
                if case .update(let dogs, _, _, _) = change {
                    note("actor \(dogs.count) \(dogs.realm?.isFrozen ?? true)")
                }
            },
        ]
        // On whatever thread the task continues.
        try await Task.sleep(for: .milliseconds(5))
        #expect(dog.id == 1 && plain.objects(ProofDog.self).count == 1)
        try await realm.asyncWrite { realm.add(ProofDog(2)) }
        // Off the main actor, which calls the observers.
        let areNotified = try await eventually { @Sendable in
            await Task.yield()
            return notes.withLock { $0.count } >= 2
        }
        #expect(areNotified)
        #expect(notes.withLock { $0.sorted() } == ["actor 2 false", "here 2"])
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async {
                note("\((try? Realm(configuration: configuration).objects(ProofDog.self).count) ?? -1)")
                continuation.resume()
            }
        }
        #expect(notes.withLock { $0.last } == "2")
        for token in tokens { token.invalidate() }
    }

    @Test(
        """
        Realm.{add(_:update:),add(sequence:update:),create(_:value:update:),dynamicCreate(_:value:update:)} \
        UpdatePolicy.{error,modified,all} what is added is managed, with what it links to
        """, arguments: Form.managed)
    func adding(_ form: Form) throws {
        try form.stage { stage in
            let realm = try #require(stage.realm)
            #expect(Realm.UpdatePolicy.error.rawValue == 1 && Realm.UpdatePolicy.modified.rawValue == 3)
            #expect(Realm.UpdatePolicy.all.rawValue == 2)
            let dog = ProofDog(1, "Rex")
            let owner = ProofOwner(value: ["name": "Ann", "dogs": [dog]])
            try realm.write {
                realm.add(owner)
                realm.add(owner)
                realm.add([ProofDog(2), ProofDog(3)])
                realm.add([ProofDog(3, "new"), ProofDog(4)], update: .modified)
                realm.add(ProofDog(2, "all"), update: .all)
                realm.add([ProofDog]())
            }
            #expect(dog.realm == realm && owner.dogs.first?.isSameObject(as: dog) == true)
            #expect(realm.objects(ProofDog.self).map(\.name) == ["Rex", "all", "new", ""])
            try realm.write {
                let made = realm.create(ProofDog.self, value: [5, "array", 7] as [Any])
                #expect(made.realm == realm && made.age == 7 && made.weight == nil)
                #expect(realm.create(ProofDog.self, value: ["id": 5, "weight": 1.5], update: .modified) == made)
                #expect(made.name == "array" && made.weight == 1.5)
                realm.create(ProofDog.self, value: ProofDog(5, "object"), update: .all)
                #expect(made.name == "object" && made.weight == nil)
                let dynamic = realm.dynamicCreate("ProofDog", value: ["id": 6, "name": "dyn"])
                #expect(dynamic["name"] as? String == "dyn" && dynamic.realm == realm)
                realm.dynamicCreate("ProofDog", value: ["id": 6, "age": 2], update: .modified)
                #expect(dynamic.age as? Int == 2 && dynamic.name as? String == "dyn")
            }
            #expect(realm.object(ofType: ProofDog.self, forPrimaryKey: 6)?.age == 2)
        }
    }

    @Test(
        """
        UpdatePolicy.error Realm.{add(_:update:),add(sequence:update:),create(_:value:update:)} \
        Realm.{delete(object),deleteAll(),delete(sequence)} what is refused
        """)
    func refused() async {
        #expect(
            await message { $0.add([ProofDog(1), ProofDog(1)]) }
                == "Attempting to create an object of type 'ProofDog' with an existing primary key value '1'.")
        #expect(
            await message { $0.add([ProofOwner()], update: .modified) }
                == "'ProofOwner' does not have a primary key and can not be updated")
        #expect(
            await message { realm in
                let other = try Realm(configuration: Self.memory())
                let dog = try other.write { other.create(ProofDog.self) }
                realm.add(dog, update: .modified)
            } == "Object is already managed by another Realm. Use create instead to copy it into this Realm.")
        #expect(await message { $0.delete([ProofDog()]) } == "Can only delete an object from the Realm it belongs to.")
        #expect(
            await message { realm in
                let other = try Realm(configuration: Self.memory())
                realm.delete(other.objects(ProofDog.self))
            } == "Can only delete an object from the Realm it belongs to.")
        for body: @Sendable (Realm) -> Void in [
            { $0.add(ProofDog()) }, { $0.add([ProofDog()]) }, { $0.create(ProofDog.self) },
            { $0.dynamicCreate("ProofDog") }, { $0.deleteAll() }, { $0.delete($0.objects(ProofDog.self)) },
        ] {
            #expect(await exception { body(try Realm(configuration: Self.memory())) } == Self.outside)
        }
    }

    @Test(
        "Realm.{delete(object),delete(sequence),delete(List),delete(MutableSet),delete(Results),delete(Map)}",
        arguments: Form.managed)
    func deleting(_ form: Form) throws {
        try form.stage { stage in
            let realm = try #require(stage.realm)
            let dogs = realm.objects(ProofDog.self)
            try realm.write { for id in 0..<12 { realm.add(ProofDog(id)) } }
            let first = dogs[0]
            try stage.edit { owner in
                owner.dogs.append(objectsIn: dogs)
                realm.delete(first)
                realm.delete(Array(owner.dogs.prefix(2)))
            }
            #expect(first.isInvalidated && first.realm == nil && stage.owner.dogs.map(\.id) == Array(3..<12))
            try stage.edit { owner in
                owner.pack.insert(objectsIn: [dogs[0], dogs[1]])
                realm.delete(owner.pack)
                owner.named.merge(["a": dogs[0], "b": nil]) { $1 }
                realm.delete(owner.named)
                realm.delete(dogs.filter("id > 10"))
            }
            #expect(dogs.map(\.id) == [6, 7, 8, 9, 10] && stage.owner.pack.isEmpty)
            try stage.edit { realm.delete($0.dogs) }
            #expect(dogs.isEmpty && !stage.owner.isInvalidated && stage.owner.dogs.isEmpty)
            let held = ProofDog(99)
            try realm.write {
                realm.add(held)
                realm.delete(held)
            }
            #expect(held.isInvalidated)
            try realm.write { realm.deleteAll() }
            #expect(realm.isEmpty && stage.owner.isInvalidated)
        }
    }

    @Test(
        """
        Realm.{objects(_:),dynamicObjects(_:),object(ofType:forPrimaryKey:)} \
        Realm.dynamicObject(ofType:forPrimaryKey:) what is there, embedded ones and projections too
        """, arguments: Form.managed)
    func fetching(_ form: Form) async throws {
        try form.stage { stage in
            let realm = try #require(stage.realm)
            try stage.edit {
                realm.add([ProofDog(2, "b"), ProofDog(1, "a")])
                $0.home = ProofHome("Elm")
            }
            // In the order of their creation.
            #expect(realm.objects(ProofDog.self).map(\.id) == [2, 1])
            #expect(realm.objects(ProofHome.self).map(\.street) == ["Elm"])
            #expect(realm.objects(ProofDogView.self).map(\.title) == ["b", "a"])
            #expect(realm.dynamicObjects("ProofDog").map { $0["name"] as? String } == ["b", "a"])
            #expect(realm.object(ofType: ProofDog.self, forPrimaryKey: 1)?.name == "a")
            #expect(realm.object(ofType: ProofDog.self, forPrimaryKey: 3) == nil)
            #expect(realm.dynamicObject(ofType: "ProofDog", forPrimaryKey: 2)?.name as? String == "b")
            #expect(realm.dynamicObject(ofType: "ProofDog", forPrimaryKey: 3) == nil)
        }
        #expect(await message { _ = $0.dynamicObjects("Nothing") }?.contains("'Nothing'") == true)
        #expect(
            await message { _ = $0.object(ofType: ProofOwner.self, forPrimaryKey: 1) }
                == "ProofOwner does not have a primary key")
        #expect(await message { _ = $0.dynamicObject(ofType: "ProofDog", forPrimaryKey: "x") } != nil)
    }

    @Test(
        """
        Realm.{write(withoutNotifying:_:),beginWrite(),commitWrite(withoutNotifying:),cancelWrite()} \
        Realm.{isInWriteTransaction,invalidate(),refresh()} transactions
        """, arguments: Form.managed)
    func writing(_ form: Form) throws {
        struct Fault: Error {}
        try form.stage { stage in
            let realm = try #require(stage.realm)
            let dogs = realm.objects(ProofDog.self)
            #expect(try realm.write { dogs.count } == 0 && !realm.isInWriteTransaction)
            realm.beginWrite()
            #expect(realm.isInWriteTransaction && !realm.refresh())
            realm.add(ProofDog(1))
            #expect(dogs.count == 1)
            realm.cancelWrite()
            #expect(dogs.isEmpty && !realm.isInWriteTransaction)
            realm.beginWrite()
            realm.add(ProofDog(2))
            try realm.commitWrite()
            #expect(dogs.map(\.id) == [2])
            #expect(throws: Fault.self) {
                try realm.write {
                    realm.deleteAll()
                    throw Fault()
                }
            }
            #expect(dogs.map(\.id) == [2])
            // A transaction that the block ended itself is not ended again.
            #expect(throws: Fault.self) {
                try realm.write {
                    realm.add(ProofDog(3))
                    try realm.commitWrite()
                    throw Fault()
                }
            }
            #expect(dogs.map(\.id) == [2, 3])
            let dog = dogs[0]
            realm.beginWrite()
            dog.name = "gone"
            realm.invalidate()
            #expect(dog.isInvalidated && dogs.isInvalidated && !realm.isInWriteTransaction)
            #expect(realm.objects(ProofDog.self).map(\.name) == ["", ""])
        }
    }

    @Test(
        """
        Realm.{isFrozen,freeze(),thaw(),freeze(object),thaw(object),freeze(collection),thaw(collection)} \
        Realm.{autorefresh,refresh()} frozen realms
        """, arguments: Form.managed)
    func freezing(_ form: Form) async throws {
        try form.stage { stage in
            let realm = try #require(stage.realm)
            try stage.edit { $0.dogs.append(ProofDog(1, "a")) }
            let frozen = realm.freeze()
            #expect(frozen.isFrozen && !realm.isFrozen && frozen.freeze() == frozen && realm.thaw() == realm)
            #expect(frozen.thaw() == realm && !frozen.autorefresh && !frozen.refresh())
            let dog = realm.freeze(stage.owner.dogs[0])
            let list = realm.freeze(stage.owner.dogs)
            let results = realm.freeze(realm.objects(ProofDog.self))
            try stage.edit { $0.dogs[0].name = "b" }
            try stage.edit { $0.dogs.append(ProofDog(2)) }
            #expect(dog.name == "a" && list.count == 1 && results.count == 1 && results[0] == dog)
            #expect(frozen.objects(ProofDog.self).map(\.name) == ["a"] && frozen.objects(ProofOwner.self).count == 1)
            #expect(realm.thaw(dog)?.name == "b" && realm.thaw(list)?.count == 2 && realm.thaw(results)?.count == 2)
            try stage.edit { _ in realm.deleteAll() }
            #expect(realm.thaw(dog) == nil && realm.thaw(list) == nil && dog.name == "a" && !dog.isInvalidated)
        }
        #expect(await exception { try Realm(configuration: Self.memory()).freeze().autorefresh = true } != nil)
        #expect(await exception { _ = try Realm(configuration: Self.memory()).freeze().observe { _, _ in } } != nil)
    }

    @Test("Realm.writeCopy(toFile:encryptionKey:) Error.{fileExists,fileURL} compacts into a new file")
    func copying() throws {
        let fixture = try FileFixture()
        let realm = try Realm(configuration: Self.memory())
        try realm.write { realm.add(ProofDog(1, "a")) }
        try realm.writeCopy(toFile: fixture.url("copy"))
        let copy = Realm.Configuration(fileURL: fixture.url("copy"), objectTypes: Form.types)
        #expect(try Realm(configuration: copy).objects(ProofDog.self).map(\.name) == ["a"])
        do {
            try realm.writeCopy(toFile: fixture.url("copy"))
            Issue.record("written twice")
        } catch let error as Realm.Error {
            #expect(error.code == .fileExists && error.fileURL == fixture.url("copy"))
        }
    }

    // MARK: The configuration

    @Test(
        """
        Configuration.{init,fileURL,inMemoryIdentifier,encryptionKey,readOnly,schemaVersion,migrationBlock} \
        Configuration.{deleteRealmIfMigrationNeeded,shouldCompactOnLaunch,objectTypes,maximumNumberOfActiveVersions} \
        Configuration.{seedFilePath,==} keep what they are given
        """)
    func configuration() throws {
        let fixture = try FileFixture()
        let called = Mutex(false)
        let configuration = Realm.Configuration(
            fileURL: fixture.url("a"), inMemoryIdentifier: nil, syncConfiguration: nil,
            encryptionKey: Data(repeating: 1, count: 64), readOnly: false, schemaVersion: 3,
            migrationBlock: { _, _ in called.withLock { $0 = true } }, deleteRealmIfMigrationNeeded: true,
            shouldCompactOnLaunch: { total, used in total > used }, objectTypes: Form.types,
            seedFilePath: fixture.url("seed"))
        #expect(configuration.fileURL == fixture.url("a") && configuration.inMemoryIdentifier == nil)
        #expect(configuration.encryptionKey?.count == 64 && !configuration.readOnly && configuration.schemaVersion == 3)
        #expect(configuration.migrationBlock != nil && configuration.deleteRealmIfMigrationNeeded)
        #expect(configuration.shouldCompactOnLaunch?(3, 2) == true && configuration.objectTypes?.count == 3)
        #expect(configuration.maximumNumberOfActiveVersions == nil && configuration.seedFilePath == fixture.url("seed"))
        var other = configuration
        #expect(other == configuration)
        other.schemaVersion = 4
        #expect(other != configuration)
        let plain = Realm.Configuration()
        #expect(plain.fileURL?.lastPathComponent == "default.realm" && plain.schemaVersion == 0)
        #expect(!plain.readOnly && plain.objectTypes == nil && plain.migrationBlock == nil)
    }

    @Test("Configuration.{readOnly,objectTypes,shouldCompactOnLaunch,inMemoryIdentifier} what is refused")
    func refusedConfigurations() async throws {
        let fixture = try FileFixture()
        let (url, other) = (fixture.url("a"), fixture.url("b"))
        #expect(
            await exception {
                var configuration = Realm.Configuration(fileURL: url, objectTypes: Form.types)
                configuration.readOnly = true
                configuration.shouldCompactOnLaunch = { _, _ in true }
                _ = try Realm(configuration: configuration)
            }?.contains("`shouldCompactOnLaunch`") == true)
        #expect(
            await exception {
                _ = try Realm(configuration: Realm.Configuration(fileURL: other, objectTypes: [ProofDog.self]))
            }?.contains("ProofOwner") == true)
        // In memory: by identifier, for as long as an instance is open.
        let identifier = UUID().uuidString
        func count() throws -> Int {
            let configuration = Realm.Configuration(inMemoryIdentifier: identifier, objectTypes: Form.types)
            let realm = try Realm(configuration: configuration)
            let again = try Realm(configuration: configuration)
            try realm.write { realm.add(ProofDog(realm.objects(ProofDog.self).count)) }
            return again.objects(ProofDog.self).count
        }
        #expect(try count() == 1 && count() == 1)
    }

    @Test("Configuration.{schemaVersion,migrationBlock} the block runs once for each higher version")
    func versions() throws {
        let fixture = try FileFixture()
        let seen = Mutex<[UInt64]>([])
        for version in [1, 1, 4] as [UInt64] {
            let configuration = Realm.Configuration(
                fileURL: fixture.url("a"), schemaVersion: version,
                migrationBlock: { _, old in seen.withLock { $0.append(old) } }, objectTypes: Form.types)
            _ = try Realm(configuration: configuration)
        }
        #expect(seen.withLock { $0 } == [1])
    }
}
