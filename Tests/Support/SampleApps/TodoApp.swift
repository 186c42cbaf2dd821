import Foundation
import RealmSwift

// A to-do application as it is written for a phone: models, a store that the screens share, and a view model.

enum TodoPriority: Int, PersistableEnum, CustomStringConvertible {
    case low = 0
    case normal = 1
    case high = 2

    var description: String {
        switch self {
        case .low: return "Low"
        case .normal: return "Normal"
        case .high: return "High"
        }
    }
}

final class TodoTag: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "tags") var items: LinkingObjects<TodoItem>

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

final class TodoItem: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted(indexed: true) var title: String
    @Persisted var notes: String?
    @Persisted var isDone = false
    @Persisted var priority = TodoPriority.normal
    @Persisted var createdAt = Date()
    @Persisted var dueDate: Date?
    @Persisted var tags: List<TodoTag>
    @Persisted var subtasks: List<TodoSubtask>
    @Persisted(originProperty: "items") var project: LinkingObjects<TodoProject>

    // Not stored.
    var isSelected = false

    convenience init(title: String, priority: TodoPriority = .normal, dueDate: Date? = nil) {
        self.init()
        self.title = title
        self.priority = priority
        self.dueDate = dueDate
    }

    var isOverdue: Bool {
        guard let dueDate = dueDate, !isDone else { return false }
        return dueDate < Date()
    }

    var progress: Double {
        guard !subtasks.isEmpty else { return isDone ? 1 : 0 }
        return Double(subtasks.filter { $0.isDone }.count) / Double(subtasks.count)
    }
}

final class TodoSubtask: EmbeddedObject {
    @Persisted var title: String
    @Persisted var isDone: Bool
}

final class TodoProject: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var id = UUID().uuidString
    @Persisted var name = ""
    @Persisted var color: String?
    @Persisted var items: List<TodoItem>

    var openItems: Results<TodoItem> {
        return items.filter("isDone == false").sorted(byKeyPath: "createdAt", ascending: true)
    }
}

class TodoStore {
    let realm: Realm

    init(configuration: Realm.Configuration) throws {
        self.realm = try Realm(configuration: configuration)
    }

    var allItems: Results<TodoItem> { realm.objects(TodoItem.self) }

    func addProject(named name: String) throws -> TodoProject {
        let project = TodoProject()
        project.name = name
        try realm.write {
            realm.add(project)
        }
        return project
    }

    @discardableResult
    func addItem(_ title: String, to project: TodoProject, tags: [String] = [], priority: TodoPriority = .normal) throws
        -> TodoItem
    {
        let item = TodoItem(title: title, priority: priority)
        try realm.write {
            for name in tags {
                let tag = realm.object(ofType: TodoTag.self, forPrimaryKey: name) ?? TodoTag(name)
                item.tags.append(tag)
            }
            project.items.append(item)
        }
        return item
    }

    func toggle(_ item: TodoItem) throws {
        try realm.write {
            item.isDone.toggle()
        }
    }

    func rename(_ item: TodoItem, to title: String) throws {
        guard let item = item.thaw() else { return }
        try item.realm?.write {
            item.title = title
        }
    }

    func move(in project: TodoProject, from source: Int, to destination: Int) throws {
        try realm.write {
            project.items.move(from: source, to: destination)
        }
    }

    func delete(_ item: TodoItem) throws {
        try realm.write {
            realm.delete(item)
        }
    }

    func deleteCompleted() throws {
        try realm.write {
            realm.delete(allItems.where { $0.isDone == true })
        }
    }

    func search(_ text: String) -> Results<TodoItem> {
        return allItems.filter("title CONTAINS[c] %@ OR ANY tags.name ==[c] %@", text, text)
    }

    func urgent() -> Results<TodoItem> {
        return
            allItems
            .where { $0.priority == .high && !$0.isDone }
            .sorted(by: [
                SortDescriptor(keyPath: "dueDate", ascending: true), SortDescriptor(keyPath: \TodoItem.title),
            ])
    }

    func due(before date: Date) -> Results<TodoItem> {
        let predicate = NSPredicate(format: "dueDate != nil AND dueDate < %@", date as NSDate)
        return allItems.filter(predicate)
    }
}

/// The data of a table view.
class TodoListViewModel {
    private(set) var rows: [String] = []
    private(set) var log: [String] = []
    private var token: NotificationToken?
    private let items: Results<TodoItem>

    init(items: Results<TodoItem>) {
        self.items = items
    }

    func start(on queue: DispatchQueue? = nil) {
        token = items.observe(on: queue) { [weak self] (changes: RealmCollectionChange) in
            guard let self = self else { return }
            switch changes {
            case .initial(let items):
                self.rows = items.map { $0.title }
                self.log.append("reload \(items.count)")
            case .update(let items, let deletions, let insertions, let modifications):
                for index in deletions.reversed() { self.rows.remove(at: index) }
                for index in insertions { self.rows.insert(items[index].title, at: index) }
                for (offset, item) in items.enumerated() { self.rows[offset] = item.title }
                self.log.append("-\(deletions) +\(insertions) *\(modifications)")
            case .error(let error):
                fatalError("\(error)")
            }
        }
    }

    func stop() {
        token?.invalidate()
    }
}

/// The data of a screen of one item.
class TodoDetailViewModel {
    private(set) var log: [String] = []
    private var itemToken: NotificationToken?
    private var realmToken: NotificationToken?
    private let item: TodoItem

    init(item: TodoItem) {
        self.item = item
    }

    func start() {
        itemToken = item.observe { [weak self] change in
            switch change {
            case .change(let object, let properties):
                for property in properties {
                    self?.log.append("\(property.name) of \(type(of: object)): \(property.newValue ?? "nil")")
                }
            case .error(let error):
                print("An error occurred: \(error)")
            case .deleted:
                self?.log.append("deleted")
            }
        }
        realmToken = item.realm?.observe { [weak self] notification, realm in
            self?.log.append("\(notification == .didChange) \(realm.isInWriteTransaction)")
        }
    }

    func stop() {
        itemToken?.invalidate()
        realmToken = nil
    }
}
