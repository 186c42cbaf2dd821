import Foundation
import RealmSwift
import Synchronization

/// A queue with a realm, and what was seen there.
final class Place: Sendable {
    let queue = DispatchQueue(label: "place")
    let configuration: Realm.Configuration
    private let anchor: NotificationToken?
    private let seen = Mutex<[String]>([])
    private let tokens = Mutex<[NotificationToken]>([])

    init(_ types: [ObjectBase.Type]) {
        let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types)
        self.configuration = configuration
        // Keeps the realm open, which lives in memory for as long as somebody has it.
        anchor = try? queue.sync { [queue] in try Realm(configuration: configuration, queue: queue).observe { _, _ in }
        }
    }

    /// Another queue of the same realm.
    init(beside place: Place) {
        configuration = place.configuration
        anchor = place.anchor
    }

    /// Runs there.
    func run<R: Sendable>(_ body: @Sendable (Realm) throws -> R) throws -> R {
        try queue.sync { try body(Realm(configuration: configuration, queue: queue)) }
    }

    func note(_ text: String) { seen.withLock { $0.append(text) } }

    func keep(_ token: NotificationToken) { tokens.withLock { $0.append(token) } }

    /// For what is to be done without telling them.
    var kept: [NotificationToken] { tokens.withLock { $0 } }

    func dropTokens() { tokens.withLock { $0 = [] } }

    /// What was noted, as soon as that is so many notes, or after a while.
    func notes(_ count: Int) async throws -> [String] {
        for _ in 0..<2000 {
            let notes = seen.withLock { $0 }
            if notes.count >= count { return notes }
            try await Task.sleep(for: .milliseconds(2))
        }
        return seen.withLock { $0 }
    }
}
