import LiveQueries
import LiveTesting
import ObjectModel
import StoreContract
import StoreTesting
import Synchronization
import Testing

/// Observing one object; the examples 50 to 56 of the series.
struct ObservedObjectTests {
    /// Keeps the events of an object's observer, as text.
    private final class ObjectRecorder: Sendable {
        private let state = Mutex<[String]>([])

        var events: [String] { state.withLock { $0 } }

        @Sendable func receive(_ event: LiveObjectEvent) {
            let text =
                switch event {
                case .initial, .resumed: "initial"
                case .deleted: "deleted"
                case .failed(let error): "failed \((error as? StoreError)?.code.rawValue ?? "?")"
                case .update(let change):
                    change.properties.map { "\($0.id.rawValue): \(show($0.oldValue)) -> \(show($0.newValue))" }
                        .joined(separator: ", ")
                }
            state.withLock { $0.append(text) }
        }

        private func show(_ value: Value?) -> String {
            switch value {
            case nil: "nothing"
            case .null: "null"
            case .int(let value): "\(value)"
            case .string(let value): value
            case .link(let key): "#\(key.rawValue)"
            default: "?"
            }
        }
    }

    private struct Fixture {
        let tasks: TaskStore
        let li: ObjectKey
        let boss: ObjectKey

        init() throws {
            tasks = try TaskStore()
            (boss, li) = try tasks.write { transaction in
                let boss = try transaction.person("q")
                let li = try transaction.person("Li", boss: boss)
                try transaction.set(TaskStore.person, li, [TaskStore.age: .int(3)])
                return (boss, li)
            }
        }

        func observe(_ key: ObjectKey, _ paths: [String] = []) throws -> (ObjectRecorder, LiveToken) {
            let recorder = ObjectRecorder()
            let token = tasks.live.observeObject(
                TaskStore.person, key, keyPaths: try paths.map { try TaskStore.keyPath($0, in: TaskStore.person) },
                deliver: recorder.receive)
            tasks.live.settle()
            return (recorder, token)
        }

        func set(_ key: ObjectKey, _ values: [PropertyID: Value]) throws {
            try tasks.write { try $0.set(TaskStore.person, key, values) }
        }
    }

    @Test("assigned properties are reported in declaration order with old and new values (50, 51)")
    func changes() throws {
        let fixture = try Fixture()
        let (recorder, token) = try fixture.observe(fixture.li)
        try fixture.set(fixture.li, [TaskStore.age: .int(4), TaskStore.name: .string("Lu")])
        try fixture.set(fixture.li, [TaskStore.age: .int(4)])
        try fixture.set(fixture.li, [TaskStore.boss: .null])
        #expect(recorder.events == ["initial", "1: Li -> Lu, 2: 3 -> 4", "2: 4 -> 4", "3: #0 -> null"])
        token.cancel()
    }

    @Test("a linked object's change is reported only with a key path that leads there (52, 53)")
    func linkedChanges() throws {
        let fixture = try Fixture()
        let (shallow, a) = try fixture.observe(fixture.li)
        let (deep, b) = try fixture.observe(fixture.li, ["boss.name"])
        try fixture.set(fixture.boss, [TaskStore.age: .int(50)])
        try fixture.set(fixture.boss, [TaskStore.name: .string("Q")])
        #expect(shallow.events == ["initial"])
        #expect(deep.events == ["initial", "3: #0 -> #0"])
        a.cancel()
        b.cancel()
    }

    @Test("linking objects are reported without values, after the stored properties (54, 56)")
    func linkingObjects() throws {
        let fixture = try Fixture()
        let (recorder, token) = try fixture.observe(fixture.li, ["tasks", "name"])
        let (titles, other) = try fixture.observe(fixture.li, ["tasks.title"])
        let li = fixture.li
        try fixture.tasks.write { transaction in
            let task = try transaction.task(1, 1)
            try transaction.set(TaskStore.task, task, [TaskStore.owner: .link(li)])
            try transaction.set(TaskStore.person, li, [TaskStore.name: .string("Lo")])
        }
        try fixture.tasks.write { try $0.setTitle(1, "t") }
        #expect(recorder.events == ["initial", "1: Li -> Lo, 4: nothing -> nothing"])
        #expect(titles.events == ["initial", "4: nothing -> nothing", "4: nothing -> nothing"])
        token.cancel()
        other.cancel()
    }

    @Test("a deletion is reported once, without other changes of its version, and nothing after it (55)")
    func deletion() throws {
        let fixture = try Fixture()
        let (recorder, token) = try fixture.observe(fixture.li)
        let (filtered, other) = try fixture.observe(fixture.li, ["boss.name"])
        let li = fixture.li
        try fixture.tasks.write { transaction in
            try transaction.set(TaskStore.person, li, [TaskStore.age: .int(5)])
            try transaction.delete(TaskStore.person, li)
        }
        try fixture.tasks.write { try $0.person("Li again") }
        #expect(recorder.events == ["initial", "deleted"])
        #expect(filtered.events == ["initial", "deleted"])
        token.cancel()
        other.cancel()
    }

    @Test("several versions are reported as one, with the values of the previous event")
    func merged() throws {
        let fixture = try Fixture()
        let (recorder, token) = try fixture.observe(fixture.li)
        let li = fixture.li
        try fixture.tasks.withWorkerBusy {
            for age in 4...6 {
                try fixture.tasks.store.write {
                    try $0.set(TaskStore.person, li, [TaskStore.age: .int(Int64(age))])
                }
            }
            try fixture.tasks.store.write { try $0.set(TaskStore.person, li, [TaskStore.name: .string("Lu")]) }
        }
        #expect(recorder.events == ["initial", "1: Li -> Lu, 2: 3 -> 6"])
        token.cancel()
    }

    @Test("observing a missing object, or a missing class, fails at once")
    func missing() throws {
        let fixture = try Fixture()
        let (recorder, token) = try fixture.observe(ObjectKey(99))
        #expect(recorder.events == ["failed object.not_found"])
        let other = ObjectRecorder()
        let second = fixture.tasks.live.observeObject(ClassID(99), ObjectKey(0), deliver: other.receive)
        fixture.tasks.live.settle()
        #expect(other.events == ["failed object.unknown_class"])
        token.cancel()
        second.cancel()
    }

    @Test("after a new schema, values of new properties are reported and an observer of a removed class fails")
    func schemaChange() throws {
        let fixture = try Fixture()
        let (recorder, token) = try fixture.observe(fixture.boss)
        let (deep, other) = try fixture.observe(fixture.boss, ["tasks.title"])
        var classes = TaskStore.schema.classes
        classes[1].properties.append(PropertySchema("note", PropertyType(.string, isOptional: true)))
        classes[1].properties.removeAll { $0.name == "tasks" }
        try fixture.tasks.store.replaceSchema(with: Schema(version: 2, classes: classes))
        fixture.tasks.live.settle()
        let note = try #require(try fixture.tasks.store.snapshot().schema[TaskStore.person]?["note"])
        try fixture.set(fixture.boss, [note.id: .string("n")])
        #expect(recorder.events == ["initial", "\(note.id.rawValue): null -> n"])
        #expect(deep.events == ["initial", "failed object.unknown_property"])
        classes.remove(at: 1)
        classes[0].properties.removeAll { $0.name == "owner" }
        try fixture.tasks.store.replaceSchema(with: Schema(version: 3, classes: classes))
        fixture.tasks.live.settle()
        #expect(recorder.events.last == "failed object.unknown_class")
        token.cancel()
        other.cancel()
    }
}
