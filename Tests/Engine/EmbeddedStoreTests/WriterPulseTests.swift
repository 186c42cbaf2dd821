import Dispatch
import EmbeddedStore
import Foundation
import ObjectModel
import RepositoryFiles
import StoreContract
import Synchronization
import Testing

/// A watchdog restarts a server whose writer is stuck, and no other.
@Suite("The writer's pulse")
struct WriterPulseTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    /// Waits until the writer has moved, or has not; returns false if that does not occur within a generous time.
    private func eventually(_ store: EmbeddedStore, moves: Bool) -> Bool {
        for _ in 0..<600 {
            usleep(50_000)
            if store.hasWriterMoved() == moves { return true }
        }
        return false
    }

    @Test("an idle writer moves, one that waits for ever does not, and it moves again when that ends")
    func stuck() throws {
        let store = try EmbeddedStore.open(path: directory.store)
        defer { store.close() }
        for _ in 0..<3 { #expect(eventually(store, moves: true)) }
        let gate = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        store.submit({ _ in
            begun.signal()
            gate.wait()
        }) { _ in }
        begun.wait()
        #expect(eventually(store, moves: false))
        for _ in 0..<10 {
            usleep(50_000)
            #expect(!store.hasWriterMoved())
        }
        gate.signal()
        for _ in 0..<3 { #expect(eventually(store, moves: true)) }
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
        for _ in 0..<3 { #expect(eventually(store, moves: true)) }
        flag.set()
        done.wait()
    }

    private final class Flag: Sendable {
        private let state = Mutex(false)
        var isSet: Bool { state.withLock { $0 } }
        func set() { state.withLock { $0 = true } }
    }
}
