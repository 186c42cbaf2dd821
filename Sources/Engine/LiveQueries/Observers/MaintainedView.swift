import ViewMaintenance
import ObjectModel
import QueryLanguage
import StoreContract

/// A result or object that is maintained for all of its observers. Used by one thread at a time.
protocol MaintainedView: AnyObject {
    associatedtype Event: LiveEventKind
    /// The data that is kept for each group of subscribers.
    associatedtype Memory

    var subscriberGroups: [SubscriberGroup<Event, Memory>] { get set }

    /// The objects whose changes can affect the view. May differ after each call of `add` and after each change of the
    /// schema.
    var watches: Set<LiveWatch> { get }

    /// Adds an observer and sends it the state, which must be that of `snapshot`, or the difference since the version
    /// that it knows.
    func add(
        _ subscriber: Subscriber<Event>, _ interest: LiveInterest, _ snapshot: any Snapshot, since known: Resumption?
    ) throws

    /// The filter of observers with the key paths; nil for none. Throws when they do not fit the view or the schema.
    func filter(_ keyPaths: [LiveKeyPath], _ schema: Schema) throws -> KeyPathFilter?

    /// Advances from `step.before` to `snapshot`, which is `step.after`, and notifies its observers. After a throw it
    /// must no longer be used. Also called for a change of the schema alone.
    func advance(_ step: VersionDelta, _ snapshot: any Snapshot) throws
}

extension MaintainedView {
    var isObserved: Bool { !subscriberGroups.isEmpty }

    /// Adds an observer, whose subscriber must be for events of the view's kind.
    func add(
        _ subscriber: any LiveSubscriber, _ interest: LiveInterest, _ snapshot: any Snapshot, _ known: Resumption?
    ) throws {
        guard let subscriber = subscriber as? Subscriber<Event> else {
            preconditionFailure("The observer's kind of events is not the view's.")
        }
        try add(subscriber, interest, snapshot, since: known)
    }

    /// The watches of a query's result.
    func watches(of query: BoundQuery, _ dependencies: QueryDependencies, _ reach: DeepChangeChecker) -> Set<LiveWatch>
    {
        // An object that is in the result neither before nor after a change matters only where others lead to it.
        if let watches = dependencies.watches(for: query.predicate, along: subscriberGroups.paths(within: reach)) {
            return watches
        }
        let others = subscriberGroups.flatMap { $0.classes }
        return Set(dependencies.classes.union(reach.classes).union(others).map { LiveWatch.objects(of: $0) })
    }

    /// The group with the interest; a new one if there is no suitable one.
    func subscriberGroup(
        _ interest: LiveInterest, _ schema: Schema, new memory: @autoclosure () -> Memory,
        isApt: (Memory) -> Bool = { _ in true }
    ) throws -> Int {
        let known = subscriberGroups.firstIndex { $0.interest == interest && isApt($0.memory) }
        if let known { return known }
        subscriberGroups.append(SubscriberGroup(interest, try filter(interest.keyPaths, schema), memory()))
        return subscriberGroups.count - 1
    }

    /// Resolves the key paths again under another schema. Observers whose key paths no longer exist fail on their own.
    func adoptKeyPaths(_ schema: Schema) {
        for index in subscriberGroups.indices {
            do {
                subscriberGroups[index].filter = try filter(subscriberGroups[index].interest.keyPaths, schema)
                try subscriberGroups[index].interest.shape?.check(schema)
            } catch {
                subscriberGroups[index].finish(.failed(error))
            }
        }
        prune()
    }

    /// Removes the observers that have left.
    func prune() {
        for index in subscriberGroups.indices { subscriberGroups[index].subscribers.removeAll { !$0.isActive } }
        subscriberGroups.removeAll { $0.subscribers.isEmpty }
    }

    /// Ends the observations whose bindings do not hold under the schema of a version.
    func endOutdated(at snapshot: any Snapshot) {
        for subscriberGroup in subscriberGroups {
            for subscriber in subscriberGroup.subscribers where subscriber.holds?(snapshot) == false {
                subscriber.finish(.failed(StoreError.schemaReplaced))
            }
        }
        prune()
    }

    /// Reports the end to all observers, and removes them.
    func fail(_ error: any Error) { finish(.failed(error)) }

    /// Sends all observers a last event, and removes them.
    func finish(_ event: Event) {
        for subscriberGroup in subscriberGroups { subscriberGroup.finish(event) }
        subscriberGroups = []
    }
}
