package import ViewMaintenance
package import LiveQueries
package import ObjectModel
package import QueryLanguage
package import StoreContract
package import StoreTesting

/// A store of tasks with chains of links, as in the worked examples.
package struct TaskStore {
    package let store: ModelStore
    package let live: LiveQueries

    package static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Task", primaryKey: "id",
                properties: [
                    PropertySchema("id", PropertyType(.int)),
                    PropertySchema("score", PropertyType(.int)),
                    PropertySchema("title", PropertyType(.string)),
                    PropertySchema("owner", PropertyType(.link("Person"), isOptional: true)),
                ]),
            ClassSchema(
                "Person",
                properties: [
                    PropertySchema("name", PropertyType(.string)),
                    PropertySchema("age", PropertyType(.int)),
                    PropertySchema("boss", PropertyType(.link("Person"), isOptional: true)),
                    PropertySchema("tasks", PropertyType(.linkingObjects(fromClass: "Task", property: "owner"))),
                ]),
        ])

    package static let task = ClassID(1)
    package static let id = PropertyID(1)
    package static let score = PropertyID(2)
    package static let title = PropertyID(3)
    package static let owner = PropertyID(4)
    package static let person = ClassID(2)
    package static let name = PropertyID(1)
    package static let age = PropertyID(2)
    package static let boss = PropertyID(3)

    package init() throws {
        store = try ModelStore(Self.schema)
        live = try LiveQueries(store)
    }

    /// Commits and waits until the observers are notified.
    @discardableResult
    package func write<R: Sendable>(_ work: @escaping @Sendable (any WriteTransaction) throws -> R) throws -> R {
        let result = try store.write(work)
        live.settle()
        return result
    }

    package static func path(_ property: PropertyID, _ base: BaseType) -> BoundPath {
        BoundPath(end: .property(property, PropertyType(base)))
    }

    package static func keyPath(_ text: String, in classID: ClassID = task) throws -> LiveKeyPath {
        try LiveKeyPath(text, in: classID, of: schema)
    }

    package func observe(_ query: BoundQuery, keyPaths: [String] = []) throws -> (Recorder, LiveToken) {
        let recorder = Recorder()
        let paths = try keyPaths.map { try Self.keyPath($0, in: query.classID) }
        let token = live.observe(query, keyPaths: paths, deliver: recorder.receive)
        live.settle()
        return (recorder, token)
    }
}

extension WriteTransaction {
    @discardableResult
    package func task(_ id: Int64, _ score: Int64, _ title: String = "") throws -> ObjectKey {
        try create(
            TaskStore.task,
            [TaskStore.id: .int(id), TaskStore.score: .int(score), TaskStore.title: .string(title)])
    }

    @discardableResult
    package func person(_ name: String, boss: ObjectKey? = nil) throws -> ObjectKey {
        try create(
            TaskStore.person,
            [TaskStore.name: .string(name), TaskStore.boss: boss.map { .link($0) } ?? .null])
    }

    package func key(_ id: Int64) throws -> ObjectKey {
        guard let key = try key(of: TaskStore.task, primaryKey: .int(id)) else {
            throw StoreError(.notFound, "There is no task \(id).")
        }
        return key
    }

    package func setScore(_ id: Int64, _ score: Int64) throws {
        try set(TaskStore.task, try key(id), [TaskStore.score: .int(score)])
    }

    package func setTitle(_ id: Int64, _ title: String) throws {
        try set(TaskStore.task, try key(id), [TaskStore.title: .string(title)])
    }

    package func deleteTask(_ id: Int64) throws { try delete(TaskStore.task, try key(id)) }
}
