import Dispatch
import Foundation
import RealmSwift
import RealmgateServer

/// A server for notes: HTTP clients write them, and the program hears of each and answers in the same database.
///
///     swift run NotesServer [FILE] [PORT]
///
/// Try it from another terminal while it runs:
///
///     curl -N http://127.0.0.1:8080/v1/observe/objects/Note
///     curl http://127.0.0.1:8080/v1/objects/Note
///     curl -X PUT http://127.0.0.1:8080/v1/objects/Note/milk --json '{"text": "Two bottles", "tags": ["shopping"]}'
@main
struct NotesServer {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: arguments.first ?? "notes.realm"), objectTypes: [Note.self, Folder.self])
        let port = arguments.dropFirst().first.flatMap { Int($0) } ?? 8080

        let server = try RealmServer(realm: configuration, options: .init(port: port))
        let clerk = try Clerk(configuration)
        try server.start()
        print("Notes are at \(server.url)/v1/objects/Note; Ctrl-C stops.")
        try await server.run(untilSignals: [SIGINT, SIGTERM])
        clerk.rest()
    }
}

/// Puts notes about shopping into their folder, whoever wrote them.
final class Clerk: Sendable {
    /// A realm belongs to a thread, a serial queue or an actor.
    private let queue = DispatchQueue(label: "clerk")
    private let token: NotificationToken

    init(_ configuration: Realm.Configuration) throws {
        token = try queue.sync { [queue] in
            let realm = try Realm(configuration: configuration, queue: queue)
            try realm.write {
                if realm.isEmpty { realm.create(Note.self, value: ["name": "welcome", "text": "Hello"]) }
            }
            let open = realm.objects(Note.self).where { !$0.isDone }
            return open.observe(on: queue) { change in
                switch change {
                case .initial(let notes): print("\(notes.count) notes are open.")
                case .update(let notes, let deletions, let insertions, let modifications):
                    print("\(notes.count) are open: +\(insertions.count) -\(deletions.count) ~\(modifications.count)")
                    Self.file(notes)
                case .error(let error): print("No news any more: \(error)")
                }
            }
        }
    }

    /// Clients see the folders as soon as they are committed.
    private static func file(_ notes: Results<Note>) {
        let new = notes.where { $0.folder == nil && $0.tags.contains("shopping") }
        guard let realm = new.realm, !new.isEmpty else { return }
        realm.writeAsync {
            let folder = realm.create(Folder.self, value: ["name": "Shopping"], update: .modified)
            for note in new { note.folder = folder }
        }
    }

    func rest() { token.invalidate() }
}
