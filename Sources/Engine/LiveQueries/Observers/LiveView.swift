package import ViewMaintenance
package import ObjectModel
package import QueryLanguage
package import StoreContract

/// Identifies the subject of an observation. Observers of equal ids share one view.
package enum LiveViewID: Hashable, Sendable {
    case query(BoundQuery)
    case sections(BoundQuery, SectionKey)
    case aggregate(LiveAggregate)
    case value(LiveValue)
    case collection(ObjectReference, PropertyID)
    /// A collection within a mixed value.
    case nested(NestedCollectionPath)
    case object(ObjectReference)
}

/// One observed subject with its observers. The owner advances it step by step: `LiveQueries` on its own thread, a
/// live instance on the thread that uses it.
///
/// Used by one thread at a time.
package final class LiveView {
    package let id: LiveViewID
    private let view: any MaintainedView
    /// Its owner counts it.
    let cost = ViewCost()

    /// Reads the present state. Throws if the subject does not fit the schema, `notFound` for an object that does not
    /// exist, and the errors of the store.
    package convenience init(of id: LiveViewID, at snapshot: any Snapshot) throws {
        try self.init(of: id, at: snapshot, isResumed: false)
    }

    /// - Parameter isResumed: whether the first observer knows an earlier version, so that a deleted object can be
    ///   reported to it.
    init(of id: LiveViewID, at snapshot: any Snapshot, isResumed: Bool) throws {
        self.id = id
        view =
            switch id {
            case .query(let query): try MaintainedResult(query, snapshot)
            case .sections(let query, let key): try MaintainedSections(query, by: key, snapshot)
            case .aggregate(let aggregate): try MaintainedAggregate(aggregate, snapshot)
            case .value(let value): try MaintainedValue(value, snapshot)
            case .collection(let object, let property): try ObservedCollection(object, property, snapshot)
            case .nested(let path): try ObservedNestedCollection(path, snapshot)
            case .object(let object): try ObservedObject(object, snapshot, isResumed: isResumed)
            }
    }

    /// Adds an observer and sends it `initial`. Throws when the key paths do not fit the schema, and `notFound`.
    ///
    /// - Parameters:
    ///   - subscriber: a subscriber for events of the view's kind.
    ///   - snapshot: the store at the view's version.
    package func add(_ subscriber: any LiveSubscriber, keyPaths: [LiveKeyPath], at snapshot: any Snapshot) throws {
        try view.add(subscriber, LiveInterest(keyPaths), snapshot, nil)
    }

    /// Adds an observer and sends it `initial`, or `resumed` and the changes that it missed.
    func add(_ registration: LiveRegistration, _ snapshot: any Snapshot, _ history: VersionHistory) throws {
        let interest = LiveInterest(registration.keyPaths, showing: registration.shape)
        let resumption = registration.since.map { Resumption(version: $0, history: history) }
        try add(registration.subscriber, interest, at: snapshot, since: resumption)
    }

    /// Adds an observer and sends it `initial`, or `resumed` and the changes that it missed.
    func add(
        _ subscriber: any LiveSubscriber, _ interest: LiveInterest, at snapshot: any Snapshot, since known: Resumption?
    ) throws { try view.add(subscriber, interest, snapshot, known) }

    /// Whether changes can affect the observers. If not, `advance` need not be called with them.
    package func isTouched(by changes: ChangeSet) -> Bool {
        changes.schemaChanged || view.watches.contains { $0.isTouched(by: changes) }
    }

    /// Advances the view from `step.before` to `snapshot`, which is `step.after`, and sends the observers the
    /// difference. An observer that has received its last event is inactive.
    ///
    /// - Returns: the error if this failed. All observers have then received `failed`, and the view must not be used
    ///   again.
    @discardableResult
    package func advance(by step: VersionDelta, to snapshot: any Snapshot) -> (any Error)? {
        do {
            try view.advance(step, snapshot)
            return nil
        } catch {
            view.fail(error)
            return error
        }
    }

    /// Whether the view has observers. If not, it must not be used again.
    package var isObserved: Bool { view.isObserved }

    /// Removes cancelled observers.
    package func prune() { view.prune() }

    /// The objects and paths whose changes can affect the observers. May change with each call of `add`, and with each
    /// change of the schema.
    var watches: Set<LiveWatch> { view.watches }

    /// Ends observations whose subject has another meaning under the snapshot's schema.
    func endOutdated(at snapshot: any Snapshot) { view.endOutdated(at: snapshot) }

    /// Sends all observers `failed`, and removes them.
    func fail(_ error: any Error) { view.fail(error) }
}

extension DependencyIndex {
    /// Updates the watches of a view. Call it after each `add`, and after each change of the schema.
    package mutating func record(_ view: LiveView, as number: Int) { set(view.watches, for: number) }
}
