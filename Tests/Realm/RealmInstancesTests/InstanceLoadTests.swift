import Dispatch
import EmbeddedStore
import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import RealmInstances
import RepositoryFiles
import StoreContract
import StoreTesting
import Synchronization
import Testing

/// An instance of a store on disk that observes sections, lists, sets and maps.
@Suite("Instances of a store on disk")
struct InstanceLoadTests {
    @Test("a write begins at the newest version at once, however much others write")
    func underLoad() throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: .embedded)
        let (recorder, token) = try world.observe()
        let others = OtherWriters(world.store)
        others.start(64)
        defer { others.finish() }
        var mine = Version(0)
        for round in 0..<30 {
            let before = try world.store.snapshot().version
            try world.instance.beginWrite()
            let version = try world.instance.version
            // Writes that waited behind the last write of this instance were executed first.
            #expect(version > mine)
            #expect(version >= before)
            #expect(try world.instance.transaction.version == version.next)
            #expect(try world.store.snapshot().version == version)
            #expect(recorder.version == version)
            if round % 3 == 0 {
                try world.instance.cancelWrite()
            } else {
                try world.instance.transaction.setScore(1, Int64(round))
                try world.instance.commitWrite(withoutNotifying: [token])
                #expect(try world.instance.version == version.next)
            }
            mine = try world.instance.version
        }
        #expect(recorder.faults == [])
        token.invalidate()
    }

    /// Writes that each submit the next one when they are done, so that a constant number always waits for the writer.
    /// They need no threads of their own, which a busy machine may not provide in time.
    private final class OtherWriters: Sendable {
        private let store: any Store
        private let isOver = Atomic(false)
        private let running = DispatchGroup()

        init(_ store: any Store) { self.store = store }

        func start(_ count: Int) {
            for writer in 1...Int64(count) {
                running.enter()
                submit(writer * 1_000_000)
            }
        }

        private func submit(_ id: Int64) {
            store.submit(
                { try $0.task(id, 1) },
                completion: { [self] _ in
                    if isOver.load(ordering: .relaxed) { running.leave() } else { submit(id + 1) }
                })
        }

        /// Ends the writes.
        func finish() {
            isOver.store(true, ordering: .relaxed)
            running.wait()
        }
    }

    @Test("sections are told as queries are", arguments: StoreKind.allCases)
    func sections(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 2, on: kind)
        let path = TaskStore.path(TaskStore.title, .string)
        var query = TaskInstanceFixture.tasks
        query.steps.append(.sort([SortKey(path, ascending: true)]))
        let recorder = SectionRecorder()
        let token = try world.instance.observeSections(query, by: SectionKey(path), deliver: recorder.receive)
        // This is part of the first call.
        try world.store.write { try $0.task(3, 1, "a") }
        try world.turns { recorder.sections != nil }
        #expect(recorder.sections?.map(\.key) == [.string(""), .string("a")])
        #expect(recorder.takeChanges().isEmpty)
        try world.instance.write { try $0.task(4, 1, "b") }
        world.turns()
        #expect(recorder.takeChanges().map(\.changes.sectionsToInsert) == [[2]])
        try world.instance.write(withoutNotifying: [token]) { try $0.task(5, 1, "c") }
        world.turns()
        #expect(recorder.takeChanges().isEmpty)
        #expect(recorder.faults == [])
        token.invalidate()
    }

    /// An instance with a holder that has a number, a mark and a price.
    private struct Held {
        let home: TestDirectory
        let store: any Store
        let scheduler = HandScheduler()
        let instance: LiveInstance

        init(_ kind: StoreKind, isEmpty: Bool = false) throws {
            home = try TestDirectory()
            store =
                kind == .embedded
                ? try EmbeddedStore.open(path: home.path + "/store", schema: HolderStore.schema)
                : try ModelStore(HolderStore.schema)
            var price = ValueMap()
            price["ash"] = .double(1)
            let values: [PropertyID: Value] = [
                HolderStore.numbers: .list([.int(1)]), HolderStore.marks: .set([.int(2)]),
                HolderStore.prices: .dictionary(price),
            ]
            try store.write { try $0.create(HolderStore.holder, isEmpty ? [:] : values) }
            instance = try InstanceHub(store).instance(on: scheduler)
        }

        func turns() { while scheduler.turn() {} }

        func turns(until condition: () -> Bool) throws {
            while !condition() { try #require(scheduler.waitForTurn(), "nothing comes") }
            turns()
        }

        func observe(_ property: PropertyID) throws -> (CollectionRecorder, InstanceToken) {
            let recorder = CollectionRecorder(HolderStore.owner, property)
            return (
                recorder, try instance.observeCollection(HolderStore.owner, property, deliver: recorder.receive)
            )
        }
    }

    private static let properties = [HolderStore.numbers, HolderStore.marks, HolderStore.prices]

    @Test("lists, sets and maps are told, to their end with their owner", arguments: StoreKind.allCases, properties)
    func collections(_ kind: StoreKind, _ property: PropertyID) throws {
        let held = try Held(kind)
        let (recorder, token) = try held.observe(property)
        try held.turns { recorder.hasBegun }
        try held.instance.write { transaction in
            switch property {
            case HolderStore.numbers: try transaction.edit(property, .append(.int(5)))
            case HolderStore.marks:
                try transaction.set(HolderStore.holder, HolderStore.owner.key, [property: .set([.int(2), .int(5)])])
            default:
                try transaction.set(HolderStore.holder, HolderStore.owner.key, [property: .dictionary(ValueMap())])
            }
        }
        held.turns()
        #expect(recorder.takeChanges().count == 1)
        try held.store.write { try $0.deleteHolder() }
        held.turns()
        // An empty collection has nothing to report.
        #expect(recorder.takeChanges().count == (property == HolderStore.prices ? 0 : 1))
        #expect(recorder.faults == [])
        token.invalidate()
    }

    @Test(
        "the observer of a list, set or map whose owner is deleted before the first call is told that it is gone",
        arguments: StoreKind.allCases, properties)
    func ownerDeletedFirst(_ kind: StoreKind, _ property: PropertyID) throws {
        let held = try Held(kind)
        let (recorder, token) = try held.observe(property)
        try held.store.write { try $0.deleteHolder() }
        try held.turns { recorder.isOver || recorder.failureCode != nil }
        #expect(recorder.failureCode == .notFound)
        #expect(recorder.takeChanges().isEmpty)
        #expect(recorder.faults == [])
        token.invalidate()
    }
}
