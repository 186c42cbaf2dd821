import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract
import StoreTesting
import Testing

/// The definition of modifications.
struct ModificationTests {
    /// A task whose owner is the first of five people, each the next one's subordinate: the task reaches p0 over one
    /// link and p4 over five.
    private struct Chain {
        let tasks: TaskStore
        let task: ObjectKey
        let people: [ObjectKey]

        init() throws {
            tasks = try TaskStore()
            (task, people) = try tasks.write { transaction in
                var people: [ObjectKey] = []
                for index in (0..<5).reversed() {
                    people.insert(try transaction.person("p\(index)", boss: people.first), at: 0)
                }
                let task = try transaction.task(1, 10)
                try transaction.set(TaskStore.task, task, [TaskStore.owner: .link(people[0])])
                return (task, people)
            }
        }

        func rename(_ person: Int) throws {
            let key = people[person]
            try tasks.write { try $0.set(TaskStore.person, key, [TaskStore.name: .string("new")]) }
        }
    }

    @Test("without key paths, a change up to three links away modifies an element", arguments: 0..<5)
    func defaultDepth(_ person: Int) throws {
        let chain = try Chain()
        let (recorder, token) = try chain.tasks.observe(BoundQuery(classID: TaskStore.task))
        try chain.rename(person)
        #expect(recorder.changes.map(\.modifications) == (person < 3 ? [[0]] : []))
        token.cancel()
    }

    @Test("objects that are created without links to them modify nothing")
    func unlinked() throws {
        let chain = try Chain()
        let (recorder, token) = try chain.tasks.observe(BoundQuery(classID: TaskStore.task))
        try chain.tasks.write { try $0.person("stranger") }
        #expect(recorder.changes == [])
        token.cancel()
    }

    @Test("a link that a deletion made null modifies its holder and the objects that reach it")
    func nullified() throws {
        let chain = try Chain()
        let (recorder, token) = try chain.tasks.observe(BoundQuery(classID: TaskStore.task))
        let third = chain.people[2]
        try chain.tasks.write { try $0.delete(TaskStore.person, third) }
        #expect(recorder.changes.map(\.modifications) == [[0]])
        token.cancel()
    }

    @Test("following a link cycle ends, and a change modifies everything on it")
    func cycle() throws {
        let tasks = try TaskStore()
        let (a, b) = try tasks.write { transaction in
            let a = try transaction.person("a")
            let b = try transaction.person("b", boss: a)
            try transaction.set(TaskStore.person, a, [TaskStore.boss: .link(b)])
            return (a, b)
        }
        let (recorder, token) = try tasks.observe(BoundQuery(classID: TaskStore.person))
        try tasks.write { try $0.set(TaskStore.person, b, [TaskStore.name: .string("x")]) }
        #expect(recorder.changes.map(\.modifications) == [[0, 1]])
        #expect(a < b)
        token.cancel()
    }

    struct Filtered: Sendable, CustomTestStringConvertible {
        let paths: [String]
        let change: Change
        let modifies: Bool
        var testDescription: String { "\(paths) \(change) \(modifies)" }

        init(_ paths: [String], _ change: Change, _ modifies: Bool) {
            self.paths = paths
            self.change = change
            self.modifies = modifies
        }
    }

    enum Change: Sendable {
        case title, score, ownerLink, ownerDeleted, ownerName, ownerAge, bossName, farBossName
    }

    @Test(
        "key paths narrow what modifies an element to what they name",
        arguments: [
            Filtered(["title"], .title, true), Filtered(["title"], .score, false),
            Filtered(["title", "score"], .score, true), Filtered(["title"], .ownerName, false),
            Filtered(["owner"], .ownerLink, true), Filtered(["owner"], .ownerDeleted, true),
            Filtered(["owner"], .ownerName, false), Filtered(["owner.name"], .ownerName, true),
            Filtered(["owner.name"], .ownerAge, false), Filtered(["owner.name"], .ownerLink, true),
            Filtered(["owner.name"], .ownerDeleted, true), Filtered(["owner.boss"], .bossName, false),
            Filtered(["owner.boss.name"], .bossName, true),
            Filtered(["owner.boss.boss.boss.boss.name"], .farBossName, true), Filtered([], .farBossName, false),
        ])
    func keyPaths(_ example: Filtered) throws {
        let chain = try Chain()
        let (recorder, token) = try chain.tasks.observe(
            BoundQuery(classID: TaskStore.task), keyPaths: example.paths)
        let task = chain.task
        let people = chain.people
        try chain.tasks.write { transaction in
            func set(_ person: Int, _ property: PropertyID, _ value: Value) throws {
                try transaction.set(TaskStore.person, people[person], [property: value])
            }
            switch example.change {
            case .title: try transaction.setTitle(1, "x")
            case .score: try transaction.setScore(1, 11)
            case .ownerLink: try transaction.set(TaskStore.task, task, [TaskStore.owner: .link(people[3])])
            case .ownerDeleted: try transaction.delete(TaskStore.person, people[0])
            case .ownerName: try set(0, TaskStore.name, .string("x"))
            case .ownerAge: try set(0, TaskStore.age, .int(5))
            case .bossName: try set(1, TaskStore.name, .string("x"))
            case .farBossName: try set(4, TaskStore.name, .string("x"))
            }
        }
        #expect(recorder.changes.map(\.modifications) == (example.modifies ? [[0]] : []))
        token.cancel()
    }

    @Test("insertions and deletions are reported whatever the key paths")
    func membershipIgnoresFilters() throws {
        let tasks = try TaskStore()
        let (recorder, token) = try tasks.observe(BoundQuery(classID: TaskStore.task), keyPaths: ["title"])
        try tasks.write { try $0.task(1, 1) }
        try tasks.write { try $0.deleteTask(1) }
        #expect(recorder.changes == [IndexChanges(insertions: [0]), IndexChanges(deletions: [0])])
        token.cancel()
    }

    /// With 20 people the filter works backwards from the changes, with 2 forwards from the elements.
    @Test("a path through linking objects reports changes, and when one starts or stops linking", arguments: [2, 20])
    func backlinkPaths(_ count: Int) throws {
        let tasks = try TaskStore()
        let (people, task) = try tasks.write { transaction in
            (try (0..<count).map { try transaction.person("p\($0)") }, try transaction.task(1, 10))
        }
        let query = BoundQuery(classID: TaskStore.person)
        let (links, first) = try tasks.observe(query, keyPaths: ["tasks"])
        let (titles, second) = try tasks.observe(query, keyPaths: ["tasks.title"])
        func expect(_ modifiedLinks: [[Int]], _ modifiedTitles: [[Int]], _ what: String) {
            #expect(links.takeChanges().map(\.modifications) == modifiedLinks, "tasks when \(what)")
            #expect(titles.takeChanges().map(\.modifications) == modifiedTitles, "tasks.title when \(what)")
        }
        func assign(_ owner: Value) throws {
            try tasks.write { try $0.set(TaskStore.task, task, [TaskStore.owner: owner]) }
        }
        try assign(.link(people[0]))
        expect([[0]], [[0]], "a task starts linking")
        try tasks.write { try $0.setTitle(1, "x") }
        expect([], [[0]], "a title changes")
        try tasks.write { try $0.setScore(1, 3) }
        expect([], [], "a score changes")
        try assign(.link(people[1]))
        expect([[0, 1]], [[0, 1]], "a task goes from one to another")
        try assign(.null)
        expect([[1]], [[1]], "a task stops linking")
        let other = try tasks.write { transaction in
            let key = try transaction.task(2, 20)
            try transaction.set(TaskStore.task, key, [TaskStore.owner: .link(people[1])])
            return key
        }
        expect([[1]], [[1]], "a new task links")
        try tasks.write { try $0.delete(TaskStore.task, other) }
        expect([[1]], [[1]], "a linking task is deleted")
        // A person who joined later is compared with their state at that time.
        let late = try tasks.write { try $0.person("late") }
        try tasks.write { try $0.set(TaskStore.task, task, [TaskStore.owner: .link(late)]) }
        #expect(
            links.takeChanges() == [
                IndexChanges(insertions: [count]), IndexChanges(modifications: [count], modificationsNew: [count]),
            ])
        first.cancel()
        second.cancel()
    }

    @Test("an element that joined through a class off the key path is compared with its state at that time")
    func joinedFromAfar() throws {
        let schema = Schema(
            version: 1,
            classes: [
                ClassSchema("City", properties: [PropertySchema("name", PropertyType(.string))]),
                ClassSchema(
                    "Person",
                    properties: [
                        PropertySchema("city", PropertyType(.link("City"), isOptional: true)),
                        PropertySchema("pets", PropertyType(.linkingObjects(fromClass: "Pet", property: "owner"))),
                    ]),
                ClassSchema(
                    "Pet", properties: [PropertySchema("owner", PropertyType(.link("Person"), isOptional: true))]),
            ])
        let (city, person, pet) = (ClassID(1), ClassID(2), ClassID(3))
        let first = PropertyID(1)
        let store = try ModelStore(schema)
        let live = try LiveQueries(store)
        try store.write { transaction in
            let home = try transaction.create(city, [first: .string("Bonn")])
            _ = try transaction.create(person, [first: .link(home)])
            _ = try transaction.create(pet, [first: .null])
        }
        let cityName = BoundPath(
            links: [.forward(first, target: city)], end: .property(first, PropertyType(.string)))
        let query = BoundQuery(
            classID: person,
            predicate: .comparison(BoundComparison(.path(cityName), .equal, .constant(.string("Köln")))))
        let recorder = Recorder()
        let token = live.observe(
            query, keyPaths: [try LiveKeyPath("pets", in: person, of: schema)], deliver: recorder.receive)
        live.settle()
        try store.write { try $0.set(city, ObjectKey(0), [first: .string("Köln")]) }
        live.settle()
        try store.write { try $0.set(pet, ObjectKey(0), [first: .link(ObjectKey(0))]) }
        live.settle()
        #expect(
            recorder.changes == [
                IndexChanges(insertions: [0]), IndexChanges(modifications: [0], modificationsNew: [0]),
            ])
        token.cancel()
    }

    @Test("key paths with other filters on the same query are distinguished, and equal queries share one result")
    func audiences() throws {
        let tasks = try TaskStore()
        try tasks.write { try $0.task(1, 10) }
        let query = BoundQuery(classID: TaskStore.task)
        let (all, a) = try tasks.observe(query)
        let (titles, b) = try tasks.observe(query, keyPaths: ["title"])
        let (scores, c) = try tasks.observe(query, keyPaths: ["score"])
        #expect(tasks.live.resultCount == 1)
        try tasks.write { try $0.setTitle(1, "x") }
        #expect([all, titles, scores].map(\.changes.count) == [1, 1, 0])
        for token in [a, b, c] { token.cancel() }
        tasks.live.settle()
        #expect(tasks.live.resultCount == 0)
    }

    @Test("a key path that does not exist is rejected with the nearest name")
    func unknownKeyPaths() throws {
        func error(_ text: String) -> StoreError? {
            do throws(StoreError) {
                _ = try LiveKeyPath(text, in: TaskStore.task, of: TaskStore.schema)
                return nil
            } catch {
                return error
            }
        }
        #expect(error("titel")?.hint == "title")
        #expect(error("titel")?.code == .unknownProperty)
        #expect(error("owner.nme")?.hint == "name")
        #expect(error("title.name")?.code == .unknownProperty)
        #expect(error("")?.code == .unknownProperty)
        #expect(error("owner.")?.code == .unknownProperty)
        #expect(error("owner.tasks.owner.boss") == nil)
        #expect(throws: StoreError.self) { try LiveKeyPath("x", in: ClassID(9), of: TaskStore.schema) }
    }
}
