import ObjectModel
import StoreContract
import StoreTesting
import Synchronization
import Testing

@testable import ViewMaintenance
@testable import LiveQueries

/// Observing one object with properties of every kind, from now or from an earlier version.
struct ObservedZooTests {
    private final class Listener: Sendable {
        private let state = Mutex<[String]>([])
        private let objectClass: ClassSchema?

        init(_ classID: ClassID) { objectClass = KeyPathTests.schema[classID] }

        /// The events since the last call.
        func take() -> [String] {
            state.withLock { state in
                defer { state = [] }
                return state
            }
        }

        @Sendable func receive(_ event: LiveObjectEvent) {
            let text =
                switch event {
                case .initial: "initial"
                case .resumed: "resumed"
                case .deleted: "deleted"
                case .failed(let error): "failed \((error as? StoreError)?.code.rawValue ?? "?")"
                case .update(let change): change.properties.map(show).joined(separator: ", ")
                }
            state.withLock { $0.append(text) }
        }

        private func show(_ property: LivePropertyChange) -> String {
            let name = objectClass?[property.id]?.name ?? "?"
            if property.oldValue == nil, property.newValue == nil { return name }
            return "\(name) \(show(property.oldValue))->\(show(property.newValue))"
        }

        private func show(_ value: Value?) -> String {
            switch value {
            case nil: "nothing"
            case .null: "null"
            case .int(let value): "\(value)"
            case .string(let value): value
            case .link(let key): "#\(key.rawValue)"
            case .list(let values): "\(values.count) values"
            case .reference(let object): "#\(object.classID.rawValue).\(object.key.rawValue)"
            default: "?"
            }
        }
    }

    private struct Fixture {
        let world: KeyPathTests.ZooFixture
        let live: LiveQueries

        init() throws {
            world = try KeyPathTests.ZooFixture()
            live = try LiveQueries(world.store)
        }

        func observe(
            _ paths: [String] = [], _ classID: ClassID = KeyPathTests.zoo, _ key: ObjectKey? = nil,
            since version: Version? = nil
        ) throws -> (Listener, LiveToken) {
            let listener = Listener(classID)
            let token = live.observeObject(
                classID, key ?? world.zoo,
                keyPaths: try paths.map { try LiveKeyPath($0, in: classID, of: KeyPathTests.schema) }, since: version,
                deliver: listener.receive)
            live.settle()
            return (listener, token)
        }

        func change(_ changes: KeyPathTests.Change...) throws {
            for change in changes { _ = try world.step(change) }
            live.settle()
        }
    }

    @Test("collections and linking objects are reported without values, everything else with both")
    func values() throws {
        let fixture = try Fixture()
        let (zoo, first) = try fixture.observe()
        let (lion, second) = try fixture.observe(["homes", "legs"], KeyPathTests.animal, fixture.world.lion)
        #expect(zoo.take() == ["initial"] && lion.take() == ["initial"])
        try fixture.change(.birds)
        #expect(zoo.take() == ["birds"] && lion.take() == ["homes"])
        try fixture.change(.any)
        #expect(zoo.take() == ["any 1 values->#3.0"])
        try fixture.change(.lion)
        #expect(zoo.take() == ["lion #1->#1"])
        // The embedded object is another one, and the old one is deleted.
        try fixture.change(.newGate)
        #expect(zoo.take() == ["gate #0->#1"])
        try fixture.change(.gateWidth, .lionName)
        #expect(zoo.take() == [] && lion.take() == [])
        first.cancel()
        second.cancel()
    }

    @Test("deep key paths are reported as the first property of each, in declaration order, linking objects last")
    func firstComponents() throws {
        let fixture = try Fixture()
        let (zoo, first) = try fixture.observe(["stars.name", "any.pet.name", "lion.name", "birds.legs", "gate.width"])
        let (lion, second) = try fixture.observe(
            ["homes.name", "*"], KeyPathTests.animal, fixture.world.lion)
        #expect(zoo.take() == ["initial"] && lion.take() == ["initial"])
        try fixture.change(.lionName)
        #expect(zoo.take() == ["lion #1->#1"] && lion.take() == ["name lion->new"])
        try fixture.change(.starName)
        try fixture.change(.petName)
        try fixture.change(.birdName)
        try fixture.change(.gateWidth)
        #expect(zoo.take() == ["stars", "any 1 values->1 values", "gate #0->#0"])
        try fixture.change(.birds)
        try fixture.change(.name)
        #expect(zoo.take() == ["birds"] && lion.take() == ["homes", "homes"])
        first.cancel()
        second.cancel()
    }

    @Test("an embedded object is observed like any other, and reported as deleted when its owner replaces it")
    func embedded() throws {
        let fixture = try Fixture()
        let (gate, token) = try fixture.observe([], KeyPathTests.gate, ObjectKey(0))
        try fixture.change(.gateWidth)
        try fixture.change(.newGate)
        try fixture.change(.gateWidth)
        #expect(gate.take() == ["initial", "width 3->9", "deleted"])
        token.cancel()
    }

    @Test("an observer of an earlier version gets everything that it missed at once, with the values of that version")
    func resumes() throws {
        let fixture = try Fixture()
        let version = try fixture.world.store.snapshot().version
        let (now, first) = try fixture.observe(since: version)
        #expect(now.take() == ["resumed"])
        try fixture.change(.lion, .name, .birds, .name, .any, .lionName, .petName)
        let (plain, second) = try fixture.observe(since: version)
        #expect(plain.take() == ["resumed", "name Zoo->new, lion #1->#1, birds, any 1 values->#3.0"])
        let (deep, third) = try fixture.observe(["lion.name", "any.pet.name"], since: version)
        #expect(deep.take() == ["resumed", "lion #1->#1, any 1 values->#3.0"])
        let (homes, fourth) = try fixture.observe(["homes"], KeyPathTests.animal, fixture.world.lion, since: version)
        #expect(homes.take() == ["resumed", "homes"])
        let (untouched, fifth) = try fixture.observe(["fish.name"], since: version)
        #expect(untouched.take() == ["resumed"])
        // From then on like all others.
        try fixture.change(.name)
        #expect(plain.take() == ["name new->new"] && untouched.take() == [])
        for token in [first, second, third, fourth, fifth] { token.cancel() }
    }

    @Test("an observer that resumes is notified of a deletion only if it knew the object")
    func resumesAfterDeletion() throws {
        let fixture = try Fixture()
        let before = try fixture.world.store.snapshot().version
        try fixture.change(.newGate)
        let after = try fixture.world.store.snapshot().version
        let (old, first) = try fixture.observe([], KeyPathTests.gate, ObjectKey(0), since: before)
        #expect(old.take() == ["deleted"])
        let (tooLate, second) = try fixture.observe([], KeyPathTests.gate, ObjectKey(0), since: after)
        #expect(tooLate.take() == ["failed object.not_found"])
        // The new gate did not exist.
        let (new, third) = try fixture.observe([], KeyPathTests.gate, ObjectKey(1), since: before)
        #expect(new.take() == ["initial"])
        let (future, fourth) = try fixture.observe(since: Version(99))
        #expect(future.take() == ["initial"])
        #expect(fixture.live.resultCount == 2)
        for token in [first, second, third, fourth] { token.cancel() }
    }

    @Test("a change affects only those of many observed objects that have it on their paths")
    func oneOfMany() throws {
        let store = try ModelStore(KeyPathTests.schema)
        let name = try KeyPathTests.property("name", KeyPathTests.animal)
        let mother = try KeyPathTests.property("mother", KeyPathTests.animal)
        let count = 2_000
        try store.write { transaction in
            for number in 0..<Int64(count) {
                _ = try transaction.create(KeyPathTests.animal, [name: .string("mother")])
                _ = try transaction.create(KeyPathTests.animal, [mother: .link(ObjectKey(2 * number))])
            }
        }
        let before = try store.snapshot()
        var dependencyIndex = DependencyIndex()
        let live = try LiveKeyPath("mother.name", in: KeyPathTests.animal, of: KeyPathTests.schema)
        for number in 0..<Int64(count) {
            let reference = ObjectReference(KeyPathTests.animal, ObjectKey(2 * number + 1))
            let object = try ObservedObject(reference, before, isResumed: false)
            try object.add(
                Subscriber { _ in }, LiveInterest(number % 2 == 0 ? [live] : []), before, since: nil)
            dependencyIndex.set(object.watches, for: Int(2 * number + 1))
        }
        func affected(_ key: Int64) throws -> Set<Int> {
            let before = try store.snapshot()
            try store.write { try $0.set(KeyPathTests.animal, ObjectKey(key), [name: .string("new")]) }
            let changes = try #require(try store.changes(after: before.version)?.first)
            return dependencyIndex.affected(by: VersionDelta(changes, from: before, to: try store.snapshot()))
        }
        #expect(try affected(5) == [5])
        // The mother of a deeply observed object, and one whose child is observed without key paths.
        #expect(try affected(8) == [9])
        #expect(try affected(6) == [])
    }
}
