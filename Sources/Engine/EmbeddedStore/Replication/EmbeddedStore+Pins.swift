import StoredRecords
package import ObjectModel
package import StoreContract
import Synchronization

extension EmbeddedStore: SharedVersions {
    package var sharedVersions: (any SharedVersions)? { replication == nil ? nil : self }

    package var sharedRecords: (any RecordStore)? { replication?.log }

    package func pin(_ pin: VersionPin, completion: @escaping @Sendable (Result<Version, any Error>) -> Void) {
        // Alone, so that the version that it makes is the newest one when it is passed on.
        enqueue(
            WriterJob(work: .notice(.pinned(id: pin.id, note: pin.note)), isAlone: true) { [weak self] result in
                guard let self, case .success = result else { return completion(result) }
                do {
                    let snapshot = try snapshot()
                    pass(.pinned(pin, snapshot))
                    completion(result)
                } catch {
                    completion(.failure(error))
                }
            })
    }

    package func unpin(_ id: [UInt8], completion: @escaping @Sendable (Result<Version, any Error>) -> Void) {
        enqueue(
            WriterJob(work: .notice(.unpinned(id: id)), isAlone: false) { [weak self] result in
                if case .success = result { self?.pass(.unpinned(id)) }
                completion(result)
            })
    }

    package func onPin(_ listener: @escaping @Sendable (PinEvent) -> Void) {
        pinListeners.withLock { $0.append(listener) }
    }

    /// Passes on what other stores said, on the writer's thread, while the newest version is that of a pin. A version of
    /// which no snapshot can be made is not kept here.
    func pass(_ notices: [RedoStep]) {
        for notice in notices where pinListeners.withLock({ !$0.isEmpty }) {
            switch notice {
            case .pinned(let id, let note):
                if let snapshot = try? snapshot() { pass(.pinned(VersionPin(id: id, note: note), snapshot)) }
            case .unpinned(let id): pass(.unpinned(id))
            default: continue
            }
        }
    }

    private func pass(_ event: PinEvent) { for listener in pinListeners.withLock({ $0 }) { listener(event) } }
}
