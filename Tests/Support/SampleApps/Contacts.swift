import Foundation
import RealmSwift

// A contact list with sections by first letter, as the data source of a table view.

class Contact: Object {
    @Persisted(primaryKey: true) var id = UUID()
    @Persisted var firstName: String = ""
    @Persisted var lastName: String = ""
    @Persisted var company: String?
    @Persisted var birthday: Date?
    @Persisted var favorite = false
    @Persisted var numbers: List<ContactNumber>

    var initial: String {
        guard let first = lastName.first else { return "#" }
        return first.isLetter ? String(first).uppercased() : "#"
    }

    var fullName: String {
        [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

class ContactNumber: EmbeddedObject {
    @Persisted var label = "mobile"
    @Persisted var number = ""
}

class ContactRow: Projection<Contact>, ObjectKeyIdentifiable {
    @Projected(\Contact.firstName) var first
    @Projected(\Contact.lastName) var last
    @Projected(\Contact.company) var company
}

/// Takes the place of a table view, which needs every single change.
protocol TableView: AnyObject {
    func reloadData()
    func performBatchUpdates(_ updates: () -> Void)
    func insertSections(_ sections: IndexSet)
    func deleteSections(_ sections: IndexSet)
    func insertRows(at paths: [IndexPath])
    func deleteRows(at paths: [IndexPath])
    func reloadRows(at paths: [IndexPath])
}

class ContactsDataSource {
    private let contacts: SectionedResults<String, Contact>
    private var notificationToken: NotificationToken?

    init(realm: Realm) {
        contacts = realm.objects(Contact.self)
            .sectioned(
                by: \.initial,
                sortDescriptors: [SortDescriptor(keyPath: "lastName"), SortDescriptor(keyPath: "firstName")])
    }

    init(favoritesIn realm: Realm) {
        contacts = realm.objects(Contact.self)
            .where { $0.favorite }
            .sectioned(
                by: { $0.initial }, sortDescriptors: [SortDescriptor(keyPath: \Contact.lastName, ascending: true)])
    }

    func bind(to tableView: TableView, on queue: DispatchQueue? = nil) {
        notificationToken = contacts.observe(on: queue) { [weak tableView] change in
            switch change {
            case .initial:
                tableView?.reloadData()
            case .update(
                _, let deletions, let insertions, let modifications, let sectionsToInsert, let sectionsToDelete):
                tableView?.performBatchUpdates {
                    tableView?.deleteRows(at: deletions)
                    tableView?.insertRows(at: insertions)
                    tableView?.reloadRows(at: modifications)
                    tableView?.insertSections(sectionsToInsert)
                    tableView?.deleteSections(sectionsToDelete)
                }
            }
        }
    }

    var numberOfSections: Int { contacts.count }
    var sectionIndexTitles: [String] { contacts.allKeys }

    func numberOfRows(inSection section: Int) -> Int {
        contacts[section].count
    }

    func title(forHeaderInSection section: Int) -> String? {
        contacts[section].key
    }

    func text(forRowAt indexPath: IndexPath) -> String {
        contacts[indexPath].fullName
    }

    func contact(at indexPath: IndexPath) -> Contact {
        contacts[indexPath.section][indexPath.item]
    }
}
