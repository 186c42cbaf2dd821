import Foundation
import RealmSwift
import RepositoryFiles
import Testing

@Suite("Articles about reading and writing")
struct ReadingArticles {
    @Test("Getting started")
    func start() throws {
        let scratch = try TestDirectory()
        let directory = URL(fileURLWithPath: scratch.path)
        // article open
        let configuration = Realm.Configuration(
            fileURL: directory.appendingPathComponent("library.realm"), objectTypes: [Book.self, Author.self])
        let realm = try Realm(configuration: configuration)
        // end
        // article write
        try realm.write {
            let shelley = Author(value: ["name": "Mary Shelley"])
            let book = Book()
            book.isbn = "9780141439471"
            book.title = "Frankenstein"
            book.year = 1818
            book.author = shelley
            realm.add(book)
            realm.create(Book.self, value: ["isbn": "9780199552351", "title": "The Last Man", "author": shelley])
        }
        // end
        // article read
        let early = realm.objects(Book.self)
            .where { $0.year < 1820 && $0.author.name == "Mary Shelley" }
            .sorted(byKeyPath: "title")
        for book in early { print(book.title, book.year ?? 0) }

        let author = realm.object(ofType: Author.self, forPrimaryKey: "Mary Shelley")
        print(author?.books.count ?? 0)
        // end
        #expect(early.count == 1 && author?.books.count == 2)
        // article change
        try realm.write {
            early.first?.title = "Frankenstein; or, The Modern Prometheus"
            realm.delete(realm.objects(Book.self).where { $0.year == nil })
        }
        // end
        #expect(early.count == 1 && realm.objects(Book.self).count == 1)
    }

    @Test("A realm that begins with a file")
    func seed() throws {
        let scratch = try TestDirectory()
        let directory = URL(fileURLWithPath: scratch.path)
        // `SeedFileTests` has files of Realm; this is one of our own.
        func seeded() throws {
            let seed = Realm.Configuration(
                fileURL: directory.appendingPathComponent("default.realm"), objectTypes: [Book.self, Author.self])
            let realm = try Realm(configuration: seed)
            try realm.write { realm.create(Author.self, value: ["name": "Mary Shelley"]) }
        }
        try seeded()
        // article seed
        var configuration = Realm.Configuration(
            fileURL: directory.appendingPathComponent("app.realmgate"), objectTypes: [Book.self, Author.self])
        configuration.seedFilePath = directory.appendingPathComponent("default.realm")
        let realm = try Realm(configuration: configuration)
        // end
        #expect(realm.objects(Author.self).count == 1)
    }

    @Test("Models")
    func models() throws {
        let realm = try Realm(configuration: BooksFixture.configuration())
        // article collections
        try realm.write {
            let edition = realm.create(Edition.self, value: ["price": 12.5, "keywords": ["gothic"]])
            edition.chapters.append(Chapter(value: ["title": "Letter 1", "pages": 6]))
            edition.titles["fr"] = "Frankenstein ou le Prométhée moderne"
            edition.keywords.insert("science fiction")
            edition.remark = .string("signed")
        }
        // end
        let edition = try #require(realm.objects(Edition.self).first)
        #expect(edition.chapters.count == 1 && edition.keywords.count == 2 && edition.binding == .paperback)
        #expect(edition.remark == .string("signed") && edition.titles["fr"]?.hasPrefix("Frank") == true)
        // article upsert
        try realm.write {
            let values: [[String: Any]] = [["isbn": "1", "title": "A"], ["isbn": "2", "title": "B"]]
            for value in values { realm.create(Book.self, value: value, update: .modified) }
        }
        // end
        #expect(realm.objects(Book.self).count == 2)
        try realm.write {
            realm.create(Loan.self, value: ["dueDate": Date()])
            realm.create(Copy.self, value: ["number": 1]).shelf = Shelf(hall: 2, row: 7)
        }
        #expect(realm.objects(Copy.self).first?.shelf?.row == 7 && realm.objects(Loan.self).count == 1)
        try realm.write { realm.object(ofType: Book.self, forPrimaryKey: "1")?.author = Author(value: ["name": "N"]) }
        // article cards
        let cards = realm.objects(BookCard.self)
        print(cards.map { "\($0.title) by \($0.author ?? "nobody")" })
        // end
        #expect(cards.first?.author == "N")
    }

    @Test("Queries")
    func queries() throws {
        let realm = try Realm(configuration: BooksFixture.configuration())
        try BooksFixture.fill(realm)
        // article where
        let books = realm.objects(Book.self)
        let romantic = books.where {
            $0.year >= 1818 && $0.year <= 1830 && $0.title.contains("man", options: .caseInsensitive)
        }
        let shelleys = realm.objects(Author.self).where { $0.books.count > 2 }
        // end
        #expect(romantic.count == 1 && shelleys.count == 1)
        // article format
        let late = books.filter("year > %@ AND author.name BEGINSWITH[c] %@", 1820, "mary")
        let predicate = NSPredicate(format: "title IN %@", ["Lodore", "Falkner"])
        let some = books.filter(predicate)
        // end
        #expect(late.count == 2 && some.count == 1)
        // article foundation
        let withL = books.filter(#Predicate<Book> { $0.title.contains("L") && $0.author?.name == "Mary Shelley" })
        // end
        #expect(withL.count == 2)
        // article order
        let newestFirst = books.sorted(by: \.year, ascending: false)
        let byAuthor = books.sorted(by: [
            RealmSwift.SortDescriptor(keyPath: "author.name"), RealmSwift.SortDescriptor(keyPath: "year"),
        ])
        let latest = books.max(of: \.year) ?? nil
        // end
        #expect(newestFirst.first?.isbn == "3" && byAuthor.first?.isbn == "1" && latest == 1835)
        // article sections
        let decades = books.sectioned(
            by: { ($0.year ?? 0) / 10 * 10 }, sortDescriptors: [RealmSwift.SortDescriptor(keyPath: "year")])
        for decade in decades { print(decade.key, decade.map(\.title)) }
        // end
        #expect(decades.map(\.key) == [1810, 1820, 1830])
    }

    @Test("Migrations")
    func migrations() throws {
        let scratch = try TestDirectory()
        let file = URL(fileURLWithPath: scratch.file("old.realm"))
        try autoreleased {
            let old = try Realm(
                configuration: Realm.Configuration(fileURL: file, objectTypes: [Book.self, Author.self]))
            try BooksFixture.fill(old)
        }
        // article migrate
        var configuration = Realm.Configuration(fileURL: file, schemaVersion: 2, objectTypes: [Book.self, Author.self])
        configuration.migrationBlock = { migration, oldVersion in
            if oldVersion < 2 {
                migration.enumerateObjects(ofType: "Book") { old, new in
                    guard let old, let new, let title = old["title"] as? String else { return }
                    new["title"] = title.uppercased()
                }
            }
        }
        let realm = try Realm(configuration: configuration)
        // end
        #expect(realm.objects(Book.self).first?.title == "FRANKENSTEIN")
        // article version
        let version = try schemaVersionAtURL(file)
        // end
        #expect(version == 2)
    }

    /// Closes the realms that the body opened.
    private func autoreleased(_ body: () throws -> Void) rethrows { try body() }
}
