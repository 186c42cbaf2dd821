package import ObjectModel
package import QueryLanguage
package import StoreContract

/// What can be observed. Equal ones are one view with many observers.
package enum LiveViewID: Hashable, Sendable {
    case query(BoundQuery)
    case sections(BoundQuery, SectionKey)
    case collection(ObjectReference, PropertyID)
    case object(ObjectReference)
}

/// One thing that is observed, with its observers. Whoever has it keeps it current, step by step: `LiveQueries` does so
/// on a thread of its own, an instance of a realm on the thread that uses it.
///
/// Used by one thread at a time.
package final class LiveView {
    package let id: LiveViewID
    private let view: any MaintainedView

    /// Reads the present state. Throws when the subject does not fit the schema, `notFound` for an object that does not
    /// exist, and what the store throws.
    package convenience init(of id: LiveViewID, at snapshot: any Snapshot) throws {
        try self.init(of: id, at: snapshot, isResumed: false)
    }

    /// - Parameter isResumed: whether the first observer knows an earlier version: it can be told of a deleted object.
    init(of id: LiveViewID, at snapshot: any Snapshot, isResumed: Bool) throws {
        self.id = id
        view =
            switch id {
            case .query(let query): try MaintainedResult(query, snapshot)
            case .sections(let query, let key): try MaintainedSections(query, by: key, snapshot)
            case .collection(let object, let property): try ObservedCollection(object, property, snapshot)
            case .object(let object): try ObservedObject(object, snapshot, isResumed: isResumed)
            }
    }

    /// Adds an observer and sends it `initial`. Throws when the key paths do not fit the schema, and `notFound`.
    ///
    /// - Parameters:
    ///   - subscriber: one for events of the view's kind.
    ///   - snapshot: the version that the view is at.
    package func add(_ subscriber: any LiveSubscriber, keyPaths: [LiveKeyPath], at snapshot: any Snapshot) throws {
        try view.add(subscriber, LiveInterest(keyPaths), snapshot, nil)
    }

    /// Adds an observer and sends it `initial`, or `resumed` and what it missed.
    func add(_ registration: LiveRegistration, _ snapshot: any Snapshot, _ history: VersionHistory) throws {
        let interest = LiveInterest(registration.keyPaths, showing: registration.shape)
        let resumption = registration.since.map { Resumption(version: $0, history: history) }
        try view.add(registration.subscriber, interest, snapshot, resumption)
    }

    /// Whether changes can matter to the observers. If not, the step need not be taken.
    package func isTouched(by changes: ChangeSet) -> Bool {
        changes.schemaChanged || view.watches.contains { $0.isTouched(by: changes) }
    }

    /// Brings the view from `step.before` to `snapshot`, which is `step.after`, and sends the observers what became
    /// different. An observer that was sent its last event is inactive.
    ///
    /// - Returns: why that failed; then all were sent `failed`, and the view is of no use any more.
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

    /// False when no observer is left: then the view is of no use any more.
    package var isObserved: Bool { view.isObserved }

    /// Forgets the observers that were cancelled.
    package func prune() { view.prune() }

    /// Where changes can matter. May differ after each call of `add`, and after each change of the schema.
    var watches: Set<LiveWatch> { view.watches }

    /// Ends the observations of what means something else under the schema of a version.
    func endOutdated(at snapshot: any Snapshot) { view.endOutdated(at: snapshot) }

    /// Tells all observers that this is the end, and forgets them.
    func fail(_ error: any Error) { view.fail(error) }
}

extension LiveWatch {
    fileprivate func isTouched(by changes: ChangeSet) -> Bool {
        switch self {
        case .objects(let classID): changes.classes[classID] != nil
        case .object(let object):
            changes.classes[object.classID].map {
                $0.modifications[object.key] != nil || $0.deletions.contains(object.key)
            } ?? false
        case .ways(let tree, _): tree.isTouched(by: changes)
        }
    }
}
