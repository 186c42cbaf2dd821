import Foundation
import OpenCombine
import RealmSwift
import TestBasics
import Testing

/// Used on one queue.
private final class Keeper: @unchecked Sendable {
    var all: [any Cancellable] = []
}

@Suite("Parity with Realm: threads, files and observers")
struct ParityThreadTests {
    private func fileConfiguration(_ fixture: FileFixture) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: fixture.url("parity.realm"), objectTypes: [ParityPerson.self, ParityHome.self])
    }

    /// Runs the body on a thread of its own, and returns when it and its realms are gone.
    private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        let failure: (any Error)? = await withCheckedContinuation { continuation in
            let thread = Thread {
                let failure: (any Error)?
                do {
                    try body()
                    failure = nil
                } catch {
                    failure = error
                }
                continuation.resume(returning: failure)
            }
            thread.start()
        }
        if let failure { throw failure }
    }

    @Test("a ThreadSafeReference that outlives its realm is resolved by the next one", arguments: [false, true])
    func handOver(_ isInMemory: Bool) async throws {
        let fixture = try FileFixture()
        let configuration = isInMemory ? ParityRealm.configuration() : fileConfiguration(fixture)
        for round in 0..<3 {
            let (object, results) = try {
                let realm = try ParityRealm.open(configuration)
                let person = ParityPerson(round, "p\(round)")
                try realm.write { realm.add(person) }
                return (ThreadSafeReference(to: person), ThreadSafeReference(to: realm.objects(ParityPerson.self)))
            }()
            try await onThread {
                let realm = try ParityRealm.open(configuration)
                let person = try #require(realm.resolve(object))
                #expect(person.name == "p\(round)")
                #expect(realm.resolve(results)?.count == (isInMemory && round > 0 ? 1 : round + 1))
                try realm.write { person.name = "changed" }
            }
        }
        _ = fixture
    }

    @Test("a ThreadSafe value that outlives its realm opens it again, and a reference keeps it open")
    func wrapped() async throws {
        let fixture = try FileFixture()
        let configuration = fileConfiguration(fixture)
        let holder = try {
            let realm = try ParityRealm.open(configuration)
            return Holder(try realm.write { realm.create(ParityPerson.self, value: ["id": 1, "name": "a"]) })
        }()
        #expect(throws: Realm.Error(.alreadyOpen)) { try Realm.deleteFiles(for: configuration) }
        try await onThread {
            #expect(holder.person?.name == "a")
            let realm = try ParityRealm.open(configuration)
            #expect(realm.objects(ParityPerson.self).count == 1)
        }
        holder.person = nil
        #expect(try Realm.deleteFiles(for: configuration))
    }

    private final class Holder: Sendable {
        private let wrapped: ThreadSafe<ParityPerson>
        init(_ person: ParityPerson) { wrapped = ThreadSafe(wrappedValue: person) }
        var person: ParityPerson? {
            get { wrapped.wrappedValue }
            set { wrapped.wrappedValue = newValue }
        }
    }

    @Test("ThreadSafe: a change through the value on another thread shows at the next access")
    func renewed() throws {
        let configuration = ParityRealm.configuration()
        let realm = try ParityRealm.open(configuration)
        let person = try realm.write { realm.create(ParityPerson.self, value: ["id": 1, "name": "old"]) }
        let holder = Holder(person)
        let (started, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let thread = Thread {
            _ = holder.person?.name
            started.signal()
            let other = try? ParityRealm.open(configuration)
            try? other?.write { holder.person?.name = "new" }
            done.signal()
        }
        thread.start()
        #expect(waited(started))
        #expect(waited(done))
        #expect(holder.person?.name == "new" && person.name == "new")
    }

    private func waited(_ semaphore: DispatchSemaphore) -> Bool {
        semaphore.wait(timeout: .now() + .seconds(TestRun.patience)) == .success
    }

    @Test("Error.fileOperationFailed a path through a file, with Realm's text")
    func throughFile() {
        let url = URL(fileURLWithPath: "/dev/null/foo")
        do {
            _ = try Realm(
                configuration: Realm.Configuration(fileURL: url, objectTypes: [ParityPerson.self, ParityHome.self]))
            Issue.record("opened")
        } catch let error as Realm.Error {
            #expect(error.code == .fileOperationFailed && error.fileURL == url)
            #expect(error.localizedDescription == "Failed to open file at path '/dev/null/foo.lock': Not a directory")
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("Realm.deleteFiles(for:) works as soon as asyncOpen's callback has returned")
    func deleteAfterOpen() async throws {
        let fixture = try FileFixture()
        let configuration = fileConfiguration(fixture)
        let queue = DispatchQueue(label: "parity.open")
        for _ in 0..<50 {
            let opened: Bool = await withCheckedContinuation { continuation in
                Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
                    let isOpen = (try? result.get().isEmpty) == true
                    queue.async { continuation.resume(returning: isOpen) }
                }
            }
            #expect(opened)
            #expect(try Realm.deleteFiles(for: configuration))
        }
    }

    @Test(
        "Realm.init(configuration:queue:) gives the open realm again, until the configuration or the thread differs"
    )
    func openAgain() async throws {
        let fixture = try FileFixture()
        var configuration = fileConfiguration(fixture)
        let realm = try ParityRealm.open(configuration)
        for _ in 0..<100 { #expect(try ParityRealm.open(configuration) == realm) }
        configuration.schemaVersion = 0
        #expect(try ParityRealm.open(configuration) == realm)
        let copy = configuration
        // An open file is not migrated: other versions get it as it is.
        configuration.schemaVersion = 7
        configuration.migrationBlock = { _, _ in Issue.record("migrated") }
        #expect(try ParityRealm.open(configuration) == realm)
        // From here on this may be another thread.
        try await onThread {
            let other = try ParityRealm.open(copy)
            #expect(try ParityRealm.open(copy) == other)
            #expect(other.isEmpty)
        }
        let newer = configuration
        try await onThread {
            let other = try ParityRealm.open(newer)
            #expect(other.isEmpty)
            let version = try newer.fileURL.map { try schemaVersionAtURL($0) }
            #expect(version == 0)
        }
        withExtendedLifetime(realm) {}
    }

    @Test("Realm.init(configuration:queue:) configurations that say the same give the open realm, others do not")
    func saidAgain() async throws {
        let fixture = try FileFixture()
        let (first, second) = (fixture.url("first"), fixture.url("second"))
        @Sendable func said(_ url: URL, _ types: [ObjectBase.Type] = ValuesByNameTests.types) -> Realm.Configuration {
            Realm.Configuration(fileURL: url, objectTypes: types)
        }
        func check() throws {
            let realm = try Realm(configuration: said(first))
            for _ in 0..<3 { #expect(try Realm(configuration: said(first)) == realm) }
            var blocks = said(first)
            blocks.migrationBlock = { _, _ in }
            #expect(try Realm(configuration: blocks) == realm)
            #expect(try Realm(configuration: said(second)) != realm)
            // Other classes are those of the same instance, which has all of them.
            #expect(try Realm(configuration: said(first, ValuesByNameTests.types.reversed())) == realm)
            let memory = Realm.Configuration(inMemoryIdentifier: first.path, objectTypes: ValuesByNameTests.types)
            #expect(try Realm(configuration: memory) != realm)
        }
        try check()
        // On the same thread it is a misuse, elsewhere an error.
        let message = await exception {
            let realm = try Realm(configuration: said(first))
            var other = said(first)
            other.readOnly = true
            _ = try Realm(configuration: other)
            withExtendedLifetime(realm) {}
        }
        #expect(message == "Realm at path '\(first.path)' already opened with different read permissions")
        let realm = try ParityRealm.open(said(first))
        try await onThread {
            var other = said(first)
            other.readOnly = true
            do {
                _ = try Realm(configuration: other)
                Issue.record("opened")
            } catch let error as Realm.Error {
                #expect(error.code == .fail && error.userInfo["Error Name"] as? String == "MismatchedConfig")
                #expect(error.message.hasSuffix("already opened with different read permissions."))
            }
        }
        withExtendedLifetime(realm) {}
    }

    @Test("Realm.isPerformingAsynchronousWriteOperations is true in the block of asyncWrite")
    @MainActor func performing() async throws {
        let realm = try await Realm(configuration: ParityRealm.configuration(), actor: MainActor.shared)
        #expect(!realm.isPerformingAsynchronousWriteOperations)
        try await realm.asyncWrite {
            #expect(realm.isPerformingAsynchronousWriteOperations)
            realm.create(ParityPerson.self, value: ["id": 1])
        }
        #expect(!realm.isPerformingAsynchronousWriteOperations && realm.objects(ParityPerson.self).count == 1)
    }

    @Test("NotificationToken.invalidate() says whether it ended anything")
    func tokens() throws {
        let fixture = QueueFixture([ParityPerson.self, ParityHome.self])
        try fixture.run { realm in
            let token = realm.objects(ParityPerson.self).observe { _ in }
            #expect(token.invalidate() && !token.invalidate())
        }
    }

    @Test("Logger(level:logFunction:) gets the level and the text of messages")
    @available(*, deprecated, message: "tests what is deprecated")
    func logger() {
        let level = Logger.logLevel(for: Category.realm)
        let logger = Logger(level: level, logFunction: { (_: LogLevel, _: String) in })
        let trailing = Logger(level: level) { level, message in _ = "\(level): \(message)" }
        #expect(Logger.logLevel(for: Category.realm) == level && logger !== trailing)
    }

    @Test("ResultsSection.count an observed section that has lost its last object is empty")
    func emptySection() async throws {
        let fixture = QueueFixture([ParityPerson.self, ParityHome.self])
        try fixture.run { realm in
            try realm.write {
                for (id, name) in ["a", "b", "a"].enumerated() { realm.add(ParityPerson(id, name)) }
            }
            let sections = realm.objects(ParityPerson.self).sectioned(by: \.name)
            let section = sections[0]
            fixture.keep(
                section.observe { [fixture] change in
                    switch change {
                    case .initial(let section): fixture.note("initial \(section.count)")
                    case .update(let section, let deletions, _, _, _, let gone):
                        fixture.note(
                            "\(section.count) \(section.isEmpty) \(Array(section).count) \(deletions.count) \(gone.count)"
                        )
                    }
                })
        }
        _ = try await fixture.notes(1)
        try fixture.run { realm in
            try realm.write { realm.delete(realm.objects(ParityPerson.self).where { $0.name == "a" }) }
        }
        let notes = try await fixture.notes(2)
        #expect(notes.first == "initial 2" && notes.last?.hasPrefix("0 true 0") == true)
        try fixture.run { realm in
            let section = realm.objects(ParityPerson.self).sectioned(by: \.name)[0]
            try realm.write { realm.deleteAll() }
            #expect(section.count == 0 && section.isInvalidated && section.startIndex == section.endIndex)
        }
    }

    @Test("RealmPublishers.ObjectChangeset completes without a value when the object is deleted")
    func deletedObject() async throws {
        let fixture = QueueFixture([ParityPerson.self, ParityHome.self])
        let keeper = Keeper()
        try fixture.run { [fixture] realm in
            let person = try realm.write { realm.create(ParityPerson.self, value: ["id": 1, "home": ["street": "s"]]) }
            let home = try #require(person.home)
            keeper.all = [
                changesetPublisher(person).sink(receiveCompletion: { _ in fixture.note("person end") }) { _ in
                    fixture.note("person value")
                },
                changesetPublisher(home).sink(receiveCompletion: { _ in fixture.note("home end") }) { _ in
                    fixture.note("home value")
                },
            ]
        }
        try fixture.run { realm in try realm.write { realm.deleteAll() } }
        _ = try await fixture.notes(2)
        // Tells everything that has not been told yet.
        _ = try fixture.run { realm in realm.refresh() }
        #expect(try await fixture.notes(2).sorted() == ["home end", "person end"])
        try fixture.run { _ in keeper.all = [] }
    }

    @Test("a realm is opened for a serial queue, on it")
    func queues() async {
        let configuration = ParityRealm.configuration()
        let other = DispatchQueue(label: "other")
        #expect(
            await exception { _ = try Realm(configuration: configuration, queue: other) }
                == "Realm opened from incorrect dispatch queue.")
        let global = await exception { _ = try Realm(configuration: configuration, queue: .global()) }
        #expect(
            global?.hasPrefix("Invalid queue '\(DispatchQueue.global().label)' (") == true
                && global?.hasSuffix("): Realms can only be confined to serial queues or the main queue.") == true,
            "\(global ?? "opened")")
    }

    @Test("misuse on another thread is reported as such before anything else")
    func wrongThread() async throws {
        let configuration = ParityRealm.configuration()
        let realm = try ParityRealm.open(configuration)
        let person = try realm.write { realm.create(ParityPerson.self, value: ["id": 1, "numbers": [1]]) }
        let frozenCount = realm.freeze().objects(ParityPerson.self).count
        #expect(frozenCount == 1)
        let gone = try realm.write { realm.create(ParityPerson.self, value: ["id": 2]) }
        let goneNumbers = gone.numbers
        try realm.write { realm.delete(gone) }
        let results = realm.objects(ParityPerson.self)
        nonisolated(unsafe) let values = (realm, person, gone, results, goneNumbers, person.numbers, person.scores)
        let bodies: [(String, @Sendable () -> Void)] = [
            ("add", { values.0.add(ParityPerson(3)) }), ("delete", { values.0.delete(values.1) }),
            ("create", { values.0.create(ParityPerson.self) }), ("deleteAll", { values.0.deleteAll() }),
            ("assign", { values.1.name = "x" }), ("read", { _ = values.1.name }), ("gone", { _ = values.2.name }),
            ("assign gone", { values.2.name = "x" }), ("by name", { values.1["name"] = "x" }),
            ("count", { _ = values.3.count }), ("first", { _ = values.3.first }),
            ("filter", { _ = values.3.filter("id == 1").count }),
            ("list", { _ = values.5.count }), ("append", { values.5.append(1) }), ("gone list", { values.4.append(1) }),
            ("map", { values.6["a"] = 1 }), ("observe", { _ = values.3.observe { _ in } }),
            ("observe on queue", { _ = values.3.observe(on: DispatchQueue(label: "x")) { _ in } }),
            ("observe object", { _ = values.1.observe { (_: ObjectChange<ParityPerson>) in } }),
            ("reference", { _ = ThreadSafeReference(to: values.1) }),
            ("list reference", { _ = ThreadSafeReference(to: values.5) }), ("freeze", { _ = values.1.freeze() }),
            ("begin", { values.0.beginWrite() }), ("refresh", { values.0.refresh() }),
            // Queries that are not run.
            ("objects", { _ = values.0.objects(ParityPerson.self) }),
            ("dynamic objects", { _ = values.0.dynamicObjects("ParityPerson") }),
            ("condition", { _ = values.3.filter("id == 1") }), ("where", { _ = values.3.where { $0.id == 1 } }),
            ("sort", { _ = values.3.sorted(byKeyPath: "id") }), ("distinct", { _ = values.3.distinct(by: ["id"]) }),
            ("values", { _ = values.5.sorted(ascending: true) }),
            ("map values", { _ = values.6.sorted(ascending: true) }),
            ("copy", { try? values.0.writeCopy(toFile: URL(fileURLWithPath: "/nowhere/copy.realm")) }),
        ]
        for (name, body) in bodies {
            let message = await exception(body)
            #expect(message == "Realm accessed from incorrect thread.", "\(name)")
        }
    }
}
