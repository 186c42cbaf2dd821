import Dispatch
import Foundation
import RealmInstances
import StoreContract
import SyncEngine
import Synchronization

/// Calls a program's blocks and error handlers for one file, among them those of client resets.
final class FileResets: Sendable {
    private let store: any Store
    private let path: String
    private let configuration: Realm.Configuration
    private let mode: ClientResetMode
    private let handler: (@Sendable (SyncError) -> Void)?
    private let queue = DispatchQueue(label: "realmgate.sync.reset")
    private let links = Mutex(Links())

    private struct Links {
        weak var file: SharedRealmFile?
        weak var client: SyncClient?
        /// The state before the reset that is running.
        var before: Frozen?
    }

    /// Sendable because a frozen realm is for all threads.
    private struct Frozen: @unchecked Sendable {
        let realm: Realm
    }

    init(
        _ store: any Store, path: String, _ whole: Realm.Configuration, _ configuration: SyncConfiguration
    ) {
        self.store = store
        self.path = path
        self.configuration = whole
        mode = configuration.clientResetMode
        handler = configuration.errorHandler
    }

    func attach(_ client: SyncClient) { links.withLock { $0.client = client } }

    func attach(_ file: SharedRealmFile) { links.withLock { $0.file = file } }

    // MARK: Errors

    func report(_ fault: FollowerFault) {
        var error = SyncError(fault)
        guard fault.code == .clientReset else {
            handler?(error)
            return
        }
        let copy = "\(path).recovery-\(UUID().uuidString)"
        let isBegun = Atomic(false)
        error.resetPath = copy
        error.resetToken = SyncError.ActionToken { [weak self] in
            guard !isBegun.exchange(true, ordering: .sequentiallyConsistent) else { return }
            self?.begin(copyingTo: copy)
        }
        guard let report = mode.errorHandler else {
            handler?(error)
            return
        }
        report(error, links.withLock { $0.client }.map { SyncSession($0) })
    }

    private func begin(copyingTo copy: String) {
        queue.async { [self] in
            // The file stays open for the copy.
            guard let file = links.withLock({ $0.file }), let client = links.withLock({ $0.client }) else { return }
            withExtendedLifetime(file) {
                do {
                    try store.writeCopy(to: copy, progress: nil)
                    client.beginReset()
                } catch {
                    handler?(
                        SyncError(
                            code: .file,
                            message:
                                "The client reset did not begin, because the copy of the file cannot be written: \(error)"
                        ))
                }
            }
        }
    }

    // MARK: Blocks

    func willReset() async {
        let blocks = mode.blocks
        guard blocks.before != nil || blocks.after != nil else { return }
        await call { [self] realm in
            let frozen = realm.freeze()
            links.withLock { $0.before = Frozen(realm: frozen) }
            blocks.before?(frozen)
        }
    }

    func didReset() async {
        guard let after = mode.blocks.after else { return }
        await call { [self] realm in
            let before = links.withLock { links in
                defer { links.before = nil }
                return links.before
            }
            after(before?.realm ?? realm.freeze(), realm)
        }
    }

    /// Calls with the live realm of the queue, unless the file is closing.
    private func call(_ body: @escaping @Sendable (Realm) -> Void) async {
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            queue.async { [self] in
                if let file = links.withLock({ $0.file }) {
                    autoreleasepool {
                        if let realm = try? Realm(file.realm(on: scheduler(of: queue), configuration)) {
                            realm.refresh()
                            body(realm)
                        }
                    }
                }
                done.resume()
            }
        }
    }
}
