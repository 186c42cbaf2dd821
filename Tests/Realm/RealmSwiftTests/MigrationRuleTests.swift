import Foundation
import RealmSwift
import Synchronization
import TestBasics
import Testing

/// What a migration's block may do, and what becomes of mistakes in it.
enum MigrationRuleV1 {
    class RuleOwner: Object {
        @Persisted var id: Int
        @Persisted var name: String
        @Persisted var home: RuleHome?
        @Persisted var homes: List<RuleHome>
        @Persisted var tags: MutableSet<String>
        @Persisted var scores: Map<String, Int>
        @Persisted var any: AnyRealmValue
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class RuleHome: Object {
        @Persisted var street: String
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum MigrationRuleV2 {
    class RuleOwner: Object {
        @Persisted(primaryKey: true) var id: String
        @Persisted var title: String?
        @Persisted var home: RuleHome?
        @Persisted var homes: List<RuleHome>
        @Persisted var tags: MutableSet<String>
        @Persisted var scores: Map<String, Int>
        @Persisted var any: AnyRealmValue
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class RuleHome: EmbeddedObject {
        @Persisted var street: String
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum LeavingV1 {
    class LeavingOwner: Object {
        @Persisted var name: String
        @Persisted var part: LeavingPart?
        @Persisted var target: LeavingTarget?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum LeavingV2 {
    class LeavingOwner: Object {
        @Persisted var name: String
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

class LeavingPart: EmbeddedObject {
    @Persisted var inner: LeavingInner?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class LeavingInner: EmbeddedObject {
    @Persisted var x: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class LeavingTarget: Object {
    @Persisted var y: Int
    @Persisted(originProperty: "target") var owners: LinkingObjects<LeavingV1.LeavingOwner>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Rules of migrations")
struct MigrationRuleTests {
    private static let firstTypes: [ObjectBase.Type] = [MigrationRuleV1.RuleOwner.self, MigrationRuleV1.RuleHome.self]
    private static let secondTypes: [ObjectBase.Type] = [MigrationRuleV2.RuleOwner.self, MigrationRuleV2.RuleHome.self]

    private let file = VersionedFile()

    private func second(_ block: MigrationBlock?) -> Realm.Configuration {
        file.configuration(Self.secondTypes, version: 1, block)
    }

    private func fill() throws {
        let realm = try file.open(Self.firstTypes)
        try realm.write {
            for id in [3, 1, 2] {
                realm.create(
                    MigrationRuleV1.RuleOwner.self,
                    value: [
                        "id": id, "name": "n\(id)", "home": ["street": "s\(id)"], "homes": [["street": "t\(id)"]],
                        "tags": ["a", "b"], "scores": ["x": id], "any": id * 10,
                    ])
            }
        }
    }

    @Test(
        "Migration.{enumerateObjects(ofType:_:),renameProperty(onType:from:to:)} a key of another type, a class that becomes embedded, and a renamed property that becomes optional"
    )
    func everything() throws {
        try fill()
        let order = Mutex<[Int]>([])
        let realm = try Realm(
            configuration: second { migration, version in
                #expect(version == 0)
                #expect(migration.oldSchema["RuleOwner"]?.primaryKeyProperty == nil)
                #expect(migration.newSchema["RuleOwner"]?.primaryKeyProperty?.name == "id")
                #expect(migration.newSchema["RuleHome"]?.isEmbedded == true)
                migration.renameProperty(onType: "RuleOwner", from: "name", to: "title")
                migration.enumerateObjects(ofType: "RuleOwner") { old, new in
                    guard let old, let new, let id = old["id"] as? Int else { return }
                    order.withLock { $0.append(id) }
                    new["id"] = "k\(id)"
                    // Collections of both sides, read and changed.
                    #expect(old.dynamicList("homes").count == 1)
                    #expect((old["home"] as? DynamicObject)?["street"] as? String == "s\(id)")
                    (new["tags"] as? MutableSet<String>)?.insert("c\(id)")
                    (new["scores"] as? Map<String, Int>)?["y"] = id + 1
                    if id == 2 { new["any"] = "changed" }
                }
            })
        #expect(order.withLock { $0 } == [3, 1, 2])
        let owners = realm.objects(MigrationRuleV2.RuleOwner.self)
        #expect(owners.map(\.id) == ["k3", "k1", "k2"])
        #expect(owners.map(\.title) == ["n3", "n1", "n2"])
        #expect(owners.map { $0.home?.street } == ["s3", "s1", "s2"])
        #expect(owners.map { $0.homes.map(\.street) } == [["t3"], ["t1"], ["t2"]])
        #expect(owners.map { $0.tags.map { $0 } } == [["a", "b", "c3"], ["a", "b", "c1"], ["a", "b", "c2"]])
        #expect(owners.map { $0.scores["y"] } == [4, 2, 3])
        #expect(owners.map(\.any) == [.int(30), .int(10), .string("changed")])
        #expect(realm.object(ofType: MigrationRuleV2.RuleOwner.self, forPrimaryKey: "k1")?.title == "n1")
    }

    @Test(
        "Migration.renameProperty(onType:from:to:) what cannot be renamed fails the migration, and the file stays as it was",
        arguments: [
            ("RuleOwner", "nope", "title", "Cannot rename property 'RuleOwner.nope' because it does not exist."),
            (
                "RuleOwner", "tags", "title",
                "Cannot rename property 'RuleOwner.tags' to 'title' because the source property still exists."
            ),
            ("Nobody", "a", "b", "Cannot rename properties for type 'Nobody' because it does not exist."),
        ])
    func badRenaming(_ type: String, _ from: String, _ to: String, _ message: String) throws {
        try fill()
        let visits = Mutex(0)
        do {
            _ = try Realm(
                configuration: second { migration, _ in
                    migration.renameProperty(onType: type, from: from, to: to)
                    migration.renameProperty(onType: "RuleOwner", from: "also not", to: "title")
                    migration.enumerateObjects(ofType: "RuleOwner") { _, _ in visits.withLock { $0 += 1 } }
                })
            Issue.record("the migration succeeded")
        } catch let error as Realm.Error {
            #expect(error.code == .fail && error.localizedDescription == message)
            #expect(error.userInfo["Error Name"] as? String == "MigrationFailed")
        }
        #expect(visits.withLock { $0 } == 0)
        #expect(try file.version == 0)
        #expect(
            try file.open(Self.firstTypes).objects(MigrationRuleV1.RuleOwner.self).map(\.name) == ["n3", "n1", "n2"])
    }

    @Test("Migration.enumerateObjects(ofType:_:) new objects are nil for a class that the new schema does not have")
    func removedClass() throws {
        try fill()
        let seen = Mutex<[String]>([])
        let realm = try file.open([MigrationRuleV1.RuleHome.self], version: 1) { migration, _ in
            #expect(migration.newSchema["RuleOwner"] == nil && migration.oldSchema["RuleOwner"] != nil)
            migration.enumerateObjects(ofType: "RuleOwner") { old, new in
                seen.withLock { $0.append("\(old?["name"] ?? "-") \(new == nil)") }
            }
        }
        #expect(seen.withLock { $0 } == ["n3 true", "n1 true", "n2 true"])
        #expect(realm.objects(MigrationRuleV1.RuleHome.self).count == 6)
    }

    @Test("classes that lose what leads to them: embedded ones go, linking objects of classes that stay are left out")
    func unreachable() throws {
        let all: [ObjectBase.Type] = [
            LeavingV1.LeavingOwner.self, LeavingPart.self, LeavingInner.self, LeavingTarget.self,
        ]
        try autoreleasepool {
            let realm = try file.open(all)
            try realm.write {
                realm.create(
                    LeavingV1.LeavingOwner.self,
                    value: ["name": "o", "part": ["inner": ["x": 1]], "target": ["y": 2]])
            }
        }
        let parts = Mutex(0)
        try autoreleasepool {
            let realm = try file.open([LeavingV2.LeavingOwner.self], version: 1) { migration, _ in
                migration.enumerateObjects(ofType: "LeavingPart") { old, new in
                    #expect(new == nil && (old?["inner"] as? DynamicObject)?["x"] as? Int == 1)
                    parts.withLock { $0 += 1 }
                }
            }
            #expect(realm.objects(LeavingV2.LeavingOwner.self).map(\.name) == ["o"])
        }
        #expect(parts.withLock { $0 } == 1)
        // The class that stayed in the file can be named again.
        let realm = try file.open(all, version: 2)
        #expect(realm.objects(LeavingTarget.self).map(\.y) == [2])
        #expect(
            realm.objects(LeavingPart.self).isEmpty && realm.objects(LeavingTarget.self).first?.owners.isEmpty == true)
    }

    @Test("MigrationBlock equal keys after the block are refused, and the file stays as it was")
    func duplicates() throws {
        try fill()
        do {
            _ = try Realm(
                configuration: second { migration, _ in
                    migration.enumerateObjects(ofType: "RuleOwner") { _, new in new?["id"] = "same" }
                })
            Issue.record("opened")
        } catch let error as Realm.Error {
            #expect(error.message.contains("'RuleOwner.id' has duplicate values after migration."))
        }
        #expect(try file.version == 0)
        #expect(
            try file.open(Self.firstTypes).objects(MigrationRuleV1.RuleOwner.self).map(\.name) == ["n3", "n1", "n2"])
    }

    /// Mistakes in a block, with the beginnings of their messages.
    enum Mistake: String, CaseIterable, Sendable {
        case unknownProperty = "Invalid property name"
        case unknownClass = "Object type 'Nothing' is not managed by the Realm."
        case wrongValue = "Invalid value"
        case foreignObject = "Only objects of the new schema can be deleted within a migration."
        /// What a harness does that ends the thread where a program would stop.
        case endOfThread = "The migration block ended its thread."

        func make(_ migration: Migration, _ old: MigrationObject, _ new: MigrationObject) {
            switch self {
            case .unknownProperty: new["nothing"] = 1
            case .unknownClass: migration.create("Nothing")
            case .wrongValue: new["title"] = 1
            case .foreignObject: migration.delete(old)
            case .endOfThread: pthread_exit(nil)
            }
        }
    }

    @Test(
        "MigrationBlock misuse in a block fails the migration in its own words, and the file opens at once",
        arguments: Mistake.allCases)
    func misuse(_ mistake: Mistake) async throws {
        try fill()
        let mistaken = second { migration, _ in
            migration.enumerateObjects(ofType: "RuleOwner") { old, new in
                if let old, let new { mistake.make(migration, old, new) }
            }
        }
        for _ in 0..<2 {
            let message = await exception { _ = try Realm(configuration: mistaken) }
            #expect(message?.hasPrefix(mistake.rawValue) == true, "\(message ?? "nothing")")
        }
        try checkOpens()
    }

    /// Neither the file nor the store's writer is harmed. Not async, which would open the realm of an actor.
    private func checkOpens() throws {
        #expect(try file.version == 0)
        #expect(
            try file.open(Self.firstTypes).objects(MigrationRuleV1.RuleOwner.self).map(\.name) == ["n3", "n1", "n2"])
        let realm = try Realm(
            configuration: second { migration, _ in
                migration.renameProperty(onType: "RuleOwner", from: "name", to: "title")
                migration.enumerateObjects(ofType: "RuleOwner") { old, new in new?["id"] = "k\(old?["id"] ?? "")" }
            })
        #expect(realm.objects(MigrationRuleV2.RuleOwner.self).map(\.title) == ["n3", "n1", "n2"])
    }

    @Test("MigrationBlock embedded objects of several owners, or of none, are refused")
    func owners() throws {
        try fill()
        func open() throws {
            _ = try Realm(
                configuration: second { migration, _ in
                    migration.enumerateObjects(ofType: "RuleOwner") { old, new in
                        new?["id"] = "k\(old?["id"] ?? "")"
                    }
                })
        }
        func change(_ body: (Results<MigrationRuleV1.RuleOwner>) -> Void) throws {
            let realm = try file.open(Self.firstTypes)
            try realm.write { body(realm.objects(MigrationRuleV1.RuleOwner.self)) }
        }
        try change { $0[1].home = $0[0].home }
        #expect(throws: Realm.Error.self) { try open() }
        #expect(try file.version == 0)
        // The home that the second owner had has none now.
        try change { $0[1].home = nil }
        #expect(throws: Realm.Error.self) { try open() }
        try change { owners in
            owners.realm.map { $0.delete($0.objects(MigrationRuleV1.RuleHome.self).filter("street == 's1'")) }
        }
        try open()
        #expect(try file.version == 1)
    }

    @Test("MigrationBlock a second opening of the file within the block is refused, and the migration goes on")
    func nested() throws {
        try fill()
        let inner = Mutex<String?>(nil)
        let configuration = second(nil)
        let realm = try Realm(
            configuration: second { migration, _ in
                do {
                    _ = try Realm(configuration: configuration)
                    inner.withLock { $0 = "opened" }
                } catch {
                    inner.withLock { $0 = "refused" }
                }
                migration.enumerateObjects(ofType: "RuleOwner") { old, new in new?["id"] = "k\(old?["id"] ?? "")" }
            })
        #expect(inner.withLock { $0 } == "refused")
        #expect(realm.objects(MigrationRuleV2.RuleOwner.self).count == 3)
    }

    @Test(
        "Migration.{create(_:value:),delete(_:)} objects are created and deleted together with those that become embedded"
    )
    func creating() throws {
        try fill()
        let realm = try Realm(
            configuration: second { migration, _ in
                migration.enumerateObjects(ofType: "RuleOwner") { old, new in
                    guard let new else { return }
                    new["id"] = "k\(old?["id"] ?? "")"
                    guard old?["id"] as? Int == 1 else { return }
                    // Until the migration ends, its homes are objects of their own.
                    for home in Array(new.dynamicList("homes")) { migration.delete(home) }
                    if let home = new["home"] as? DynamicObject { migration.delete(home) }
                    migration.delete(new)
                }
                let created = migration.create(
                    "RuleOwner",
                    value: ["id": "new", "title": "t", "home": ["street": "s"], "homes": [["street": "u"]]])
                #expect((created["home"] as? DynamicObject)?["street"] as? String == "s")
                #expect(created.dynamicList("homes").map { $0["street"] as? String } == ["u"])
                migration.enumerateObjects(ofType: "Unknown") { _, _ in Issue.record("called") }
            })
        #expect(realm.objects(MigrationRuleV2.RuleOwner.self).map(\.id) == ["k3", "k2", "new"])
        #expect(
            realm.objects(MigrationRuleV2.RuleHome.self).map(\.street).sorted() == [
                "s", "s2", "s3", "t2", "t3", "u",
            ])
    }

    @Test("MigrationBlock other files are opened within the block, and by other threads meanwhile")
    func others() throws {
        let others = [VersionedFile(), VersionedFile()]
        let configurations = others.map { $0.configuration(Self.firstTypes) }
        try fill()
        let opened = Mutex<[Bool]>([])
        let realm = try Realm(
            configuration: second { migration, _ in
                let within = try? Realm(configuration: configurations[0])
                try? within?.write { within?.create(MigrationRuleV1.RuleOwner.self, value: ["id": 7]) }
                let isOver = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    let beside = try? Realm(configuration: configurations[1])
                    opened.withLock { $0.append(beside != nil) }
                    isOver.signal()
                }
                let waited = isOver.wait(timeout: .now() + .seconds(TestRun.patience))
                opened.withLock { $0 += [waited == .success, within != nil] }
                migration.enumerateObjects(ofType: "RuleOwner") { old, new in new?["id"] = "k\(old?["id"] ?? "")" }
            })
        #expect(opened.withLock { $0 } == [true, true, true])
        #expect(realm.objects(MigrationRuleV2.RuleOwner.self).count == 3)
        #expect(try others[0].open(Self.firstTypes).objects(MigrationRuleV1.RuleOwner.self).map(\.id) == [7])
    }

    @Test("MigrationBlock of two files whose blocks open each other's, one is refused and both are migrated")
    func crossed() throws {
        let files = [VersionedFile(), VersionedFile()]
        for file in files { _ = try file.open(Self.firstTypes) }
        let outcomes = Mutex<[String]>([])
        let begun = files.map { _ in DispatchSemaphore(value: 0) }
        let ended = files.map { _ in DispatchSemaphore(value: 0) }
        for (index, file) in files.enumerated() {
            let last = files[1 - index].configuration(Self.firstTypes, version: 1)
            let configuration = file.configuration(Self.firstTypes, version: 1) { _, _ in
                begun[index].signal()
                guard begun[1 - index].wait(timeout: .now() + .seconds(TestRun.patience)) == .success else { return }
                do {
                    _ = try Realm(configuration: last)
                    outcomes.withLock { $0.append("opened") }
                } catch {
                    outcomes.withLock { $0.append("\((error as? Realm.Error)?.code == .alreadyOpen)") }
                }
            }
            Thread.detachNewThread {
                let realm = try? Realm(configuration: configuration)
                outcomes.withLock { $0.append(realm == nil ? "failed" : "migrated") }
                ended[index].signal()
            }
        }
        for one in ended { #expect(one.wait(timeout: .now() + .seconds(2 * TestRun.patience)) == .success) }
        #expect(outcomes.withLock { $0.sorted() } == ["migrated", "migrated", "opened", "true"])
    }
}
