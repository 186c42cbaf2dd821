public import OpenCombine

/// A publisher that observes a realm or its contents; see `RealmPublishers`.
public protocol _RealmPublisher: Publisher {
    var _source: _PublisherSource<Output> { get set }
}

extension _RealmPublisher {
    public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        _source.attach(subscriber)
    }

    /// Assigns each subscription's token to a property, for `write(withoutNotifying:)`.
    public func saveToken<T>(on object: T, at keyPath: WritableKeyPath<T, NotificationToken?>) -> Self {
        var publisher = self
        publisher._source = _source.saving(object, keyPath)
        return publisher
    }
}

/// A publisher whose values belong to a realm, and are confined to the realm's thread, queue or actor.
public protocol _ConfinedPublisher: _RealmPublisher {}

extension _ConfinedPublisher {
    /// Observes on a serial queue, with values of that queue's realm.
    public func subscribe<S: Scheduler>(on scheduler: S) -> Self {
        var publisher = self
        publisher._source = _source.subscribed(on: scheduler)
        return publisher
    }

    /// Passes the values to a serial scheduler, as values of its own realm.
    public func receive<S: Scheduler>(on scheduler: S) -> RealmPublishers.DeferredHandover<Self, S> {
        RealmPublishers.DeferredHandover(self, scheduler)
    }
}
