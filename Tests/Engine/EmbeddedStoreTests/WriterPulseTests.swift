import EmbeddedTesting
import Dispatch
import EmbeddedStore
import Foundation
import ObjectModel
import RepositoryFiles
import StoreContract
import Synchronization
import TestBasics
import Testing

/// A watchdog restarts a server whose writer is stuck, and no other.
@Suite("The writer's pulse")
struct WriterPulseTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func moves(_ store: EmbeddedStore) -> Bool { eventually { store.hasWriterMoved() } }

    /// Whether there comes a time when the writer does not move for half a second: an idle one moves more often.
    ///
    /// Before, it may move, because it takes a while until it has really begun to wait.
    private func stops(_ store: EmbeddedStore) -> Bool {
        eventually {
            (0..<10).allSatisfy { _ in
                usleep(50_000)
                return !store.hasWriterMoved()
            }
        }
    }

    @Test("an idle writer moves, one that waits for ever does not, and it moves again when that ends")
    func stuck() throws {
        let store = try EmbeddedStore.open(path: directory.store)
        defer { store.close() }
        for _ in 0..<3 { #expect(moves(store)) }
        let gate = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        store.submit({ _ in
            begun.signal()
            gate.wait()
        }) { _ in }
        begun.wait()
        #expect(stops(store))
        gate.signal()
        for _ in 0..<3 { #expect(moves(store)) }
    }

    @Test("a writer that computes for long moves")
    func busy() throws {
        let store = try EmbeddedStore.open(path: directory.store)
        defer { store.close() }
        let flag = Flag()
        let begun = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        store.submit({ _ in
            begun.signal()
            while !flag.isSet {}
        }) { _ in done.signal() }
        begun.wait()
        for _ in 0..<3 { #expect(moves(store)) }
        flag.set()
        done.wait()
    }

    private final class Flag: Sendable {
        private let state = Mutex(false)
        var isSet: Bool { state.withLock { $0 } }
        func set() { state.withLock { $0 = true } }
    }
}
