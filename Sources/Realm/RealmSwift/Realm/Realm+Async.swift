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
        trapOnError { try rlm.catchUp() }
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
        trapOnError { try rlm.catchUp() }
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
        trapOnError { try realm.rlm.catchUp() }
        return realm
    }

    /// Opens the file in the background.
    @concurrent
    private static func prepared(_ configuration: Configuration) async throws -> SharedRealmFile {
        try Task.checkCancellation()
        let file = try fileErrors { try SharedRealmFile.open(configuration) }
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
        @Sendable func realm(_ file: SharedRealmFile) throws -> Realm {
            try fileErrors { Realm(try file.realm(on: scheduler(of: callbackQueue), configuration)) }
        }
        // Whoever opens or downloads hands the file over and keeps no reference to it, so that the program can delete the
        // file as soon as it has released the realm.
        let opened = OpenedFile()
        @Sendable func finish() {
            guard !task.isCancelled else { return opened.drop() }
            callback(
                Result {
                    let realm = try realm(opened.take())
                    trapOnError { try realm.rlm.catchUp() }
                    return realm
                })
        }
        let open = DispatchWorkItem {
            opened.put(Result { try fileErrors { try SharedRealmFile.open(configuration) } })
        }
        open.notify(queue: callbackQueue) {
            guard !task.isCancelled, let sync = opened.sync else { return finish() }
            do {
                // Subscriptions need the classes of an open realm.
                try opened.use { try realm($0).rlm.subscribeInitially() }
            } catch {
                opened.drop()
                return callback(.failure(error))
            }
            task.run {
                do {
                    try await sync.download(before: .always)
                } catch {
                    opened.put(.failure(error))
                }
                callbackQueue.async { finish() }
            }
        }
        DispatchQueue.global().async(execute: open)
        return task
    }

    /// The file of an asynchronous open, or the error.
    private final class OpenedFile: Sendable {
        private let result = Mutex<Result<SharedRealmFile, any Swift.Error>>(.failure(CancellationError()))

        func put(_ new: Result<SharedRealmFile, any Swift.Error>) { result.withLock { $0 = new } }

        func drop() { put(.failure(CancellationError())) }

        func take() throws -> SharedRealmFile {
            let taken = result.withLock { result in
                defer { result = .failure(CancellationError()) }
                return result
            }
            return try taken.get()
        }

        func use(_ body: (SharedRealmFile) throws -> Void) throws { try body(result.withLock { $0 }.get()) }

        var sync: FileSync? { try? result.withLock { $0 }.get().sync }
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
