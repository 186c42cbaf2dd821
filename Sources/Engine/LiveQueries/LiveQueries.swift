import Dispatch
package import ObjectModel
package import QueryLanguage
package import StoreContract
import Synchronization
package import ViewMaintenance

/// Keeps the results of queries current and notifies their observers of changes.
///
/// Equal queries share one maintained result. All work is done on one thread of its own, so that writers only pass on
/// their change sets; when it is behind, it processes all commits in between as one change. Observers are called on
/// that thread, one at a time: `deliver` must be quick, and must not wait for anything that waits for this.
///
/// Where many owners share the thread, `LivePolicy.shared` keeps the views that cost little, and branches with threads
/// of their own keep the others.
package final class LiveQueries: CommitReceiver {
    private struct Inbox {
        var changes: [ChangeSet] = []
        var registrations: [LiveRegistration] = []
        var fences: [LiveFence] = []
        var left: Set<LiveAddress> = []
        var isScheduled = false
        /// Changes wait until then, unless an observer waits to be added.
        var pausedUntil: DispatchTime?

        /// Whether there is work that does not wait for the end of a rest.
        var isUrgent: Bool { !registrations.isEmpty || !fences.isEmpty }
    }

    private let store: any Store
    private let policy: LivePolicy
    private let clock = DeliveryClock()
    /// Those that get their commits from this one: a store keeps its listeners until it is closed.
    private let branches = Mutex<[CommitListener]>([])
    private let results = Atomic(0)
    private let inbox = Mutex(Inbox())
    /// Locked on `queue` only, so never contended: it proves to the compiler that the work is not shared.
    private let work: Mutex<LiveWork>
    private let queue = DispatchQueue(label: "realmgate.live-queries")

    /// Begins to listen to the store. Throws when the store provides no snapshot.
    package convenience init(_ store: any Store, _ policy: LivePolicy = .alone()) throws {
        let listener = CommitListener()
        store.onCommit { changes in listener.forward(changes) }
        try self.init(store, listener, policy)
    }

    /// - Parameter listener: gets the commits already, so that no version is missed.
    private init(_ store: any Store, _ listener: CommitListener, _ policy: LivePolicy) throws {
        self.store = store
        self.policy = policy
        work = Mutex(LiveWork(store, at: try store.snapshot().version, policy, clock))
        listener.attach(self)
    }

    /// Returns other live queries of the store, with a thread of their own. They get commits for as long as this
    /// exists. Throws when the store provides no snapshot.
    package func branch(_ policy: LivePolicy) throws -> LiveQueries {
        let listener = CommitListener()
        branches.withLock { $0.append(listener) }
        do {
            return try LiveQueries(store, listener, policy)
        } catch {
            branches.withLock { $0.removeAll { $0 === listener } }
            throw error
        }
    }

    /// Observes a query: `initial` when its result is known, then an update after each change of the result. With key
    /// paths, an object counts as modified only when one of them leads to a change; without, when it or an object
    /// within three links was changed. `failed` when the query or a key path does not fit the schema.
    ///
    /// - Parameters:
    ///   - version: the version that the observer saw last, under the same parameters: it gets `resumed` and the
    ///     difference since then if that is still available, otherwise `initial`.
    ///   - shape: the data of each object that the observer shows: its changes count as well, unless there are key
    ///     paths.
    ///   - visibility: the observer's visibility filter. Queries and key paths are bound to the schema that it shows.
    ///   - holds: for an observer that has bound more to the schema than the query: `failed` with `schemaReplaced` ends
    ///     the observation once this returns false for a version with another schema. Any other observer is notified of
    ///     the changes, also of those that a migration made.
    package func observe(
        _ query: BoundQuery, keyPaths: [LiveKeyPath] = [], showing shape: LiveShape? = nil,
        through visibility: (any VisibilityFilter)? = nil, since version: Version? = nil,
        asLongAs holds: SchemaBinding? = nil, deliver: @escaping @Sendable (LiveQueryEvent) -> Void
    ) -> LiveToken {
        register(.query(query), subscriber(holds, deliver), keyPaths, shape, visibility, version)
    }

    /// Observes a query's result in sections, in the same way.
    package func observeSections(
        _ query: BoundQuery, by key: SectionKey, keyPaths: [LiveKeyPath] = [], showing shape: LiveShape? = nil,
        through visibility: (any VisibilityFilter)? = nil, since version: Version? = nil,
        asLongAs holds: SchemaBinding? = nil, deliver: @escaping @Sendable (LiveSectionEvent) -> Void
    ) -> LiveToken {
        register(.sections(query, key), subscriber(holds, deliver), keyPaths, shape, visibility, version)
    }

    /// Observes the answer to an aggregate: `initial`, then an update after each change of it, with the groups that
    /// changed. `failed` when it does not fit the schema, and with `sumOverflow`.
    package func observeAggregate(
        _ aggregate: LiveAggregate, through visibility: (any VisibilityFilter)? = nil, since version: Version? = nil,
        asLongAs holds: SchemaBinding? = nil, deliver: @escaping @Sendable (LiveAggregateEvent) -> Void
    ) -> LiveToken {
        register(.aggregate(aggregate), subscriber(holds, deliver), [], nil, visibility, version)
    }

    /// Observes a value that is read as a whole: `initial`, then an update with the new one when it differs. `failed`
    /// with the errors of the read, and with `notFound` when the object whose property it is about does not exist; no
    /// event follows once that object is deleted. Cost: one read per relevant change, shared by all observers of an
    /// equal value.
    package func observeValue(
        _ value: LiveValue, through visibility: (any VisibilityFilter)? = nil, since version: Version? = nil,
        asLongAs holds: SchemaBinding? = nil, deliver: @escaping @Sendable (LiveValueEvent) -> Void
    ) -> LiveToken {
        register(.value(value), subscriber(holds, deliver), [], nil, visibility, version)
    }

    /// Observes one object: `initial`, then its changes until it is deleted. Without key paths, only assignments to its
    /// own stored properties, and to the shown data of others, count. `failed` with `notFound` when there is no such
    /// object. An observer that resumes from a version before the object's deletion gets `deleted`.
    package func observeObject(
        _ classID: ClassID, _ key: ObjectKey, keyPaths: [LiveKeyPath] = [], showing shape: LiveShape? = nil,
        through visibility: (any VisibilityFilter)? = nil, since version: Version? = nil,
        asLongAs holds: SchemaBinding? = nil, deliver: @escaping @Sendable (LiveObjectEvent) -> Void
    ) -> LiveToken {
        register(
            .object(ObjectReference(classID, key)), subscriber(holds, deliver), keyPaths, shape, visibility, version)
    }

    /// Observes one object's list, set or map: of values, or of links as stored, nulls included. Key paths are for
    /// links, and begin at the class that they lead to. `failed` with `notFound`, `notACollection`.
    package func observeCollection(
        _ object: ObjectReference, _ property: PropertyID, keyPaths: [LiveKeyPath] = [],
        showing shape: LiveShape? = nil, through visibility: (any VisibilityFilter)? = nil,
        since version: Version? = nil,
        asLongAs holds: SchemaBinding? = nil, deliver: @escaping @Sendable (LiveCollectionEvent) -> Void
    ) -> LiveToken {
        register(.collection(object, property), subscriber(holds, deliver), keyPaths, shape, visibility, version)
    }

    private func subscriber<Event: LiveEventKind>(
        _ holds: SchemaBinding?, _ deliver: @escaping @Sendable (Event) -> Void
    ) -> Subscriber<Event> {
        Subscriber(asLongAs: holds) { [clock] event in clock.measure { deliver(event) } }
    }

    private func register(
        _ subject: LiveViewID, _ subscriber: any LiveSubscriber, _ keyPaths: [LiveKeyPath], _ shape: LiveShape?,
        _ visibility: (any VisibilityFilter)?, _ version: Version?
    ) -> LiveToken {
        let address = LiveAddress(visibility: visibility.map { AnyVisibilityFilter(visibility: $0) }, subject: subject)
        let cost = LiveCost()
        let registration = LiveRegistration(
            subject: subject, subscriber: subscriber, keyPaths: keyPaths, shape: shape, since: version,
            visibility: address.visibility, cost: cost)
        hand { $0.registrations.append(registration) }
        return LiveToken(cost) { [self] in
            subscriber.cancel()
            hand { $0.left.insert(address) }
        }
    }

    /// Waits until everything that was committed or registered before the call has been delivered. Not from `deliver`.
    package func settle() {
        while queue.sync(execute: { run() }) {}
    }

    /// Calls `action` once all commits up to a version have been delivered. The call is on the observers' thread,
    /// while no event is being delivered.
    package func whenDelivered(_ version: Version, _ action: @escaping @Sendable () -> Void) {
        hand { $0.fences.append(LiveFence(version: version, action: action)) }
    }

    /// Called from `deliver`: all commits of the next `nanoseconds` are then processed together, so that observers with
    /// costly events leave time for others. The pauses of several observers add up. Later commits are processed at
    /// once. Observers that join do not wait.
    package func pause(nanoseconds: Int) {
        let now = DispatchTime.now()
        inbox.withLock { $0.pausedUntil = max($0.pausedUntil ?? now, now) + .nanoseconds(nanoseconds) }
    }

    /// The number of maintained results when the thread last had nothing to do.
    package var resultCount: Int { results.load(ordering: .relaxed) }

    package func receive(_ changes: [ChangeSet]) {
        hand { $0.changes += changes }
        let listeners = branches.withLock { branches in
            branches.removeAll { $0.isOver }
            return branches
        }
        for listener in listeners { listener.forward(changes) }
    }

    private func hand(_ add: (inout Inbox) -> Void) {
        let start: DispatchTime? = inbox.withLock { inbox in
            let wasUrgent = inbox.isUrgent
            add(&inbox)
            let mustHurry = !wasUrgent && inbox.isUrgent
            defer { inbox.isScheduled = true }
            guard !inbox.isScheduled || mustHurry && inbox.pausedUntil != nil else { return nil }
            return mustHurry ? .now() : inbox.pausedUntil ?? .now()
        }
        guard let start else { return }
        if start <= .now() {
            queue.async { [self] in proceed() }
        } else {
            queue.asyncAfter(deadline: start) { [self] in proceed() }
        }
    }

    /// Runs on `queue`.
    private func proceed() {
        guard run() else { return }
        queue.async { [self] in proceed() }
    }

    /// Runs on `queue`. Returns whether observers wait to be added.
    private func run() -> Bool {
        guard let turns = policy.turns else { return runNow() }
        var isUnfinished = false
        turns.perform { isUnfinished = runNow() }
        return isUnfinished
    }

    private func runNow() -> Bool {
        let taken = inbox.withLock { inbox in
            defer { inbox = Inbox(pausedUntil: inbox.pausedUntil) }
            return inbox
        }
        let (reached, isUnfinished) = work.withLock { work in
            work.enqueue(
                changes: taken.changes, registrations: taken.registrations, fences: taken.fences, left: taken.left)
            let isUnfinished = work.drain()
            results.store(work.resultCount, ordering: .relaxed)
            return (work.takeReached(), isUnfinished)
        }
        for fence in reached { fence.action() }
        return isUnfinished
    }
}

extension LiveQueries {
    /// The method for the query. Throws `unknownClass` and `unknownProperty` when it does not fit the schema.
    package static func maintenance(of query: BoundQuery, under schema: Schema) throws(StoreError) -> Maintenance {
        try QueryDependencies(query, schema: schema).maintenance
    }

    /// The method for the query's sectioned result: the result is maintained as without sections, and only the sections
    /// that changed objects leave or enter are updated. Throws as the other does, also for the key.
    package static func maintenance(
        of query: BoundQuery, by key: SectionKey, under schema: Schema
    ) throws(StoreError) -> Maintenance {
        try QueryDependencies(query, alsoReading: [key.path], schema: schema).maintenance
    }
}
