import Foundation
import RealmSwift
import Synchronization
import Testing

class LoggedThing: Object {
    @Persisted var number: Int
}

/// The messages of one realm, because others run at the same time.
private final class Messages: Sendable {
    private let seen = Mutex<[String]>([])

    func add(_ text: String) { seen.withLock { $0.append(text) } }
    func about(_ category: any LogCategory, _ part: String) -> [String] {
        seen.withLock { $0 }.filter { $0.contains(" \(category.rawValue): ") && $0.contains(part) }
    }
}

@Suite("Logging", .serialized)
struct LoggerTests {
    @Test("Logger.{levels,categories} setting a category's level sets those of its parts, and no others")
    func levels() {
        defer { Logger.setLogLevel(.info) }
        #expect(Logger.logLevel(for: Category.realm) == .info)
        #expect(Logger.logLevel(for: Category.Sync.Client.network) == .info)
        Logger.setLogLevel(.off, for: Category.Sync.all)
        Logger.setLogLevel(.warn, for: Category.Sync.Client.session)
        #expect(Logger.logLevel(for: Category.Sync.Client.network) == .off)
        #expect(Logger.logLevel(for: Category.Sync.Client.session) == .warn)
        #expect(Logger.logLevel(for: Category.Storage.query) == .info)
        Logger.setLogLevel(.error)
        #expect(Logger.logLevel(for: Category.Sync.Client.session) == .error)
        #expect(LogLevel.off < .fatal && LogLevel.trace < .all)
    }

    @Test("Logger.shared a logger is told of opening, migration, transactions and queries, as the levels say")
    func messages() throws {
        let messages = Messages()
        let before = Logger.shared
        Logger.shared = Logger { level, category, message in messages.add("\(level) \(category.rawValue): \(message)") }
        defer {
            Logger.setLogLevel(.info)
            Logger.shared = before
        }
        let url = FileManager.default.temporaryDirectory.appending(path: "logged-\(UUID().uuidString).realm")
        let name = url.lastPathComponent
        defer { try? FileManager.default.removeItem(at: url) }
        try write(url, version: 1)
        #expect(messages.about(Category.Storage.all, name).isEmpty)
        Logger.setLogLevel(.detail)
        try write(url, version: 2)
        #expect(messages.about(Category.Storage.all, name).first?.hasPrefix("detail ") == true)
        #expect(messages.about(Category.Storage.transaction, name).isEmpty)
        #expect(messages.about(Category.sdk, name).contains { $0.contains("from schema version 1 to 2") })
        Logger.setLogLevel(.all, for: Category.Storage.all)
        try write(url, version: 2)
        #expect(messages.about(Category.Storage.transaction, name).contains { $0.contains("ommit") })
        #expect(messages.about(Category.Storage.query, "LoggedThing").contains { $0.contains("number") })
        let count = messages.about(Category.Storage.transaction, name).count
        Logger.setLogLevel(.off)
        try write(url, version: 2)
        #expect(messages.about(Category.Storage.transaction, name).count == count)
    }

    private func write(_ url: URL, version: UInt64) throws {
        let realm = try Realm(
            configuration: Realm.Configuration(fileURL: url, schemaVersion: version, objectTypes: [LoggedThing.self]))
        try realm.write { realm.create(LoggedThing.self, value: [1]) }
        #expect(realm.objects(LoggedThing.self).filter("number == 1").first?.number == 1)
    }
}
