import Foundation
import OpenCombine
import OpenCombineDispatch
import RealmSwift

// A feed reader that works in the background: threads, queues, actors and Combine.

class FeedSource: Object {
    @Persisted(primaryKey: true) var url: String
    @Persisted var title: String?
    @Persisted var articles: RealmSwift.List<FeedArticle>
    @Persisted var fetchedAt: Date?
}

class FeedArticle: Object {
    @Persisted(primaryKey: true) var guid: String
    @Persisted var title = ""
    @Persisted var isRead = false
    @Persisted var score = 0.0
    @Persisted(originProperty: "articles") var sources: LinkingObjects<FeedSource>
}

/// A source that is passed to another thread.
final class FeedHandle {
    @ThreadSafe var source: FeedSource?

    init(_ source: FeedSource) {
        self.source = source
    }
}

/// Imports on a queue of its own.
final class FeedImporter {
    private let queue = DispatchQueue(label: "feed.import")
    private let configuration: Realm.Configuration

    init(configuration: Realm.Configuration) {
        self.configuration = configuration
    }

    func importArticles(
        _ entries: [(guid: String, title: String)], into source: FeedSource,
        completion: @escaping (Result<Int, Error>) -> Void
    ) {
        let reference = ThreadSafeReference(to: source)
        let configuration = self.configuration
        queue.async {
            autoreleasepool {
                do {
                    let realm = try Realm(configuration: configuration, queue: nil)
                    guard let source = realm.resolve(reference) else {
                        completion(.success(0))
                        return
                    }
                    try realm.write {
                        for entry in entries {
                            let article = realm.create(
                                FeedArticle.self, value: ["guid": entry.guid, "title": entry.title], update: .modified)
                            if source.articles.index(of: article) == nil {
                                source.articles.append(article)
                            }
                        }
                        source.fetchedAt = Date()
                    }
                    completion(.success(source.articles.count))
                } catch {
                    completion(.failure(error))
                }
            }
        }
    }

    func markAllRead(in source: FeedSource, completion: @escaping () -> Void) {
        let handle = FeedHandle(source)
        queue.async {
            guard let source = handle.source, let realm = source.realm else { return completion() }
            do {
                try realm.write { source.articles.setValue(true, forKey: "isRead") }
            } catch {
                print("\(error)")
            }
            completion()
        }
    }

    func markAllRead(_ results: Results<FeedArticle>, completion: @escaping () -> Void) {
        let reference = ThreadSafeReference(to: results)
        let configuration = self.configuration
        queue.async {
            guard let realm = try? Realm(configuration: configuration), let results = realm.resolve(reference) else {
                return completion()
            }
            try? realm.write {
                for article in results { article.isRead = true }
            }
            completion()
        }
    }
}

/// The same with an actor.
actor FeedActor {
    private var realm: Realm?
    private var token: NotificationToken?
    private(set) var log: [String] = []

    func open(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func add(_ guid: String, title: String) async throws {
        try await realm?.asyncWrite {
            _ = realm?.create(FeedArticle.self, value: ["guid": guid, "title": title], update: .modified)
        }
    }

    func rename(_ guid: String, to title: String) async throws {
        guard let realm, let article = realm.object(ofType: FeedArticle.self, forPrimaryKey: guid) else { return }
        try await realm.asyncWrite {
            article.title = title
        }
    }

    func titles() -> [String] {
        guard let realm else { return [] }
        return realm.objects(FeedArticle.self).sorted(by: \.guid).map(\.title)
    }

    func observe() async {
        guard let realm else { return }
        token = await realm.objects(FeedArticle.self).observe(keyPaths: ["title"], on: self) { actor, changes in
            switch changes {
            case .initial(let articles): actor.log.append("initial \(articles.count)")
            case .update(_, let deletions, let insertions, let modifications):
                actor.log.append("\(deletions) \(insertions) \(modifications)")
            case .error: break
            }
        }
    }

    func close() {
        token?.invalidate()
        realm = nil
    }
}

/// Pipelines of a screen.
final class FeedScreen {
    private var cancellables = Set<AnyCancellable>()
    private let lock = NSLock()
    private var _lines: [String] = []
    var token: NotificationToken?

    var lines: [String] { lock.withLock { _lines } }

    private func note(_ line: String) { lock.withLock { _lines.append(line) } }

    func bind(to realm: Realm, source: FeedSource, background: DispatchQueue) {
        realm.objects(FeedArticle.self)
            .where { !$0.isRead }
            .collectionPublisher
            .map { $0.count }
            .removeDuplicates()
            .sink(receiveCompletion: { _ in }, receiveValue: { [unowned self] in note("unread \($0)") })
            .store(in: &cancellables)

        realm.objects(FeedArticle.self)
            .changesetPublisher(keyPaths: ["title"])
            .subscribe(on: background)
            .freeze()
            .sink { [unowned self] change in
                if case .update(let articles, _, let insertions, _) = change, !insertions.isEmpty {
                    note("new \(insertions.map { articles[$0].title })")
                }
            }
            .store(in: &cancellables)

        source.objectWillChange
            .sink { [unowned self] in note("source") }
            .store(in: &cancellables)

        valuePublisher(source.articles)
            .threadSafeReference()
            .receive(on: background)
            .map { $0.last?.title ?? "none" }
            .sink(receiveCompletion: { _ in }, receiveValue: { [unowned self] in note("last \($0)") })
            .store(in: &cancellables)

        source.articles.objectWillChange
            .saveToken(on: self, at: \.token)
            .sink { [unowned self] in note("articles") }
            .store(in: &cancellables)
    }

    func unbind() {
        cancellables.forEach { $0.cancel() }
        cancellables = []
    }
}
