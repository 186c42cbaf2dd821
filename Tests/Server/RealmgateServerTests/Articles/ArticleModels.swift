import Foundation
import RealmSwift

// The code of the articles of RealmSwift.docc, compiled and run: a block of an article is what stands between
// `article` and `end`.

// article book
final class Book: Object {
    @Persisted(primaryKey: true) var isbn: String
    @Persisted var title: String
    @Persisted(indexed: true) var year: Int?
    @Persisted var author: Author?
}

final class Author: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "author") var books: LinkingObjects<Book>
}
// end

// article kinds
enum Binding: String, PersistableEnum {
    case hardcover, paperback
}

final class Edition: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var book: Book?
    @Persisted var binding = Binding.paperback
    @Persisted var price: Decimal128
    @Persisted var printed: Date?
    @Persisted var keywords: MutableSet<String>
    @Persisted var chapters: List<Chapter>
    @Persisted var titles: Map<String, String>
    @Persisted var remark: AnyRealmValue
}

final class Chapter: EmbeddedObject {
    @Persisted var title: String
    @Persisted var pages: Int
}
// end

// article mapping
final class Loan: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var book: Book?
    @Persisted var dueDate: Date

    override class func propertiesMapping() -> [String: String] { ["id": "_id", "dueDate": "due_date"] }
}
// end

// article custom
struct Shelf: FailableCustomPersistable {
    let hall: Int
    let row: Int

    init(hall: Int, row: Int) {
        self.hall = hall
        self.row = row
    }

    init?(persistedValue: String) {
        let parts = persistedValue.split(separator: "/").compactMap { Int($0) }
        guard parts.count == 2 else { return nil }
        self.init(hall: parts[0], row: parts[1])
    }

    var persistableValue: String { "\(hall)/\(row)" }
}

final class Copy: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var shelf: Shelf?
}
// end

// article projection
final class BookCard: Projection<Book> {
    @Projected(\Book.title) var title
    @Projected(\Book.author?.name) var author
}
// end

/// Books in memory for the articles.
enum BooksFixture {
    static let types: [ObjectBase.Type] = [
        Book.self, Author.self, Edition.self, Chapter.self, Loan.self, Copy.self,
    ]

    static func configuration() -> Realm.Configuration {
        Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types)
    }

    static func fill(_ realm: Realm) throws {
        try realm.write {
            let author = realm.create(Author.self, value: ["name": "Mary Shelley"])
            for (isbn, title, year) in [
                ("1", "Frankenstein", 1818), ("2", "The Last Man", 1826), ("3", "Lodore", 1835),
            ] {
                realm.create(Book.self, value: ["isbn": isbn, "title": title, "year": year, "author": author])
            }
        }
    }
}
