import Foundation
import OpenCombine
import RealmSwift
import RealmgateServer
import Testing

// article actor
actor Librarian {
    private let configuration: Realm.Configuration

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    func add(_ title: String, isbn: String) async throws {
        let realm = try await Realm(configuration: configuration, actor: self)
        try await realm.asyncWrite {
            realm.create(Book.self, value: ["isbn": isbn, "title": title], update: .modified)
        }
    }

    func count() async throws -> Int {
        try await Realm(configuration: configuration, actor: self).objects(Book.self).count
    }
}
// end

// article follow
actor Follower {
    private let configuration: Realm.Configuration

    init(file: URL, gateway: URL, key: String) {
        var configuration = Realm.Configuration(fileURL: file, objectTypes: [Book.self, Author.self])
        configuration.syncConfiguration = SyncConfiguration(
            gateway: gateway, token: key, errorHandler: { error in print(error) })
        self.configuration = configuration
    }

    func mark() async throws -> Int {
        let realm = try await Realm(configuration: configuration, actor: self)
        let recent = try await realm.objects(Book.self).where { $0.year > 2020 }.subscribe(name: "recent", timeout: 120)
        try await realm.asyncWrite { recent.first?.title += " (new)" }
        try await realm.syncSession?.wait(for: .upload)
        return recent.count
    }
}
// end

/// Opens a file after its data has been downloaded.
actor Reader {
    func count(file: URL, gateway: URL, key: String) async throws -> Int {
        var configuration = Realm.Configuration(fileURL: file, objectTypes: [Book.self, Author.self])
        // article open
        configuration.syncConfiguration = SyncConfiguration(
            gateway: gateway, token: key, initialSubscriptions: { $0.append(QuerySubscription<Book>(name: "books")) },
            openTimeout: 120)
        let realm = try await Realm(configuration: configuration, actor: self, downloadBeforeOpen: .once)
        // end
        return realm.objects(Book.self).count
    }
}

/// Follows a gateway, and keeps a copy and the drafts when the gateway has lost its history.
enum Resetting {
    static func configuration(file: URL, copy: URL, gateway: URL, key: String) -> Realm.Configuration {
        var configuration = Realm.Configuration(fileURL: file, objectTypes: [Book.self, Author.self])
        var sync = SyncConfiguration(gateway: gateway, token: key)
        // article reset
        sync.clientResetMode = .discardUnsyncedChanges { before in
            try? before.writeCopy(configuration: Realm.Configuration(fileURL: copy))
        } afterReset: { before, after in
            try? after.write { keepDrafts(from: before, in: after) }
        }
        // end
        configuration.syncConfiguration = sync
        return configuration
    }

    /// Books without a year are drafts.
    private static func keepDrafts(from before: Realm, in after: Realm) {
        for book in before.objects(Book.self).where({ $0.year == nil }) {
            after.create(Book.self, value: ["isbn": book.isbn, "title": book.title], update: .modified)
        }
    }
}

@Suite("Articles about what is live")
struct LiveArticles {
    @Test("Observing")
    func observing() async throws {
        let configuration = BooksFixture.configuration()
        let seen = Notes()
        // article queue
        let queue = DispatchQueue(label: "library")
        let token = try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            return realm.objects(Book.self).observe(on: queue) { change in
                switch change {
                case .initial(let books): seen.add("\(books.count) books")
                case .update(_, let deletions, let insertions, let modifications):
                    seen.add("-\(deletions) +\(insertions) ~\(modifications)")
                case .error(let error): seen.add("\(error)")
                }
            }
        }
        // end
        _ = try await seen.wait { $0.count == 1 }
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            try BooksFixture.fill(realm)
        }
        #expect(try await seen.wait { $0.count == 2 } == ["0 books", "-[] +[0, 1, 2] ~[]"])
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            let book = try #require(realm.objects(Book.self).first)
            // article object
            let ofBook = book.observe(keyPaths: [\Book.title]) { change in
                if case .change(_, let properties) = change {
                    for property in properties { seen.add("\(property.name): \(property.newValue ?? "nil")") }
                }
            }
            // end
            // article silent
            try realm.write(withoutNotifying: [ofBook]) { book.title = "A new title" }
            // end
            // article aggregates
            let ofYears = realm.objects(Book.self).observeAggregate([.max(of: \Book.year)], on: queue) { change in
                switch change {
                case .initial(let values), .update(let values):
                    seen.add("\(values.count) books, until \(values.max(of: \Book.year) ?? 0)")
                }
            }
            let byYear = realm.objects(Book.self).observeAggregate(by: \Book.year, on: queue) { change in
                if case .update(let groups, _, _, _) = change { seen.add("\(groups.count) years") }
            }
            // end
            byYear.invalidate()
            ofYears.invalidate()
            // article publisher
            let subscription = realm.objects(Book.self).collectionPublisher
                .sink(receiveCompletion: { _ in }, receiveValue: { books in print(books.count) })
            // end
            subscription.cancel()
            ofBook.invalidate()
        }
        token.invalidate()
    }

    @Test("Threads, queues and actors")
    func threads() async throws {
        let configuration = BooksFixture.configuration()
        // An in-memory realm exists as long as an instance of it.
        let keeper = try RealmServer(realm: configuration)
        let librarian = Librarian(configuration)
        try await librarian.add("Valperga", isbn: "4")
        #expect(try await librarian.count() == 1)
        let queue = DispatchQueue(label: "other")
        let titles = try await readTitles(configuration, queue)
        #expect(titles == ["Valperga"])
        await keeper.stop()
    }

    /// Reads on another queue.
    private func readTitles(_ configuration: Realm.Configuration, _ queue: DispatchQueue) async throws -> [String] {
        let (frozen, reference) = try queue.sync {
            // article frozen
            let realm = try Realm(configuration: configuration, queue: queue)
            let frozen = realm.objects(Book.self).freeze()
            let reference = ThreadSafeReference(to: realm.objects(Book.self))
            // end
            return (Sent(frozen), reference)
        }
        let other = DispatchQueue(label: "another")
        return try other.sync {
            // article resolve
            let realm = try Realm(configuration: configuration, queue: other)
            let books = realm.resolve(reference)
            // end
            #expect(books?.count == frozen.value.count)
            return books.map { $0.map(\.title) } ?? []
        }
    }

    /// Frozen values may be read on any thread.
    private struct Sent<T>: @unchecked Sendable {
        let value: T
        init(_ value: T) { self.value = value }
    }

    @Test("Following a gateway")
    func following() async throws {
        let configuration = BooksFixture.configuration()
        let server = try RealmServer(realm: configuration, options: .init(port: 0))
        try server.start()
        let queue = DispatchQueue(label: "library")
        try queue.sync { try BooksFixture.fill(Realm(configuration: configuration, queue: queue)) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("article-\(UUID().uuidString).realm")
        defer { _ = try? Realm.deleteFiles(for: Realm.Configuration(fileURL: file)) }
        #expect(try await Reader().count(file: file, gateway: server.url, key: "any") == 3)
        let follower = Follower(file: file, gateway: server.url, key: "any")
        #expect(try await follower.mark() == 0)
        await server.stop()
    }

    @Test("Hosting the gateway")
    func hosting() async throws {
        let configuration = BooksFixture.configuration()
        // article serve
        let server = try RealmServer(realm: configuration, options: .init(host: "127.0.0.1", port: 0))
        try server.start()
        print("GET \(server.url)/v1/objects/Book")
        // end
        let queue = DispatchQueue(label: "library")
        try queue.sync { try BooksFixture.fill(Realm(configuration: configuration, queue: queue)) }
        // article stop
        await server.stop(within: .seconds(5))
        // end
        #expect(!server.isRunning)
        let secret = String(repeating: "0123456789", count: 4)
        let file = URL(fileURLWithPath: "/nowhere/keys.json")
        // article access
        let reader = RealmServer.Role(
            "reader", rules: ["Book": .readOnly, "Loan": .init(read: "borrower == $claims.sub")])
        var options = RealmServer.Options(host: "0.0.0.0", port: 8443)
        options.access = .init(roles: [reader], administratorKey: secret, tokens: .init(keySetFile: file))
        // end
        #expect(options.access.roles.count == 1 && options.host == "0.0.0.0")
    }
}
