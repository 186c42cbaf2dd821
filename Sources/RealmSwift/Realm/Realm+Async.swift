import Dispatch
public import Foundation
import LiveQueries
import LiveSchedulers
import Synchronization

extension Realm {
    /// What is downloaded before a realm that follows a gateway opens.
    public enum OpenBehavior: Sendable {
        /// Nothing.
        case never
        /// Everything that is subscribed to, if not all of it has been downloaded before.
        case once
        /// Everything that is subscribed to.
        case always
    }

    /// Opens a realm for the main thread; a migration runs elsewhere. Throws `Realm.Error`, and `CancellationError`.
    @MainActor
    public init(
        configuration: Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        let file = try await Realm.prepared(configuration)
        rlm = try fileErrors { try file.realm(on: RunLoopScheduler.main, configuration) }
        rlm.subscribeInitially()
        try await file.sync?.download(before: downloadBeforeOpen)
        raising { _ = try rlm.live.refresh() }
    }

    /// Opens a realm for an actor, which must be the calling one; a migration runs elsewhere. Throws `Realm.Error`, and
    /// `CancellationError`.
    public init<A: Actor>(
        configuration: Configuration = .defaultConfiguration, actor: isolated A,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        let file = try await Realm.prepared(configuration)
        rlm = try fileErrors { try file.realm(on: scheduler(of: actor), configuration) }
        rlm.subscribeInitially()
        try await file.sync?.download(before: downloadBeforeOpen)
        raising { _ = try rlm.live.refresh() }
    }

    /// Opens a realm for the calling actor. See `init(configuration:actor:downloadBeforeOpen:)`.
    public static func open(
        configuration: Configuration = .defaultConfiguration, _isolation: isolated any Actor = #isolation,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws -> Realm {
        let file = try await prepared(configuration)
        let realm = Realm(try fileErrors { try file.realm(on: scheduler(of: _isolation), configuration) })
        realm.rlm.subscribeInitially()
        try await file.sync?.download(before: downloadBeforeOpen)
        realm.refresh()
        return realm
    }

    /// The open file, opened in the background.
    @concurrent
    private static func prepared(_ configuration: Configuration) async throws -> RealmFile {
        try Task.checkCancellation()
        let file = try fileErrors { try RealmFile.open(configuration) }
        try Task.checkCancellation()
        return file
    }

    /// Opens a realm's file in the background, and then the realm on the queue, where the callback is given it.
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration, callbackQueue: DispatchQueue = .main,
        callback: @escaping @Sendable (Result<Realm, any Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        let task = AsyncOpenTask()
        DispatchQueue.global().async {
            let opened = Result { try fileErrors { try RealmFile.open(configuration) } }
            callbackQueue.async {
                guard !task.isCancelled else { return }
                callback(
                    opened.flatMap { file in
                        Result {
                            try fileErrors {
                                Realm(try file.realm(on: scheduler(of: callbackQueue), configuration))
                            }
                        }
                    })
            }
        }
        return task
    }

    /// An opening that may be given up.
    public final class AsyncOpenTask: Sendable {
        private let cancelled = Atomic(false)

        var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

        /// The callback is not called any more.
        public func cancel() { cancelled.store(true, ordering: .releasing) }
    }
}
