import Foundation
import RealmSwift
import Synchronization
import TestBasics
import Testing

/// A queue with a realm, and the notes made there.
final class QueueFixture: Sendable {
    let queue = DispatchQueue(label: "fixture")
    let configuration: Realm.Configuration
    private let anchor: NotificationToken?
    private let seen = Mutex<[String]>([])
    private let tokens = Mutex<[NotificationToken]>([])

    init(_ types: [ObjectBase.Type]) {
        let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types)
        self.configuration = configuration
        // Keeps the in-memory realm open, which exists while an instance does.
        anchor = try? queue.sync { [queue] in try Realm(configuration: configuration, queue: queue).observe { _, _ in }
        }
    }

    /// Creates another queue for the same realm.
    init(beside fixture: QueueFixture) {
        configuration = fixture.configuration
        anchor = fixture.anchor
    }

    /// Runs the body on the queue.
    func run<R: Sendable>(_ body: @Sendable (Realm) throws -> R) throws -> R {
        try queue.sync { try body(Realm(configuration: configuration, queue: queue)) }
    }

    func note(_ text: String) { seen.withLock { $0.append(text) } }

    func keep(_ token: NotificationToken) { tokens.withLock { $0.append(token) } }

    /// The tokens, for writes that skip their observers.
    var kept: [NotificationToken] { tokens.withLock { $0 } }

    func dropTokens() { tokens.withLock { $0 = [] } }

    /// Returns the notes once there are this many. Fails with those that came if they are fewer.
    func notes(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        let areEnough = try await eventually { seen.withLock { $0.count } >= count }
        let notes = seen.withLock { $0 }
        #expect(areEnough, "\(notes)", sourceLocation: sourceLocation)
        return notes
    }

    /// Returns the notes once all of these are among them. Fails with those that are not.
    func notes(
        with wanted: Set<String>, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Set<String> {
        let haveCome = try await eventually { seen.withLock { wanted.isSubset(of: $0) } }
        let notes = seen.withLock { Set($0) }
        #expect(haveCome, "\(wanted.subtracting(notes)) of \(notes)", sourceLocation: sourceLocation)
        return notes
    }
}
