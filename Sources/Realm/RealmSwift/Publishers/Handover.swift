import Dispatch
public import OpenCombine
import OpenCombineDispatch

extension RealmPublishers {
    /// A publisher whose values can be passed to another scheduler by `receive(on:)`.
    public struct MakeThreadSafe<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        private let upstream: Upstream

        init(_ upstream: Upstream) { self.upstream = upstream }

        public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
            upstream.receive(subscriber: subscriber)
        }

        /// Passes the values to a serial scheduler, as values of its own realm. Values that no longer exist there are
        /// dropped.
        public func receive<S: Scheduler>(on scheduler: S) -> DeferredHandover<Upstream, S> {
            DeferredHandover(upstream, scheduler)
        }
    }

    /// Publishes the values on another scheduler, as values of its own realm.
    public struct DeferredHandover<Upstream: Publisher, S: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        private let upstream: Upstream
        private let scheduler: S

        init(_ upstream: Upstream, _ scheduler: S) {
            self.upstream = upstream
            self.scheduler = scheduler
        }

        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Failure == Failure, Downstream.Input == Output {
            let queue = try? serialQueue(scheduler)
            upstream
                .map { value in PublishedReferencePayload(value) }
                .receive(on: scheduler)
                .compactMap { payload in payload.resolved(on: queue) }
                .receive(subscriber: subscriber)
        }
    }
}

/// Returns the queue of a scheduler. Throws for schedulers that are not queues.
func serialQueue(_ scheduler: some Scheduler) throws -> DispatchQueue {
    if let queue = scheduler as? DispatchQueue { return queue }
    if let wrapped = scheduler as? DispatchQueue.OCombine { return wrapped.queue }
    throw RealmException(
        "Cannot subscribe on scheduler \(scheduler): only serial dispatch queues are currently implemented.")
}

/// A published value that is being passed to another thread.
struct PublishedReferencePayload<Value> {
    /// Resolves the value on the other thread; nil if it no longer exists.
    private let resolve: (DispatchQueue?) throws -> Value?

    init(_ value: Value) {
        if let confined = value as? any ThreadConfined {
            resolve = Self.handingOver(confined) { $0 as? Value }
        } else if let change = value as? any _ConfinedChange, let confined = change._confined {
            resolve = Self.handingOver(confined) { change._with($0) as? Value }
        } else {
            resolve = { _ in value }
        }
    }

    private static func handingOver(
        _ confined: any ThreadConfined, _ make: @escaping (any ThreadConfined) -> Value?
    ) -> (DispatchQueue?) throws -> Value? {
        guard let realm = confined.realm, !realm.isFrozen, !confined.isInvalidated else {
            return { _ in make(confined) }
        }
        return trapOnError { try resolving(confined, realm.configuration, make) }
    }

    private static func resolving<C: ThreadConfined>(
        _ confined: C, _ configuration: Realm.Configuration, _ make: @escaping (any ThreadConfined) -> Value?
    ) throws -> (DispatchQueue?) throws -> Value? {
        let reference = ThreadSafeReference(to: confined)
        return { queue in
            let realm = try Realm(configuration: configuration, queue: queue)
            return realm.resolve(reference).flatMap(make)
        }
    }

    func resolved(on queue: DispatchQueue?) -> Value? { trapOnError { try resolve(queue) } }
}

/// A change that contains the changed value.
protocol _ConfinedChange {
    var _confined: (any ThreadConfined)? { get }
    /// Returns the same change with another instance of the value.
    func _with(_ confined: any ThreadConfined) -> Self?
}

extension RealmCollectionChange: _ConfinedChange {
    var _confined: (any ThreadConfined)? {
        switch self {
        case .initial(let collection), .update(let collection, _, _, _): collection as? any ThreadConfined
        case .error: nil
        }
    }

    func _with(_ confined: any ThreadConfined) -> Self? {
        guard let collection = confined as? CollectionType else { return nil }
        switch self {
        case .initial: return .initial(collection)
        case .update(_, let deletions, let insertions, let modifications):
            return .update(collection, deletions: deletions, insertions: insertions, modifications: modifications)
        case .error: return self
        }
    }
}

extension SectionedResultsChange: _ConfinedChange {
    var _confined: (any ThreadConfined)? {
        switch self {
        case .initial(let collection), .update(let collection, _, _, _, _, _): collection as? any ThreadConfined
        }
    }

    func _with(_ confined: any ThreadConfined) -> Self? {
        guard let collection = confined as? Collection else { return nil }
        switch self {
        case .initial: return .initial(collection)
        case .update(_, let deletions, let insertions, let modifications, let inserted, let deleted):
            return .update(
                collection, deletions: deletions, insertions: insertions, modifications: modifications,
                sectionsToInsert: inserted, sectionsToDelete: deleted)
        }
    }
}

extension ObjectChange: _ConfinedChange {
    var _confined: (any ThreadConfined)? {
        guard case .change(let object, _) = self else { return nil }
        return object as? any ThreadConfined
    }

    func _with(_ confined: any ThreadConfined) -> Self? {
        guard case .change(_, let changes) = self, let object = confined as? T else { return nil }
        return .change(object, changes)
    }
}

extension Publisher where Output: ThreadConfined {
    /// Allows `receive(on:)` for the published values.
    public func threadSafeReference() -> RealmPublishers.MakeThreadSafe<Self> { RealmPublishers.MakeThreadSafe(self) }
}

extension Publisher {
    /// Allows `receive(on:)` for the published values.
    public func threadSafeReference<T: RealmCollection>() -> RealmPublishers.MakeThreadSafe<Self>
    where Output == RealmCollectionChange<T> { RealmPublishers.MakeThreadSafe(self) }

    /// Allows `receive(on:)` for the published values.
    public func threadSafeReference<T: RealmSectionedResult>() -> RealmPublishers.MakeThreadSafe<Self>
    where Output == SectionedResultsChange<T> { RealmPublishers.MakeThreadSafe(self) }

    /// Allows `receive(on:)` for the published values. Links in old and new values are not passed on: use them before
    /// it.
    public func threadSafeReference<T: ThreadConfined>() -> RealmPublishers.MakeThreadSafe<Self>
    where Output == ObjectChange<T> { RealmPublishers.MakeThreadSafe(self) }

    /// Freezes the published values.
    public func freeze<T: Object>() -> Publishers.Map<Self, T> where Output == T { map { $0.freeze() } }

    /// Freezes the published values.
    public func freeze<T: EmbeddedObject>() -> Publishers.Map<Self, T> where Output == T { map { $0.freeze() } }

    /// Freezes the published values.
    public func freeze<Root: ObjectBase, T: Projection<Root>>() -> Publishers.Map<Self, T> where Output == T {
        map { $0.freeze() }
    }

    /// Freezes the published values.
    public func freeze<Root: ObjectBase, T: Projection<Root>>() -> Publishers.Map<Self, ObjectChange<T>>
    where Output == ObjectChange<T> {
        map { change in
            guard case .change(let projection, let changes) = change else { return change }
            return .change(projection.freeze(), changes)
        }
    }

    /// Freezes the published values.
    public func freeze<T: RealmCollection>() -> Publishers.Map<Self, T> where Output == T {
        // The last value after the owner of a collection was deleted cannot be frozen.
        map { $0.isInvalidated ? $0 : $0.freeze() }
    }

    /// Freezes the published values.
    public func freeze<T: RealmSectionedResult>() -> Publishers.Map<Self, T> where Output == T { map { $0.freeze() } }

    /// Freezes the published values.
    public func freeze<T: Object>() -> Publishers.Map<Self, ObjectChange<T>> where Output == ObjectChange<T> {
        map { change in
            guard case .change(let object, let changes) = change else { return change }
            return .change(object.freeze(), changes)
        }
    }

    /// Freezes the published values.
    public func freeze<T: RealmCollection>() -> Publishers.Map<Self, RealmCollectionChange<T>>
    where Output == RealmCollectionChange<T> {
        map { change in
            switch change {
            case .initial(let collection), .update(let collection, _, _, _):
                collection.isInvalidated ? change : change._with(collection.freeze()) ?? change
            case .error: change
            }
        }
    }

    /// Freezes the published values.
    public func freeze<T: RealmSectionedResult>() -> Publishers.Map<Self, SectionedResultsChange<T>>
    where Output == SectionedResultsChange<T> {
        map { change in
            switch change {
            case .initial(let collection), .update(let collection, _, _, _, _, _):
                change._with(collection.freeze()) ?? change
            }
        }
    }
}
