import Dispatch
public import Foundation
import RealmInstances
import Synchronization

extension Realm {
    /// Determines which data must be downloaded before a realm that synchronises with a gateway opens; see
    /// `SyncConfiguration`. The subscriptions are those in the file and those of `initialSubscriptions`.
    ///
    /// An open that waits for the gateway throws `SyncError` if the gateway cannot be reached or rejects the token. It
    /// throws `Realm.Error` with the code `subscriptionFailed` if the gateway rejects a subscription or `openTimeout`
    /// elapses. The subscriptions remain, so that the next open continues the download. Without a gateway the open does
    /// not wait.
    public enum OpenBehavior: Sendable {
        /// Waits for nothing.
        case never
        /// Waits for the data of all subscriptions, unless the file has had all of it once; then it opens without a
        /// network.
        case once
        /// Waits for the current data of all subscriptions.
        case always
    }

    /// Opens a realm for the main actor. A migration runs in the background. Throws `Realm.Error` or
    /// `CancellationError`.
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

    /// Opens a realm for an actor, which must be the calling one. A migration runs in the background. Throws
    /// `Realm.Error` or `CancellationError`.
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

    /// Opens the file in the background.
    @concurrent
    private static func prepared(_ configuration: Configuration) async throws -> RealmFile {
        try Task.checkCancellation()
        let file = try fileErrors { try RealmFile.open(configuration) }
        try Task.checkCancellation()
        return file
    }

    /// Opens the realm's file in the background, then the realm on the queue, and calls the callback there. A realm
    /// that synchronises with a gateway first downloads the data of its subscriptions, as with `OpenBehavior.always`.
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
                    // Subscriptions need the classes of an open realm.
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

    /// An asynchronous open that can be cancelled.
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

        /// Cancels the open: the callback is not called, and the download is no longer awaited.
        public func cancel() {
            let download = state.withLock { state in
                state.isCancelled = true
                return state.download
            }
            download?.cancel()
        }
    }
}
