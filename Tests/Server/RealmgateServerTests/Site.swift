import Foundation
import HTTPTesting
import RealmSwift
import RealmgateServer
import Synchronization
import TestBasics
import Testing

/// A hosted realm, with a queue that uses it at the same time as the server.
final class Site: Sendable {
    let configuration: Realm.Configuration
    let server: RealmServer
    private let queue = DispatchQueue(label: "site")

    static let types: [ObjectBase.Type] = [HostedDog.self, HostedPerson.self, HostedEntry.self]

    /// Creates an in-memory realm unless a file is given.
    init(file: String? = nil, types: [ObjectBase.Type] = Site.types, _ options: RealmServer.Options = .init()) throws {
        configuration = Realm.Configuration(
            fileURL: file.map { URL(fileURLWithPath: $0) }, inMemoryIdentifier: file == nil ? UUID().uuidString : nil,
            objectTypes: types)
        server = try RealmServer(realm: configuration, options: options)
        try server.start()
    }

    /// Runs on the queue, with its realm.
    @discardableResult
    func run<R: Sendable>(_ body: @Sendable (Realm) throws -> R) throws -> R {
        try queue.sync { try body(Realm(configuration: configuration, queue: queue)) }
    }

    /// Runs within a write on the queue.
    func write(_ body: @Sendable (Realm) throws -> Void) throws {
        try run { realm in try realm.write { try body(realm) } }
    }

    /// Observes on the queue while the token exists.
    func observe(_ body: @Sendable (Realm, DispatchQueue) -> NotificationToken) throws -> NotificationToken {
        try queue.sync { try body(Realm(configuration: configuration, queue: queue), queue) }
    }

    func client() throws -> LoopbackClient { try LoopbackClient(port: UInt16(server.port), host: "127.0.0.1") }

    /// Sends one request on a connection of its own.
    func ask(
        _ line: String, _ body: String = "", headers: String = ""
    ) throws -> (status: Int, json: [String: Any], text: String) {
        try client().ask(line, body, headers: headers)
    }
}

extension LoopbackClient {
    func ask(
        _ line: String, _ body: String = "", headers: String = ""
    ) throws -> (status: Int, json: [String: Any], text: String) {
        try send(line, headers: headers, body: body)
        let answer = try answer()
        let json = try? JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
        return (answer.status, json ?? [:], answer.body)
    }

    /// Returns the next event with its data.
    func news() throws -> (name: String, json: [String: Any]) {
        let event = try event()
        let json = try JSONSerialization.jsonObject(with: Data(event.data.utf8)) as? [String: Any]
        return (event.name, json ?? [:])
    }
}

/// Notes from other threads.
final class Notes: Sendable {
    private let all = Mutex<[String]>([])

    func add(_ note: String) { all.withLock { $0.append(note) } }

    /// Returns the notes once they are enough. Fails with those that came if they never are.
    func wait(
        sourceLocation: SourceLocation = #_sourceLocation, until areEnough: ([String]) -> Bool
    ) async throws -> [String] {
        var notes: [String] = []
        let hasCome = try await eventually {
            notes = all.withLock { $0 }
            return areEnough(notes)
        }
        #expect(hasCome, "\(notes)", sourceLocation: sourceLocation)
        return notes
    }
}
