public import OpenCombine

/// A publisher of what is observed in a realm; see `RealmPublishers`.
public protocol _RealmPublisher: Publisher {
    var _source: _PublisherSource<Output> { get set }
}

extension _RealmPublisher {
    public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        _source.attach(subscriber)
    }

    /// Puts each subscription's token into a property, for `write(withoutNotifying:)`.
    public func saveToken<T>(on object: T, at keyPath: WritableKeyPath<T, NotificationToken?>) -> Self {
        var publisher = self
        publisher._source = _source.saving(object, keyPath)
        return publisher
    }
}

/// One whose values belong to a realm, which is confined to where it was opened.
public protocol _ConfinedPublisher: _RealmPublisher {}

extension _ConfinedPublisher {
    /// Observes on a serial queue, with what belongs to that queue's realm.
    public func subscribe<S: Scheduler>(on scheduler: S) -> Self {
        var publisher = self
        publisher._source = _source.subscribed(on: scheduler)
        return publisher
    }

    /// Hands what is published over to a serial scheduler, as what belongs to its realm.
    public func receive<S: Scheduler>(on scheduler: S) -> RealmPublishers.DeferredHandover<Self, S> {
        RealmPublishers.DeferredHandover(self, scheduler)
    }
}
