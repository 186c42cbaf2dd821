import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import StoreContract
import StoreTesting
import Synchronization
import Testing

/// Observing one object's list, set or map: beginnings, ends, and the notified observers.
struct ObservedCollectionTests {
    private static func link(_ key: Int64) -> Value { .link(ObjectKey(key)) }

    @Test("a set's positions follow its order, and only changes behind its links modify elements")
    func sets() throws {
        let holders = try HolderStore(
            [HolderStore.marks: .set([.int(1), .int(3), .int(5)])], people: ["x", "y"])
        let (marks, token) = try holders.observe(HolderStore.marks)
        try holders.write { try $0.edit(HolderStore.marks, .add(.int(4)), .removeElement(.int(1)), .add(.int(3))) }
        #expect(marks.takeChanges() == [.positions(IndexChanges(deletions: [0], insertions: [1]))])
        try holders.write { try $0.edit(HolderStore.marks, .add(.int(3)), .removeElement(.int(9))) }
        #expect(marks.takeChanges() == [])
        try holders.write { try $0.edit(HolderStore.marks, .removeAll, .add(.int(5))) }
        #expect(marks.takeChanges() == [.positions(IndexChanges(deletions: [0, 1]))])
        #expect(marks.faults == [])

        let (friends, second) = try holders.observe(HolderStore.friends)
        try holders.write { try $0.edit(HolderStore.friends, .add(Self.link(1)), .add(Self.link(0))) }
        #expect(friends.takeChanges() == [.positions(IndexChanges(insertions: [0, 1]))])
        try holders.write { try $0.name(1, "Y") }
        #expect(
            friends.takeChanges() == [.positions(IndexChanges(modifications: [1], modificationsNew: [1]))])
        try holders.write { try $0.delete(HolderStore.person, ObjectKey(0)) }
        #expect(friends.takeChanges() == [.positions(IndexChanges(deletions: [0]))])
        #expect(friends.faults == [])
        for token in [token, second] { token.cancel() }
    }

    @Test("a key that is removed and added again is deleted and inserted; assigning the whole map modifies")
    func mapKeys() throws {
        let trees: Value = .dictionary(ValueMap([("ash", .double(1)), ("elm", .double(2))]))
        let holders = try HolderStore([HolderStore.prices: trees])
        let (recorder, token) = try holders.observe(HolderStore.prices)
        try holders.write { try $0.edit(HolderStore.prices, .removeKey("ash"), .put(.double(1), key: "ash")) }
        #expect(recorder.takeChanges() == [.keys(deletions: ["ash"], insertions: ["ash"], modifications: [])])
        try holders.write { try $0.edit(HolderStore.prices, .put(.double(1), key: "e\u{301}"), .removeKey("e\u{301}")) }
        #expect(recorder.takeChanges() == [])
        let other: Value = .dictionary(ValueMap([("elm", .double(2)), ("oak", .double(3))]))
        try holders.write { try $0.set(HolderStore.holder, HolderStore.owner.key, [HolderStore.prices: other]) }
        #expect(recorder.takeChanges() == [.keys(deletions: ["ash"], insertions: ["oak"], modifications: ["elm"])])
        try holders.write { try $0.deleteHolder() }
        #expect(recorder.takeChanges() == [.keys(deletions: ["elm", "oak"], insertions: [], modifications: [])])
        #expect(recorder.isOver && recorder.faults == [])
        #expect(holders.live.resultCount == 0)
        token.cancel()
    }

    @Test("replacing a list removes all old elements and inserts all new ones")
    func replacedList() throws {
        let holders = try HolderStore([HolderStore.numbers: .list([.int(1), .int(2)])])
        let (recorder, token) = try holders.observe(HolderStore.numbers)
        let same: Value = .list([.int(1), .int(2)])
        try holders.write { try $0.set(HolderStore.holder, HolderStore.owner.key, [HolderStore.numbers: same]) }
        #expect(recorder.takeChanges() == [.positions(IndexChanges(deletions: [0, 1], insertions: [0, 1]))])
        // Other properties of the owner do not affect the list.
        try holders.write {
            try $0.set(HolderStore.holder, HolderStore.owner.key, [HolderStore.title: .string("x")])
        }
        #expect(recorder.takeChanges() == [] && recorder.faults == [])
        token.cancel()
    }

    @Test("a mixed list reports changes behind links at any depth of its elements, once it has some")
    func mixedLinks() throws {
        let holders = try HolderStore([HolderStore.anything: .list([.int(1)])], people: ["x", "y"])
        let (recorder, token) = try holders.observe(HolderStore.anything)
        try holders.write { try $0.name(0, "unheard") }
        #expect(recorder.takeChanges() == [])
        let nested: Value = .list([
            .null, .dictionary(ValueMap([("who", .reference(ObjectReference(HolderStore.person, ObjectKey(0))))])),
        ])
        try holders.write { try $0.edit(HolderStore.anything, .append(nested)) }
        #expect(recorder.takeChanges() == [.positions(IndexChanges(insertions: [1]))])
        try holders.write { try $0.name(0, "heard") }
        #expect(recorder.takeChanges() == [.positions(IndexChanges(modifications: [1], modificationsNew: [1]))])
        try holders.write { try $0.name(1, "unheard") }
        #expect(recorder.takeChanges() == [])
        try holders.write { try $0.delete(HolderStore.person, ObjectKey(0)) }
        #expect(recorder.takeChanges() == [.positions(IndexChanges(modifications: [1], modificationsNew: [1]))])
        #expect(recorder.faults == [])
        token.cancel()
    }

    @Test("observers with other key paths get other modifications, and all with the same ones share one change")
    func audiences() throws {
        let holders = try HolderStore(people: ["x", "y"])
        try holders.store.write { try $0.edit(HolderStore.members, .append(Self.link(0))) }
        let shared = Mutex<[ObjectIdentifier]>([])
        let paths = try ["name", "boss"].map { try LiveKeyPath($0, in: HolderStore.person, of: HolderStore.schema) }
        let kept = Mutex<[LiveCollectionChange]>([])
        let tokens = [[], [], [paths[0]], [paths[1]]].map { keyPaths in
            holders.live.observeCollection(HolderStore.owner, HolderStore.members, keyPaths: keyPaths) { event in
                guard case .update(let change) = event else { return }
                shared.withLock { $0.append(ObjectIdentifier(change)) }
                kept.withLock { $0.append(change) }
            }
        }
        holders.live.settle()
        #expect(holders.live.resultCount == 1)
        try holders.write { try $0.name(0, "X") }
        // Those without key paths, and the one with this.
        #expect(shared.withLock { $0.count } == 3 && shared.withLock { Set($0).count } == 1)
        try holders.write { try $0.edit(HolderStore.members, .append(Self.link(1))) }
        #expect(shared.withLock { $0.count } == 7 && shared.withLock { Set($0).count } == 2)
        for token in tokens { token.cancel() }
        holders.live.settle()
        #expect(holders.live.resultCount == 0)
    }

    @Test("invalid observations are rejected with their code")
    func refusals() throws {
        let holders = try HolderStore(people: ["x"])
        let elsewhere = ObjectReference(HolderStore.holder, ObjectKey(99))
        let name = try LiveKeyPath("name", in: HolderStore.person, of: HolderStore.schema)
        let title = try LiveKeyPath("title", in: HolderStore.holder, of: HolderStore.schema)
        let cases: [(ObjectReference, PropertyID, [LiveKeyPath], StoreError.Code)] = [
            (elsewhere, HolderStore.numbers, [], .notFound),
            (HolderStore.owner, HolderStore.title, [], .notACollection),
            (HolderStore.owner, PropertyID(99), [], .unknownProperty),
            (ObjectReference(ClassID(99), ObjectKey(0)), HolderStore.numbers, [], .unknownClass),
            (HolderStore.owner, HolderStore.numbers, [name], .unknownProperty),
            (HolderStore.owner, HolderStore.members, [title], .unknownProperty),
        ]
        for (object, property, keyPaths, code) in cases {
            let recorder = CollectionRecorder(object, property)
            let token = holders.live.observeCollection(
                object, property, keyPaths: keyPaths, deliver: recorder.receive)
            holders.live.settle()
            #expect(recorder.failureCode == code && !recorder.hasBegun)
            token.cancel()
        }
        holders.live.settle()
        #expect(holders.live.resultCount == 0)
    }

    @Test("a collection whose property is removed from the schema fails, and others continue")
    func schemaChange() throws {
        let holders = try HolderStore([HolderStore.numbers: .list([.int(1)])])
        let (numbers, first) = try holders.observe(HolderStore.numbers)
        let (marks, second) = try holders.observe(HolderStore.marks)
        let classes = HolderStore.schema.classes.map { objectClass in
            ClassSchema(objectClass.name, properties: objectClass.properties.filter { $0.name != "numbers" })
        }
        try holders.store.replaceSchema(with: Schema(version: 2, classes: classes), migration: Migration())
        try holders.write { try $0.edit(HolderStore.marks, .add(.int(7))) }
        #expect(numbers.failureCode == .unknownProperty)
        #expect(marks.takeChanges() == [.positions(IndexChanges(insertions: [0]))])
        #expect(marks.faults == [])
        for token in [first, second] { token.cancel() }
    }

    @Test("consecutive differences merge: keys cancel out, return and stay modified by the rules")
    func merging() {
        typealias Difference = LiveCollectionChange.Difference
        func keys(_ deletions: [String], _ insertions: [String], _ modifications: [String]) -> Difference {
            .keys(deletions: deletions, insertions: insertions, modifications: modifications)
        }
        let cases: [(Difference, Difference, Difference)] = [
            (keys([], ["a"], []), keys(["a"], [], []), keys([], [], [])),
            (keys(["a"], [], []), keys([], ["a"], []), keys(["a"], ["a"], [])),
            (keys([], [], ["a"]), keys(["a"], [], []), keys(["a"], [], [])),
            (keys([], ["a"], []), keys([], [], ["a"]), keys([], ["a"], [])),
            (keys(["a"], ["a"], []), keys(["a"], ["a"], []), keys(["a"], ["a"], [])),
            (keys([], [], ["a"]), keys([], [], ["b"]), keys([], [], ["a", "b"])),
            (
                .positions(IndexChanges(insertions: [0])), .positions(IndexChanges(deletions: [0])),
                .positions(IndexChanges())
            ),
        ]
        for (first, second, both) in cases { #expect(first.followed(by: second) == both) }
        #expect(keys([], ["é"], []) != keys([], ["e\u{301}"], []))
    }
}
