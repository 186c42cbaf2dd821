import Dispatch
import EmbeddedStore
import Glibc
import ObjectModel
import StoreContract
import StoreTesting
import Synchronization

/// A worker's threads on one file.
struct Work: Sendable {
    let path: String
    let history: DurableHistory
    let round: Int
    let firstThread: Int
    let threads: Int
    let burst: Int
    let handlesFile: Bool

    /// Opens the file and makes these commits on each thread. Returns the number of failures; nil when the file could
    /// not be opened.
    func run(_ numbers: Range<Int>) -> Int? {
        let store: EmbeddedStore
        do {
            store = try open()
            say(.opened(try store.snapshot().version))
        } catch {
            say((error as? StoreError).map { .refused($0.code, message: $0.message) } ?? .unexpected("\(error)"))
            return nil
        }
        let failures = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            var next = numbers.lowerBound
            while next < numbers.upperBound {
                let end = min(next + burst, numbers.upperBound)
                let group = DispatchGroup()
                for number in next..<end {
                    let id = DurableHistory.CommitID(round: round, thread: firstThread + thread, number: number)
                    group.enter()
                    submit(id, to: store) { succeeded in
                        if !succeeded { failures.add(1, ordering: .relaxed) }
                        group.leave()
                    }
                }
                group.wait()
                if handlesFile, thread == 0 { handleFile(next / burst, store) }
                next = end
            }
        }
        let count = failures.load(ordering: .relaxed)
        if count > 0 { read(store) }
        store.close()
        return count
    }

    private func open() throws -> EmbeddedStore {
        var options = EmbeddedStoreOptions()
        options.clusterCapacity = 64
        return try EmbeddedStore.open(path: path, schema: history.schema, options: options)
    }

    /// Makes one commit and reports its outcome.
    private func submit(
        _ id: DurableHistory.CommitID, to store: EmbeddedStore, then: @escaping @Sendable (Bool) -> Void
    ) {
        let completion: @Sendable (Result<Version, any Error>) -> Void = { result in
            let line = WorkerLine(id, result)
            say(line)
            switch line {
            case .acknowledged, .rolledBack: then(true)
            default: then(false)
            }
        }
        guard history.isSchemaChange(id) else {
            return store.submit({ [history] in try history.perform(id, in: $0) }, completion: completion)
        }
        do {
            let (schema, migration) = history.schemaChange(after: try store.snapshot().schema, by: id)
            store.replaceSchema(with: schema, migration: migration, completion: completion)
        } catch {
            completion(.failure(error))
        }
    }

    /// Now and then compacts the file or writes a copy of it, while the other threads continue.
    private func handleFile(_ step: Int, _ store: EmbeddedStore) {
        do {
            switch step % 4 {
            case 1:
                try store.compact()
                say(.compacted)
            case 3:
                unlink(path + ".copy")
                try store.writeCopy(to: path + ".copy")
                say(.copied)
            default: break
            }
        } catch {
            say((error as? StoreError).map { .declined($0.code, message: $0.message) } ?? .unexpected("\(error)"))
        }
    }

    /// Whether the store still answers: counts every object.
    private func read(_ store: EmbeddedStore) {
        do {
            let snapshot = try store.snapshot()
            _ = try DurableHistory.journal(of: snapshot, after: Version(0))
            say(.read(snapshot.version))
        } catch {
            say((error as? StoreError).map { .unreadable($0.code, message: $0.message) } ?? .unexpected("\(error)"))
        }
    }
}
