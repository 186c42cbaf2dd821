import AccessRules
package import HTTPServer
package import LiveQueries
import ObjectCoding
package import ObjectModel
import StoreContract
import Synchronization

/// Tells when what a key shows is not known any more to be what it was at a version: for an answer that is held back
/// until then. Equal keys share one maintained result, with each other and with the streams.
///
/// It ends when it is released. Cost: that of an observer of the result, without encoding anything.
package final class ChangeWatch: Sendable {
    package enum Notification: Sendable {
        /// What is shown differs from this version on; nil if that is not known, as after a change of the schema.
        case changed(Version?)
        /// It cannot be watched any longer.
        case failed(any Error)
    }

    private struct State {
        /// Those whose live queries observe the key.
        var topics: Topics
        /// How often it has begun, with others after the first.
        var attempt = 0
        var observation: TopicObservation?
        var hasBegun = false
        /// Wait for the beginning.
        var waiting: [(version: Version, action: @Sendable () -> Void)] = []
    }

    private let part: WatchedPart
    private let caller: LimitKey
    /// Those that all callers share.
    private let shared: Topics
    private let tell: @Sendable (Notification) -> Void
    private let state: Mutex<State>

    fileprivate init(
        _ part: WatchedPart, _ shared: Topics, for caller: LimitKey, _ tell: @escaping @Sendable (Notification) -> Void
    ) {
        self.part = part
        self.caller = caller
        self.shared = shared
        self.tell = tell
        state = Mutex(State(topics: shared.topics(for: part.key, of: caller)))
    }

    /// Calls `action` once all changes up to a version have been reported, on the live queries' thread. Never if the
    /// store is closed before, or this released.
    package func whenNotified(_ version: Version, _ action: @escaping @Sendable () -> Void) {
        let topics: Topics? = state.withLock { state in
            if !state.hasBegun { state.waiting.append((version, action)) }
            return state.hasBegun ? state.topics : nil
        }
        topics?.whenDelivered(version, action)
    }

    fileprivate func begin(since version: Version?) {
        let (topics, attempt) = state.withLock { state in
            state.attempt += 1
            state.hasBegun = false
            state.observation = nil
            return (state.topics, state.attempt)
        }
        let observation = topics.observe(part.key, since: version) { [weak self] event in
            self?.handle(event, attempt, since: version)
        }
        state.withLock { state in
            if state.attempt == attempt { state.observation = observation }
        }
    }

    // On the live queries' thread.
    private func handle(_ event: TopicEvent, _ attempt: Int, since version: Version?) {
        guard state.withLock({ $0.attempt == attempt }) else { return }
        switch event {
        case .initial(let snapshot, _):
            tell(.changed(snapshot.version))
            noteInitialState()
        case .resumed(let snapshot, _):
            // The schema may have been replaced, and perhaps replaced again by the first one.
            guard part.key.reading?.schema == BoundAccess.wholeSchema(of: snapshot) else { return tell(.changed(nil)) }
            noteInitialState()
        case .update(let difference):
            if part.isConcerned(by: difference) { tell(.changed(difference.snapshot.version)) }
        case .deleted(let version): tell(.changed(version))
        case .failed(let overload as LiveOverload): move(since: overload.version ?? version)
        case .failed(let problem as Problem) where problem.code == Problem.Code.observePathChanged.rawValue:
            tell(.changed(nil))
        case .failed(let error as StoreError) where error.meansAnotherState: tell(.changed(nil))
        case .failed(let error): tell(.failed(error))
        }
    }

    private func noteInitialState() {
        let (waiting, topics) = state.withLock { state in
            state.hasBegun = true
            defer { state.waiting = [] }
            return (state.waiting, state.topics)
        }
        // An update with the difference follows at once; what waits is called after it.
        for (version, action) in waiting { topics.whenDelivered(version, action) }
    }

    /// Goes on at the caller's branch, because the result costs too much here.
    private func move(since version: Version?) {
        do {
            let branch = try shared.branch(of: caller, for: part.key)
            let isNew = state.withLock { state in
                defer { state.topics = branch }
                return state.topics !== branch
            }
            guard isNew else { throw StoreError(.tooExpensive, "The result costs too much to keep it up to date.") }
            begin(since: version)
        } catch {
            tell(.failed(error))
        }
    }
}

extension Topics {
    /// Watches what a key shows. News come on the live queries' thread until this is released, also some after the
    /// first.
    ///
    /// - Parameters:
    ///   - version: the version of the state that is known. If what is shown differs already, a notification follows
    ///     soon.
    ///   - caller: the caller for whose account results are kept that cost much.
    package func watch(
        _ part: WatchedPart, since version: Version, for caller: LimitKey,
        _ tell: @escaping @Sendable (ChangeWatch.Notification) -> Void
    ) -> ChangeWatch {
        let watch = ChangeWatch(part, self, for: caller, tell)
        watch.begin(since: version)
        return watch
    }
}

extension StoreError {
    /// Whether it says that the key means something else now, or nothing.
    fileprivate var meansAnotherState: Bool {
        [.schemaReplaced, .notFound, .unknownClass, .unknownProperty, .notACollection].contains(code)
    }
}

/// A part of what an answer shows.
package struct WatchedPart: Hashable, Sendable {
    package var key: TopicKey
    /// Which differences of the key's data are differences of the answer.
    package var extent: LiveExtent

    package init(_ key: TopicKey, _ extent: LiveExtent = .all) {
        self.key = key
        self.extent = extent
    }

    func isConcerned(by difference: TopicDifference) -> Bool {
        guard case .objects(let change) = difference else { return true }
        return extent.isConcerned(by: change)
    }
}
