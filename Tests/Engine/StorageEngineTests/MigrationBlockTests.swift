import EmbeddedTesting
import EmbeddedStore
import ObjectModel
import QueryLanguage
import StoreContract
import Synchronization
import Testing

@Suite("Migrations: the block")
struct MigrationBlockTests {
    @Test("old and new objects side by side, in the old order; old values stay readable while new ones are written")
    func enumeration() throws {
        let store = try MigrationStore(schema(1, "P: first string, last string, age int"))
        for number in 0..<140 {
            try store.create(
                "P", ["first": .string("f\(number)"), "last": .string("l\(number)"), "age": .int(Int64(number))])
        }
        try store.store.write { transaction in
            guard let person = transaction.schema["P"] else { return }
            for key in [3, 70, 139] { try transaction.delete(person.id, ObjectKey(Int64(key))) }
        }
        let visited = Mutex<[Int64]>([])
        try store.migrate(to: schema(2, "P: name string, age string")) { migration in
            try migration.enumerateObjects(of: "P") { old, new in
                let old = try #require(old)
                let new = try #require(new)
                visited.withLock { $0.append(old.key.rawValue) }
                #expect(old.key == new.key)
                #expect(try new.value("name") == .string(""))
                guard case .string(let first) = try old.value("first"), case .string(let last) = try old.value("last"),
                    case .int(let age) = try old.value("age")
                else { throw StoreError(.invalidValue, "type") }
                try new.set("name", .string(first + " " + last))
                try new.set("age", .string(String(age)))
                #expect(try old.value("first") == .string(first))
                #expect(try old.value("age") == .int(age))
            }
        }
        let expected = (Int64(0)..<140).filter { ![3, 70, 139].contains($0) }
        #expect(visited.withLock { $0 } == expected)
        #expect(try store.values("P", "name") == expected.map { .string("f\($0) l\($0)") })
        #expect(try store.values("P", "age") == expected.map { .string("\($0)") })
    }

    @Test("objects created in the block are not visited, deleted ones are skipped, classes may be removed or new")
    func visits() throws {
        let store = try MigrationStore(schema(1, "A: x int", "Gone: x int"))
        for _ in 0..<4 { try store.create("A") }
        try store.create("Gone", ["x": .int(7)])
        let visits = Mutex<[String]>([])
        try store.migrate(to: schema(2, "A: x int", "New: x int")) { migration in
            let a = try #require(migration.schema["A"])
            let new = try #require(migration.schema["New"])
            #expect(throws: StoreError.self) { try migration.create(new.id, row: []) }
            try migration.enumerateObjects(of: "New") { _, _ in visits.withLock { $0.append("early") } }
            try migration.enumerateObjects(of: "A") { old, object in
                visits.withLock { $0.append("A\(old?.key.rawValue ?? -1)") }
                _ = try migration.create(a.id, [:])
                if old?.key == ObjectKey(1) { try migration.delete(a.id, ObjectKey(2)) }
                _ = object
            }
            try migration.enumerateObjects(of: "Gone") { old, object in
                #expect(object == nil)
                let value = try #require(old).value("x")
                visits.withLock { $0.append("Gone \(value)") }
                _ = try migration.create(new.id, [new.properties[0].id: value])
            }
            try migration.enumerateObjects(of: "New") { old, object in
                #expect(old == nil)
                let value = try #require(object).value("x")
                visits.withLock { $0.append("New \(value)") }
            }
            try migration.enumerateObjects(of: "Nothing") { _, _ in visits.withLock { $0.append("nothing") } }
            #expect(throws: StoreError.self) { try migration.exists(ClassID(2), ObjectKey(0)) }
            #expect(migration.count(of: ClassID(2)) == 0)
        }
        #expect(visits.withLock { $0 } == ["A0", "A1", "A3", "Gone int(7)", "New int(7)"])
        #expect(try store.keys("A").count == 6)
        #expect(try store.values("New", "x") == [.int(7)])
    }

    // MARK: Primary keys

    @Test(
        "primary keys may be assigned and be duplicates until the end", arguments: ["int", "string", "int?", "uuid"])
    func keys(type: String) throws {
        @Sendable func value(_ number: Int) -> Value {
            switch type {
            case "string": .string(String(repeating: "k", count: 500) + "\(number)")
            case "uuid": .uuid(UUIDValue(high: 1, low: UInt64(number)))
            default: .int(Int64(number))
            }
        }
        let store = try MigrationStore(schema(1, "C: id! \(type), n int"))
        for number in 0..<100 { try store.create("C", ["id": value(number), "n": .int(Int64(number))]) }
        try store.migrate(to: schema(2, "C: id! \(type), n int")) { migration in
            let objectClass = try #require(migration.schema["C"])
            let id = objectClass.properties[0].id
            // All but the first move down by one: each key is a duplicate for a moment.
            for number in 1..<100 {
                try migration.set(objectClass.id, ObjectKey(Int64(number)), [id: value(number - 1)])
            }
            #expect(try migration.key(of: objectClass.id, primaryKey: value(99)) == nil)
            #expect(try migration.key(of: objectClass.id, primaryKey: value(98)) == ObjectKey(99))
            let made = try migration.create(objectClass.id, row: [value(50), .int(0)])
            try migration.delete(objectClass.id, ObjectKey(0))
            try migration.set(objectClass.id, made, [id: value(1000)])
        }
        #expect(try store.key("C", value(0)) == ObjectKey(1))
        #expect(try store.key("C", value(1000)) == ObjectKey(100))
        #expect(try store.key("C", value(99)) == nil)
        let error = try store.refusal(of: schema(3, "C: id! \(type), n int")) { migration in
            let objectClass = try #require(migration.schema["C"])
            try migration.set(objectClass.id, ObjectKey(5), [objectClass.properties[0].id: value(1000)])
        }
        #expect(error.code == .migrationFailed)
        #expect(error.message.contains("Primary key property 'C.id' has duplicate values after migration."))
        // The index is intact: an object can still be created, and no duplicate.
        let failure = code { try store.create("C", ["id": value(1000)]) }
        #expect(failure == .duplicateKey)
    }

    @Test("a primary key is added, moved, retyped and removed, and must be unique then")
    func keyChanges() throws {
        let store = try MigrationStore(schema(1, "C: a int, b string"))
        for number in 0..<80 { try store.create("C", ["a": .int(Int64(number)), "b": .string("b\(number / 2)")]) }
        try store.migrate(to: schema(2, "C: a! int, b string"))
        #expect(try store.key("C", .int(40)) == ObjectKey(40))
        let moved = try store.refusal(of: schema(3, "C: a int, b! string"))
        #expect(moved.message.contains("Primary key property 'C.b' has duplicate values after migration."))
        #expect(moved.property == "b")
        let retyped = try store.refusal(of: schema(3, "C: a! string, b string"))
        #expect(retyped.message.contains("'C.a' has duplicate values"))
        try store.migrate(
            to: schema(3, "C: a! string, b string"), .convert(class: "C", from: "a", to: "a", fallback: nil))
        #expect(try store.key("C", .string("40")) == ObjectKey(40))
        try store.migrate(to: schema(4, "C: a string, b string"))
        #expect(try store.key("C", .string("40")) == nil)
        try store.migrate(to: schema(5, "C: n! int, a string")) { migration in
            try migration.enumerateObjects(of: "C") { old, new in
                guard let old, let new, case .string(let text) = try old.value("a") else { return }
                try new.set("n", .int(Int64(text) ?? 0))
            }
        }
        #expect(try store.key("C", .int(79)) == ObjectKey(79))
        let missing = try store.refusal(of: schema(6, "C: n! int, a string")) { migration in
            _ = try migration.create(try #require(migration.schema["C"]).id, [:])
        }
        #expect(missing.code == .missingValue)
    }

    // MARK: Renames and deletions

    @Test(
        "a rename in the block, of a property with links and an index whose linked object was deleted before")
    func renames() throws {
        let store = try MigrationStore(schema(1, "C: id! int, to D?, list D[], name string+", "D: x int"))
        for _ in 0..<70 { try store.create("D") }
        for number in 0..<70 {
            let link = Value.link(ObjectKey(Int64(number)))
            try store.create(
                "C",
                [
                    "id": .int(Int64(number)), "to": link, "list": .list([link, .link(ObjectKey(0)), link]),
                    "name": .string("n\(number)"),
                ])
        }
        try store.migrate(
            to: schema(2, "C: key! int, target D?, all D[], title string+", "D: x int, c linkingObjects(C.target)")
        ) {
            migration in
            let d = try #require(migration.schema["D"])
            try migration.delete(d.id, ObjectKey(0))
            try migration.renameProperty(of: "C", from: "to", to: "target")
            try migration.renameProperty(of: "C", from: "id", to: "intermediate")
            try migration.renameProperty(of: "C", from: "list", to: "all")
            try migration.renameProperty(of: "C", from: "intermediate", to: "key")
            try migration.renameProperty(of: "C", from: "name", to: "title")
            try migration.enumerateObjects(of: "C") { old, new in
                let (old, new) = (try #require(old), try #require(new))
                #expect(try new.value("title") == old.value("name"))
                #expect(try new.value("key") == old.value("id"))
            }
            try migration.delete(d.id, ObjectKey(1))
        }
        #expect(try store.value("C", 0, "target") == .null)
        #expect(try store.value("C", 1, "target") == .null)
        #expect(try store.value("C", 0, "all") == .list([]))
        #expect(try store.value("C", 2, "all") == .list([.link(ObjectKey(2)), .link(ObjectKey(2))]))
        #expect(try store.key("C", .int(69)) == ObjectKey(69))
        #expect(try store.backlinks(5, "C", "all") == [ObjectKey(5), ObjectKey(5)])
    }

    @Test("a property left with an intermediate name fails the migration")
    func unfinishedRename() throws {
        let store = try MigrationStore(schema(1, "C: a int"))
        let error = try store.refusal(of: schema(2, "C: title int")) {
            try $0.renameProperty(of: "C", from: "a", to: "titel")
        }
        #expect(error.message.contains("because the new schema has no property of that name"))
        #expect(error.hint == "title")
    }

    @Test("data of remaining, removed and unknown classes is deleted, with links and owned objects")
    func deletions() throws {
        let store = try MigrationStore(
            schema(1, "A: e E?, x mixed", "B: a A?, l A[]", "Gone: a A?, e E[]", "E*: n int"))
        let a = try store.create("A", ["e": .embedded([:])])
        try store.create("B", ["a": .link(a), "l": .list([.link(a)])])
        try store.create("Gone", ["a": .link(a), "e": .list([.embedded([:])])])
        try store.migrate(to: schema(2, "A: e E?, x mixed", "B: a A?, l A[]", "E*: n int", "New: x int")) { migration in
            #expect(try migration.deleteData(of: "A"))
            #expect(try migration.deleteData(of: "Gone"))
            #expect(try migration.deleteData(of: "New"))
            #expect(try !migration.deleteData(of: "Never"))
            #expect(migration.count(of: try #require(migration.schema["E"]).id) == 0)
            let b = try #require(migration.schema["B"])
            #expect(try migration.value(b.id, ObjectKey(0), b.properties[0].id) == .null)
        }
        #expect(try store.value("B", 0, "l") == .list([]))
        #expect(try store.keys("A").isEmpty)
        #expect(try store.keys("E").isEmpty)
    }

    // MARK: Embedded

    @Test("a class becomes embedded when each object is linked to once, by its future owner")
    func becomingEmbedded() throws {
        let store = try MigrationStore(schema(1, "P: home H?, all H[], x mixed", "H: street string"))
        for number in 0..<3 { try store.create("H", ["street": .string("s\(number)")]) }
        let classID = try #require(try store.store.snapshot().schema["H"]).id
        try store.create(
            "P", ["home": .link(ObjectKey(0)), "x": .reference(ObjectReference(classID, ObjectKey(1)))])
        try store.create("P", ["all": .list([.link(ObjectKey(1))])])
        let target = schema(2, "P: home H?, all H[], x mixed", "H*: street string")
        let unowned = try store.refusal(of: target)
        #expect(unowned.code == .migrationFailed)
        #expect(unowned.message.contains("nothing links to its object with object key 2"))
        let twice = try store.refusal(of: target) { migration in
            let person = try #require(migration.schema["P"])
            try migration.set(
                person.id, ObjectKey(0),
                [person.properties[1].id: .list([.link(ObjectKey(0)), .link(ObjectKey(2))])])
        }
        #expect(twice.message.contains("2 links lead to its object with object key 0"))
        try store.migrate(to: target) { migration in
            let person = try #require(migration.schema["P"])
            let home = try #require(migration.schema["H"])
            try migration.delete(home.id, ObjectKey(2))
            // It needs no owner until the end.
            let made = try migration.create(home.id, [home.properties[0].id: .string("new")])
            let owner = try migration.create(person.id, [:])
            try migration.set(person.id, owner, [person.properties[0].id: .link(made)])
        }
        #expect(try store.values("H", "street") == [.string("s0"), .string("s1"), .string("new")])
        #expect(try store.value("P", 0, "x") == .null)
        try store.store.write { transaction in
            guard let person = transaction.schema["P"] else { return }
            try transaction.delete(person.id, ObjectKey(1))
        }
        #expect(try store.values("H", "street") == [.string("s0"), .string("new")])
        // And back: not owned any more, so it outlives its owner.
        try store.migrate(to: schema(3, "P: home H?, x mixed", "H: street! string"))
        try store.store.write { transaction in
            guard let person = transaction.schema["P"] else { return }
            try transaction.delete(person.id, ObjectKey(0))
        }
        #expect(try store.values("H", "street") == [.string("s0"), .string("new")])
        #expect(try store.key("H", .string("new")) != nil)
    }

    @Test("embedded objects of a removed property are deleted, with theirs, unless a rename keeps it")
    func lostOwners() throws {
        let store = try MigrationStore(schema(1, "P: a E?, b E[], c E?{}", "E*: n int, f F?", "F*: n int"))
        let embedded = Value.embedded([PropertyID(2): .embedded([:])])
        for _ in 0..<3 {
            try store.create(
                "P",
                [
                    "a": embedded, "b": .list([embedded, embedded]),
                    "c": .dictionary(ValueMap([("x", embedded), ("y", .null)])),
                ])
        }
        try store.migrate(
            to: schema(2, "P: kept E[], c E?{}", "E*: n int, f F?", "F*: n int"),
            .rename(class: "P", from: "b", to: "kept"))
        #expect(try store.keys("E").count == 9)
        #expect(try store.keys("F").count == 9)
        try store.migrate(to: schema(3, "P: list E[]", "E*: n int, f F?", "F*: n int")) { migration in
            try migration.renameProperty(of: "P", from: "kept", to: "list")
        }
        #expect(try store.keys("E").count == 6)
        try store.migrate(to: schema(4, "P: list E[]", "E*: n int"))
        #expect(try store.keys("E").count == 6)
    }

    @Test("embedded objects are created, replaced and edited in the block as usual")
    func embeddedInBlock() throws {
        let store = try MigrationStore(schema(1, "P: street string", "Q: x int"))
        for number in 0..<3 { try store.create("P", ["street": .string("s\(number)")]) }
        try store.migrate(to: schema(2, "P: home H?, all H[]", "H*: street string")) { migration in
            let home = try #require(migration.schema["H"])
            #expect(throws: StoreError.self) { try migration.create(home.id, [:]) }
            try migration.enumerateObjects(of: "P") { old, new in
                let street = Value.embedded([home.properties[0].id: try #require(old).value("street")])
                try new?.set("home", street)
                try new?.set("home", street)
                try new?.set("all", .list([street]))
                let person = try #require(migration.schema["P"])
                try migration.edit(
                    person.id, try #require(new).key, person.properties[1].id, .append(street))
            }
        }
        #expect(try store.keys("H").count == 9)
    }

    // MARK: Failure

    @Test("whatever the block did, its error leaves the store unchanged, and the next write works")
    func failure() throws {
        let store = try MigrationStore(schema(1, "C: id! int, name string+, to C?, e E[]", "E*: n int", "Gone: x int"))
        for number in 0..<100 {
            try store.create(
                "C", ["id": .int(Int64(number)), "name": .string("n"), "e": .list([.embedded([:])])])
        }
        try store.create("Gone")
        struct Mine: Error {}
        let before = try dump(store.store)
        let heard = Mutex(0)
        store.store.onCommit { _ in heard.withLock { $0 += 1 } }
        #expect(throws: Mine.self) {
            try store.store.replaceSchema(
                with: schema(2, "C: id! string, name int, list int[], e E[]", "E*: n int", "New: x int"),
                migration: Migration(steps: [.convert(class: "C", from: "id", to: "id", fallback: nil)]) { migration in
                    let objectClass = try #require(migration.schema["C"])
                    for key in 0..<50 { try migration.delete(objectClass.id, ObjectKey(Int64(key))) }
                    try migration.deleteData(of: "Gone")
                    _ = try migration.create(objectClass.id, [objectClass.properties[0].id: .string("0")])
                    throw Mine()
                })
        }
        #expect(try dump(store.store) == before)
        #expect(heard.withLock { $0 } == 0)
        try store.create("C", ["id": .int(1000)])
        #expect(heard.withLock { $0 } == 1)
        try store.checkIntegrity()
    }

    @Test("a migration's change set reports a changed schema, and writes queued around it keep their order")
    func order() throws {
        let store = try MigrationStore(schema(1, "C: a int"))
        let heard = Mutex<[ChangeSet]>([])
        store.store.onCommit { sets in heard.withLock { $0 += sets } }
        for number in 0..<10 {
            store.store.submit(
                { transaction in
                    guard let objectClass = transaction.schema["C"] else { return }
                    _ = try transaction.create(objectClass.id, [objectClass.properties[0].id: .int(Int64(number))])
                }, completion: { _ in })
        }
        store.store.replaceSchema(
            with: schema(2, "C: a string"),
            migration: Migration(steps: [.convert(class: "C", from: "a", to: "a", fallback: nil)]), completion: { _ in }
        )
        store.store.submit(
            { transaction in
                guard let objectClass = transaction.schema["C"] else { return }
                _ = try transaction.create(objectClass.id, [objectClass.properties[0].id: .string("last")])
            }, completion: { _ in })
        try store.store.write { _ in }
        #expect(try store.values("C", "a") == (0..<10).map { .string("\($0)") } + [.string("last")])
        let changes = heard.withLock { $0 }
        #expect(changes.map(\.schemaChanged) == (0..<13).map { $0 == 10 })
        #expect(changes.map(\.version.rawValue) == Array(2..<15))
    }

    @Test("readers keep their version, with its schema, during and after a migration")
    func readers() throws {
        let store = try MigrationStore(schema(1, "C: a int"))
        try store.create("C", ["a": .int(5)])
        let before = try store.store.snapshot()
        let inside = Mutex<Value>(.null)
        try store.migrate(to: schema(2, "C: a string")) { migration in
            let other = try store.store.snapshot()
            inside.withLock { $0 = (try? other.value(ClassID(1), ObjectKey(0), PropertyID(1))) ?? .null }
        }
        #expect(inside.withLock { $0 } == .int(5))
        #expect(try before.value(ClassID(1), ObjectKey(0), PropertyID(1)) == .int(5))
        #expect(before.schema["C"]?["a"]?.type == PropertyType(.int))
    }

    @Test("an index and a full-text index include values outside the leaf")
    func longTexts() throws {
        let store = try MigrationStore(schema(1, "C: t string, w string"))
        let long = String(repeating: "word ", count: 10_000) + "needle"
        for number in 0..<70 {
            try store.create("C", ["t": .string(long + "\(number % 3)"), "w": .string(number == 40 ? long : "hay")])
        }
        try store.migrate(to: schema(2, "C: t string+, w string#"))
        try store.migrate(to: schema(3, "C: t string, w string"))
        #expect(try store.values("C", "w").count == 70)
    }
}
