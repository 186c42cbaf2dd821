import Foundation
import OpenCombine
import OpenCombineDispatch
import Promises
import RealmSwift
import StoreTesting
import Testing
@testable import SampleApps
import TestBasics

/// Uses the applications in `SampleApps`, which are written as for a phone, as their screens would.
@Suite("Applications written for a phone")
struct SampleTests {
    private static func memory(_ types: [ObjectBase.Type]) -> Realm.Configuration {
        Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types)
    }

    @Test("a to-do application: projects, tags, searches, and a list that is kept up to date by its changes")
    func todo() throws {
        let types = [TodoItem.self, TodoTag.self, TodoProject.self, TodoSubtask.self] as [ObjectBase.Type]
        let store = try TodoStore(configuration: Self.memory(types))
        let home = try store.addProject(named: "Home")
        let milk = try store.addItem("Buy milk", to: home, tags: ["shop", "food"])
        let bread = try store.addItem("buy bread", to: home, tags: ["shop"], priority: .high)
        let roof = try store.addItem("Mend the roof", to: home, priority: .high)
        #expect(home.items.count == 3 && store.realm.objects(TodoTag.self).count == 2)
        #expect(bread.priority == .high && "\(bread.priority)" == "High" && milk.project.first?.name == "Home")
        #expect(store.search("BUY").count == 2 && store.search("SHOP").count == 2 && store.search("roof").count == 1)
        #expect(Set(store.urgent().map(\.title)) == ["buy bread", "Mend the roof"])
        let tag = try #require(store.realm.object(ofType: TodoTag.self, forPrimaryKey: "shop"))
        #expect(tag.items.count == 2 && tag.items.filter("priority == %@", TodoPriority.high).first == bread)
        try store.realm.write {
            roof.dueDate = Date(timeIntervalSinceNow: -100)
            roof.subtasks.append(TodoSubtask(value: ["title": "ladder", "isDone": true]))
            roof.subtasks.append(TodoSubtask(value: ["title": "nails"]))
        }
        #expect(roof.isOverdue && roof.progress == 0.5 && store.due(before: Date()).first == roof)
        #expect(store.urgent().map(\.title) == ["buy bread", "Mend the roof"])
        try store.move(in: home, from: 0, to: 2)
        #expect(home.items.map(\.title) == ["buy bread", "Mend the roof", "Buy milk"])
        try store.rename(milk.freeze(), to: "Buy oat milk")
        #expect(milk.title == "Buy oat milk" && home.openItems.count == 3)
        milk.isSelected = true
        try store.toggle(milk)
        #expect(milk.isDone && milk.isSelected && home.openItems.map(\.title) == ["buy bread", "Mend the roof"])
        try store.deleteCompleted()
        #expect(milk.isInvalidated && store.allItems.count == 2)
        try store.delete(roof)
        #expect(home.items.map(\.title) == ["buy bread"] && store.realm.objects(TodoSubtask.self).isEmpty)
        #expect(home.items[0].id == bread.id && bread.id != TodoItem().id)
    }

    @Test("a to-do list shows each change as the table view is told it")
    func todoList() async throws {
        let types = [TodoItem.self, TodoTag.self, TodoProject.self, TodoSubtask.self] as [ObjectBase.Type]
        let fixture = QueueFixture(types)
        nonisolated(unsafe) var model: TodoListViewModel?
        try fixture.run { realm in
            model = TodoListViewModel(items: realm.objects(TodoItem.self).sorted(byKeyPath: "title"))
            model?.start()
        }
        func rows(_ count: Int) async throws -> [String] {
            var (rows, log): ([String], [String]) = ([], [])
            let isEnough = try await eventually {
                (rows, log) = try fixture.run { _ in (model?.rows ?? [], model?.log ?? []) }
                return log.count >= count
            }
            #expect(isEnough, "\(log)")
            return rows
        }
        #expect(try await rows(1) == [])
        try fixture.run { realm in
            try realm.write { for title in ["b", "d", "a"] { realm.add(TodoItem(title: title)) } }
        }
        #expect(try await rows(2) == ["a", "b", "d"])
        try fixture.run { realm in
            try realm.write {
                realm.objects(TodoItem.self).filter("title == 'a'").first?.title = "c"
                realm.delete(realm.objects(TodoItem.self).filter("title == 'd'"))
            }
        }
        #expect(try await rows(3) == ["b", "c"])
        try fixture.run { _ in
            model?.stop()
            model = nil
        }
    }

    @Test("a screen of one item is told of its properties, without a word about types")
    func todoDetail() async throws {
        let fixture = QueueFixture([TodoItem.self, TodoTag.self, TodoProject.self, TodoSubtask.self])
        nonisolated(unsafe) var model: TodoDetailViewModel?
        try fixture.run { realm in
            let item = TodoItem(title: "a")
            try realm.write { realm.add(item) }
            model = TodoDetailViewModel(item: item)
            model?.start()
            try realm.write { item.title = "b" }
        }
        func log(_ count: Int) async throws -> [String] {
            var log: [String] = []
            let isEnough = try await eventually {
                log = try fixture.run { _ in model?.log ?? [] }
                return log.count >= count
            }
            #expect(isEnough, "\(log)")
            return log
        }
        #expect(try await log(2) == ["true false", "title of TodoItem: b"])
        try fixture.run { realm in try realm.write { realm.deleteAll() } }
        #expect(try await log(4) == ["true false", "title of TodoItem: b", "true false", "deleted"])
        try fixture.run { _ in
            model?.stop()
            model = nil
        }
    }

    @Test("a chat: members by name, embedded attachments, reactions in maps, previews")
    func chat() throws {
        let service = ChatService(
            configuration: Self.memory([
                ChatUser.self, ChatRoom.self, ChatMessage.self, ChatAttachment.self, ChatThumbnail.self,
                ChatReaction.self, ChatLocation.self,
            ]))
        let realm = try service.realm()
        let room = try service.join("ann", room: "lobby")
        _ = try service.join("bob", room: "lobby")
        #expect(try service.join("ann", room: "lobby") == room && realm.objects(ChatUser.self).count == 2)
        #expect(room.memberNames == ["Ann", "Bob"] && room.unread.keys == ["ann", "bob"])
        let hello = try service.send("hello", from: "ann", in: room)
        let picture = try service.send(
            "look", from: "bob", in: room,
            attachments: [
                ["url": "a.png", "mimeType": "image/png", "size": 12, "thumbnail": ["width": 3, "height": 4]],
                ["url": "b.pdf", "mimeType": "application/pdf"],
            ])
        #expect(room.lastMessage == picture && room.unread["bob"] == 1 && room.unread["ann"] == 1)
        #expect(try service.unreadTotal(for: "ann") == 1 && service.unreadTotal(for: "nobody") == 0)
        #expect(hello.author?.handle == "ann" && hello.rooms.first == room)
        #expect(picture.attachments[0].thumbnail?.width == 3 && picture.attachments[1].thumbnail == nil)
        let (ann, bob) = (try #require(hello.author), try #require(picture.author))
        try service.react("👍", to: hello, by: bob)
        try service.react("👍", to: hello, by: ann)
        try service.react("👍", to: hello, by: ann)
        #expect(hello.reactions["👍"]??.users.map(\.handle) == ["bob", "ann"] && hello.reactions.count == 1)
        try realm.write {
            picture.replyTo = hello
            picture.payload = .string("note")
            picture.readBy.insert(ann.id)
            ann.settings["theme"] = .string("dark")
            ann.settings["sizes"] = .fromArray([.int(1), .int(2)])
            ann.presence = .away
            ann.blocked.insert(bob)
            room.location = ChatLocation(60, 25)
            room.pinned = hello
        }
        #expect(hello.replies.count == 1 && picture.payload.stringValue == "note" && picture.readBy.contains(ann.id))
        #expect(ann.settings["theme"]?.stringValue == "dark" && ann.settings["sizes"]?.listValue?.count == 2)
        #expect(realm.objects(ChatUser.self).where { $0.presence == .away }.first == ann)
        #expect(realm.objects(ChatUser.self).where { $0.settings["theme"] == .string("dark") }.count == 1)
        #expect(realm.objects(ChatMessage.self).where { $0.attachments.mimeType == "image/png" }.first == picture)
        #expect(realm.objects(ChatMessage.self).where { $0.author.handle == "ann" }.count == 1)
        #expect(realm.objects(ChatMessage.self).filter("attachments.@count > 1 AND author.handle == 'bob'").count == 1)
        #expect(realm.objects(ChatMessage.self).filter("ANY rooms.slug == %@", "lobby").count == 2)
        let near = try #require(GeoCircle(center: (60.01, 25), radiusInRadians: 0.001))
        #expect(realm.objects(ChatRoom.self).where { $0.location.geoWithin(near) }.count == 1)
        let previews = realm.objects(ChatMessagePreview.self).sorted(byKeyPath: "text")
        #expect(previews.map { $0.authorHandle } == ["ann", "bob"] && previews[1].attachmentURLs.first == "a.png")
        try realm.write { realm.delete(picture) }
        #expect(realm.objects(ChatAttachment.self).isEmpty && realm.objects(ChatThumbnail.self).isEmpty)
        #expect(room.messages.count == 1 && hello.replies.isEmpty)
    }

    @Test("an inventory: JSON updates objects in place by their keys, money is a type of its own, values go by name")
    func inventory() throws {
        let realm = try Realm(
            configuration: Self.memory([
                InventoryProduct.self, InventoryItem.self, InventoryMovement.self, InventorySupplier.self,
                InventoryPrice.self,
            ]))
        let sync = InventorySync(realm: realm)
        let json = """
            [{"id": 1, "name": "Nut", "details": null, "quantity": 5, "minimum": 10, "weight": 0.5, "unit": "piece",
              "tags": ["metal", "small"], "dimensions": {"d": 4.5}, "barcodes": ["1", "2", "1"], "isActive": true},
             {"id": 2, "name": "Oil", "quantity": 20, "minimum": 10, "unit": "liter",
              "tags": [], "dimensions": {}, "barcodes": [], "isActive": true}]
            """
        #expect(try sync.importProducts(Data(json.utf8)) == 2)
        let nut = try #require(realm.object(ofType: InventoryProduct.self, forPrimaryKey: 1))
        #expect(nut.name == "Nut" && Array(nut.tags) == ["metal", "small"] && nut.dimensions["d"] == 4.5)
        #expect(nut.barcodes.count == 2 && nut.unit == .piece && nut.weight == 0.5 && nut.details == nil)
        #expect(sync.shortages().map(\.name) == ["Nut"])
        #expect(try sync.importProducts(Data(json.replacingOccurrences(of: "Nut", with: "Bolt").utf8)) == 2)
        #expect(realm.objects(InventoryProduct.self).count == 2 && nut.name == "Bolt")
        try sync.importRaw([
            [
                "sku": "n1", "code": "SKU-7", "price": ["amount": "1.10", "currency": "EUR"],
                "product": ["id": 1, "quantity": 6], "supplier": ["name": "Acme", "contact": "a@b.c"],
            ], ["sku": "n2", "code": "bad", "product": ["id": 3, "name": "New"]],
        ])
        let item = try #require(realm.object(ofType: InventoryItem.self, forPrimaryKey: "n1"))
        #expect(item.code == InventorySKU("7") && item.price == InventoryMoney(amount: "1.10", currency: "EUR"))
        #expect(item.product == nut && nut.quantity == 6 && nut.name == "Bolt" && item.supplier?.name == "Acme")
        #expect(item.supplier?.contact.stringValue == "a@b.c" && item.supplier?.items.count == 1)
        #expect(realm.object(ofType: InventoryItem.self, forPrimaryKey: "n2")?.code == nil)
        #expect(realm.objects(InventoryProduct.self).count == 3)
        #expect(realm.objects(InventoryItem.self).where { $0.price.persistableValue.currency == "EUR" }.count == 1)
        #expect(realm.objects(InventoryItem.self).where { $0.code == InventorySKU("7") }.count == 1)
        try sync.move(-4, of: "n1", reason: "sold")
        #expect(nut.quantity == 2 && item.history.map(\.delta) == [-4] && item.history[0].reason == "sold")
        let report = sync.report()
        #expect(report.count == 3 && report.total == 22 && report.heaviest == 0.5)
        #expect(report.average.map { abs($0 - 22.0 / 3) < 1e-9 } == true)
        try sync.raise(by: 3)
        #expect(realm.objects(InventoryProduct.self).value(forKey: "minimum") as? [Int] == [3, 3, 3])
        #expect(nut["quantity"] as? Int == 5 && nut.value(forKey: "name") as? String == "Bolt")
        #expect(realm.objects(InventoryItem.self).value(forKeyPath: "product.name") as? [String] == ["Bolt", "New"])
        #expect(realm.objects(InventoryItem.self).value(forKeyPath: "@count") as? Int == 2)
        #expect(realm.objects(InventoryProduct.self).value(forKeyPath: "@sum.quantity") as? Int == 31)
        #expect(realm.schema["InventoryProduct"]?["details"]?.columnName == "description_text")
        try realm.write { item.price?.amount += 1 }
        try realm.write { item.price = InventoryMoney(amount: 2, currency: "USD") }
        #expect(item.price?.currency == "USD" && realm.objects(InventoryPrice.self).count == 1)
    }

    /// Applies the reported changes to its own rows, as a table view does.
    private final class FakeTable: TableView {
        var sections: [(title: String, rows: [String])] = []
        var source: ContactsDataSource?
        var updates = 0
        private var deletions: [IndexPath] = []
        private var insertions: [IndexPath] = []
        private var gone = IndexSet()
        private var come = IndexSet()

        func reloadData() {
            sections = current
            updates += 1
        }

        var current: [(title: String, rows: [String])] {
            guard let source else { return [] }
            return (0..<source.numberOfSections).map { section in
                (
                    source.title(forHeaderInSection: section) ?? "",
                    (0..<source.numberOfRows(inSection: section)).map {
                        source.text(forRowAt: IndexPath(item: $0, section: section))
                    }
                )
            }
        }

        func performBatchUpdates(_ body: () -> Void) {
            (deletions, insertions, gone, come) = ([], [], [], [])
            body()
            for path in deletions.sorted(by: >) { sections[path.section].rows.remove(at: path.item) }
            for section in gone.reversed() { sections.remove(at: section) }
            for section in come { sections.insert((source?.title(forHeaderInSection: section) ?? "", []), at: section) }
            for path in insertions.sorted() {
                sections[path.section].rows.insert(source?.text(forRowAt: path) ?? "", at: path.item)
            }
            // Reloaded rows show the present data.
            for (section, present) in current.enumerated() where present.rows.count == sections[section].rows.count {
                sections[section].rows = present.rows
            }
            updates += 1
        }
        func insertSections(_ sections: IndexSet) { come = sections }
        func deleteSections(_ sections: IndexSet) { gone = sections }
        func insertRows(at paths: [IndexPath]) { insertions = paths }
        func deleteRows(at paths: [IndexPath]) { deletions = paths }
        func reloadRows(at paths: [IndexPath]) {}
    }

    @Test("contacts: a table view's sections follow random changes", arguments: 0..<3 * TestRun.length)
    func contacts(_ history: Int) async throws {
        let fixture = QueueFixture([Contact.self, ContactNumber.self])
        nonisolated(unsafe) var table: FakeTable?
        try fixture.run { realm in
            let made = FakeTable()
            made.source = ContactsDataSource(realm: realm)
            made.source?.bind(to: made)
            table = made
        }
        func wait(_ updates: Int) async throws {
            let hasCome = try await eventually { try fixture.run { _ in (table?.updates ?? 0) >= updates } }
            #expect(hasCome, "history \(history): update \(updates)")
        }
        try await wait(1)
        for round in 0..<15 {
            try fixture.run { realm in
                var random = SeededRandom.ofTest("\(history) \(round)")
                try realm.write {
                    // Guarantees a first change.
                    realm.create(Contact.self, value: ["firstName": "N\(round)", "lastName": "Zed"])
                    for _ in 0..<random.below(5) {
                        let contacts = realm.objects(Contact.self)
                        let name = ["Ash", "Birch", "Cedar", "Dogwood", "éclair", "7up", ""][random.below(7)]
                        switch random.below(3) {
                        case 0:
                            realm.create(
                                Contact.self, value: ["firstName": "F\(random.below(9))", "lastName": name])
                        case 1: contacts[random.below(contacts.count)].lastName = name
                        default: realm.delete(contacts[random.below(contacts.count)])
                        }
                    }
                    realm.create(Contact.self, value: ["firstName": "M\(round)", "lastName": "Yew"])
                }
            }
            try await wait(round + 2)
            try fixture.run { _ in
                let (shown, present) = (table?.sections ?? [], table?.current ?? [])
                #expect(shown.map(\.title) == present.map(\.title), "history \(history), round \(round)")
                #expect(shown.map(\.rows) == present.map(\.rows), "history \(history), round \(round)")
                #expect(table?.source?.sectionIndexTitles == present.map(\.title))
            }
        }
        try fixture.run { realm in
            let source = try #require(table?.source)
            #expect(source.contact(at: IndexPath(item: 0, section: 0)).realm == realm)
            try realm.write { source.contact(at: IndexPath(item: 0, section: 0)).favorite = true }
            let favorites = ContactsDataSource(favoritesIn: realm)
            #expect(favorites.numberOfSections == 1)
            let rows = realm.objects(ContactRow.self).sorted(byKeyPath: "lastName")
            #expect(rows.count == realm.objects(Contact.self).count && rows[0].id == rows[0].rootObject.rowID)
            table = nil
        }
    }
}

extension Contact {
    fileprivate var rowID: UInt64? { ContactRow(projecting: self).id }
}

extension SampleTests {
    private static let feed: [ObjectBase.Type] = [FeedSource.self, FeedArticle.self]

    @Test("a feed: references go to other threads, resolved there, and a thread-safe wrapper too")
    func threads() throws {
        let configuration = Self.memory(Self.feed)
        let realm = try Realm(configuration: configuration)
        let source = FeedSource(value: ["url": "u", "title": "U"])
        try realm.write { realm.add(source) }
        let importer = FeedImporter(configuration: configuration)
        let count = Promise<Int>()
        importer.importArticles([("1", "one"), ("2", "two"), ("1", "uno")], into: source) { result in
            count.set((try? result.get()) ?? -1)
        }
        #expect(count.wait() == 2)
        realm.refresh()
        #expect(source.articles.map(\.title) == ["uno", "two"] && source.fetchedAt != nil)
        let done = Promise<Void>()
        importer.markAllRead(in: source) { done.set(()) }
        done.wait()
        realm.refresh()
        #expect(source.articles.value(forKey: "isRead") as? [Bool] == [true, true])
        try realm.write { realm.create(FeedArticle.self, value: ["guid": "3"]) }
        let unread = realm.objects(FeedArticle.self).where { !$0.isRead }
        #expect(unread.count == 1)
        let read = Promise<Void>()
        importer.markAllRead(unread) { read.set(()) }
        read.wait()
        realm.refresh()
        #expect(unread.isEmpty)
    }

    @Test("a feed with actors: each has its realm, writes asynchronously and is told")
    func actors() async throws {
        let configuration = Self.memory(Self.feed)
        let (first, second) = (FeedActor(), FeedActor())
        try await first.open(configuration)
        try await second.open(configuration)
        await second.observe()
        try await first.add("a", title: "A")
        try await first.add("b", title: "B")
        try await first.rename("a", to: "AA")
        let haveTitles = try await eventually { await second.titles() == ["AA", "B"] }
        let titles = await second.titles()
        #expect(haveTitles, "\(titles)")
        let isNotified = try await eventually { await second.log.count >= 2 }
        let log = await second.log
        #expect(isNotified, "\(log)")
        #expect(await second.log.first?.hasPrefix("initial") == true)
        await first.close()
        await second.close()
    }

    @Test("a feed with pipelines: unread counts, new titles on a queue, frozen and handed over")
    func pipelines() async throws {
        let fixture = QueueFixture(Self.feed)
        let background = DispatchQueue(label: "background")
        nonisolated(unsafe) let screen = FeedScreen()
        try fixture.run { realm in
            let source = FeedSource(value: ["url": "u"])
            try realm.write { realm.add(source) }
            screen.bind(to: realm, source: source, background: background)
        }
        func lines(_ wanted: Set<String>) async throws -> [String] {
            let haveCome = try await eventually { wanted.isSubset(of: screen.lines) }
            #expect(haveCome, "\(wanted.subtracting(screen.lines)) of \(screen.lines)")
            return screen.lines
        }
        _ = try await lines(["unread 0", "last none", "articles"])
        try fixture.run { realm in
            try realm.write {
                realm.objects(FeedSource.self)[0].articles.append(FeedArticle(value: ["guid": "1", "title": "one"]))
            }
        }
        let first = try await lines(["unread 1", "new [\"one\"]", "source", "last one"])
        #expect(Set(first).isSuperset(of: ["unread 0", "unread 1", "new [\"one\"]", "source", "last one", "articles"]))
        try fixture.run { realm in
            let told = screen.lines.filter { $0 == "articles" }.count
            try realm.write(withoutNotifying: [screen.token].compactMap { $0 }) {
                realm.objects(FeedArticle.self)[0].isRead = true
            }
            realm.refresh()
            #expect(screen.lines.filter { $0 == "articles" }.count == told)
        }
        let second = try await lines(["unread 0"])
        #expect(second.filter { $0 == "unread 0" }.count >= 1)
        try fixture.run { _ in screen.unbind() }
    }

    @Test("a migration over three versions, with renamed, split, retyped and dropped data")
    func evolution() throws {
        let fixture = try FileFixture()
        let url = fixture.url("people")
        try fixture.with(
            Realm.Configuration(
                fileURL: url, schemaVersion: 1,
                objectTypes: [EvolutionV1.Person.self, EvolutionV1.Dog.self, EvolutionV1.Legacy.self])
        ) { realm in
            #expect(realm.schema["EvolutionPerson"]?.primaryKeyProperty?.type == .int)
            try realm.write {
                let ann = realm.create(
                    EvolutionV1.Person.self,
                    value: [
                        "id": 7, "firstName": "Ann", "lastName": "Lee", "age": "31", "street": "Elm 1", "city": "Rome",
                    ])
                ann.dogs.append(EvolutionV1.Dog(value: ["Rex", "Poodle"]))
                ann.dogs.append(EvolutionV1.Dog(value: ["Bo", "mongrel"]))
                realm.create(EvolutionV1.Person.self, value: ["id": 8, "firstName": "Bob", "age": "old"])
                realm.create(EvolutionV1.Legacy.self, value: [Data([1])])
            }
        }
        #expect(try schemaVersionAtURL(url) == 1)
        let realm = try Realm(configuration: Evolution.configuration(url))
        let people = realm.objects(EvolutionPerson.self)
        #expect(people.map(\.id) == ["7", "8"] && people.map(\.fullName) == ["Ann Lee", "Bob "])
        #expect(people.map(\.age) == [31, nil])
        #expect(people[0].address?.street == "Elm 1" && people[0].address?.city == "Rome" && people[1].address == nil)
        #expect(people[0].pets.map(\.name) == ["Rex", "Bo"] && people[0].pets.map(\.breed) == [.poodle, .unknown])
        #expect(realm.objects(EvolutionDog.self).map(\.name) == ["Rex", "Bo", "Mascot"])
        #expect(realm.object(ofType: EvolutionPerson.self, forPrimaryKey: "7") == people[0])
        #expect(try schemaVersionAtURL(url) == 3)
    }
}
