import Dispatch
public import Foundation
import LiveQueries
import LiveSchedulers
import Synchronization

extension Realm {
    /// What is downloaded before a realm that follows a gateway opens; see `SyncConfiguration`. What is subscribed to are
    /// the subscriptions that the file has, and those of `initialSubscriptions`.
    ///
    /// When the gateway cannot be reached, or does not take the token, an opening that waits for it throws `SyncError`, and
    /// `Realm.Error` with the code `subscriptionFailed` when it does not follow a subscription, or `openTimeout` is over. The
    /// subscriptions stay, so that the next opening goes on. Without a gateway there is nothing to wait for.
    public enum OpenBehavior: Sendable {
        /// Nothing.
        case never
        /// Everything that is subscribed to, unless this file has had all of it once: it opens without a network then.
        case once
        /// Everything that is subscribed to, as the gateway has it now.
        case always
    }

    /// Opens a realm for the main thread; a migration runs elsewhere. Throws `Realm.Error`, and `CancellationError`.
    @MainActor
    public init(
        configuration: Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        let file = try await Realm.prepared(configuration)
        rlm = try fileErrors { try file.realm(on: scheduler(of: MainActor.shared), configuration) }
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

    /// Opens a realm's file in the background, and then the realm on the queue, where the callback is given it; one that
    /// follows a gateway when it has what its subscriptions match, as with `OpenBehavior.always`.
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration, callbackQueue: DispatchQueue = .main,
        callback: @escaping @Sendable (Result<Realm, any Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        let task = AsyncOpenTask()
        @Sendable func realm(_ file: RealmFile) throws -> Realm {
            try fileErrors { Realm(try file.realm(on: scheduler(of: callbackQueue), configuration)) }
        }
        @Sendable func finish(_ opened: Result<RealmFile, any Swift.Error>) {
            callbackQueue.async {
                guard !task.isCancelled else { return }
                callback(
                    opened.flatMap { file in
                        Result {
                            let realm = try realm(file)
                            realm.refresh()
                            return realm
                        }
                    })
            }
        }
        DispatchQueue.global().async {
            let opened = Result { try fileErrors { try RealmFile.open(configuration) } }
            guard case .success(let file) = opened, let sync = file.sync else { return finish(opened) }
            callbackQueue.async {
                guard !task.isCancelled else { return }
                do {
                    // The subscriptions are bound to the classes of a realm.
                    try realm(file).rlm.subscribeInitially()
                } catch {
                    return callback(.failure(error))
                }
                task.run {
                    do {
                        try await sync.download(before: .always)
                        finish(.success(file))
                    } catch {
                        finish(.failure(error))
                    }
                }
            }
        }
        return task
    }

    /// An opening that may be given up.
    public final class AsyncOpenTask: Sendable {
        private struct State {
            var isCancelled = false
            var download: Task<Void, Never>?
        }

        private let state = Mutex(State())

        var isCancelled: Bool { state.withLock { $0.isCancelled } }

        func run(_ download: @escaping @Sendable () async -> Void) {
            state.withLock { state in
                if !state.isCancelled { state.download = Task { await download() } }
            }
        }

        /// The callback is not called any more, and nothing is waited for.
        public func cancel() {
            let download = state.withLock { state in
                state.isCancelled = true
                return state.download
            }
            download?.cancel()
        }
    }
}
