import Dispatch
package import ObjectModel
package import StoreContract
import Synchronization

/// Requests that wait for a version that the store does not have yet.
package final class VersionWaits: Sendable {
    private struct Wait {
        let version: Version
        /// Whether it waits until the listeners have been notified.
        var needsNotification = false
        let body: @Sendable (_ isThere: Bool) -> Void
    }

    private struct State {
        var waits: [Int: Wait] = [:]
        var last = 0
        /// The newest version that listeners have been notified of.
        var announced = Version(0)
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "realmgate.waits")

    /// The number of requests that wait.
    package var count: Int { state.withLock { $0.waits.count } }

    /// The newest version that listeners of commits have been notified of. The store may already have later ones.
    package var announced: Version { state.withLock { $0.announced } }

    /// The store has this version at the start.
    package func begin(at version: Version) { reach(version) }

    /// Calls `body` once, on another thread: when the store has the version, or when the time is up. Cost: a timer.
    package func wait(
        for version: Version, _ time: Duration, in store: any Store, _ body: @escaping @Sendable (Bool) -> Void
    ) {
        let number = state.withLock { state in
            state.last += 1
            state.waits[state.last] = Wait(version: version, body: body)
            return state.last
        }
        queue.asyncAfter(deadline: .now() + time / .seconds(1)) { [self] in
            state.withLock { $0.waits.removeValue(forKey: number) }?.body(false)
        }
        // A commit since the caller looked has found nothing to call.
        if let newest = try? store.snapshot().version { release(upTo: newest) }
    }

    /// The same, but until listeners have been notified of the version.
    package func wait(forAnnounced version: Version, _ time: Duration, _ body: @escaping @Sendable (Bool) -> Void) {
        let number = state.withLock { state -> Int? in
            guard state.announced < version else { return nil }
            state.last += 1
            state.waits[state.last] = Wait(version: version, needsNotification: true, body: body)
            return state.last
        }
        guard let number else { return queue.async { body(true) } }
        queue.asyncAfter(deadline: .now() + time / .seconds(1)) { [self] in
            state.withLock { $0.waits.removeValue(forKey: number) }?.body(false)
        }
    }

    /// Listeners have been notified of this version. Cost: a lock when nothing waits.
    package func reach(_ version: Version) {
        state.withLock { $0.announced = max($0.announced, version) }
        release(upTo: version)
    }

    private func release(upTo version: Version) {
        let reached = state.withLock { state in
            guard !state.waits.isEmpty else { return [Wait]() }
            let announced = state.announced
            let numbers = state.waits.filter { $0.value.version <= ($0.value.needsNotification ? announced : version) }
                .keys
            return numbers.compactMap { state.waits.removeValue(forKey: $0) }
        }
        guard !reached.isEmpty else { return }
        queue.async { for wait in reached { wait.body(true) } }
    }
}
