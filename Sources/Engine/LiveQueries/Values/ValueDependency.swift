import ViewMaintenance
import ObjectModel
import StoreContract
import Synchronization

/// A part that an answer depends on, with the view that tells of its changes. Used by one thread at a time.
final class ValueDependency {
    private let part: LiveValue.Part
    let view: LiveView
    private let changes = PartNotification()

    /// Reads the part. Throws as `LiveView` does.
    init(_ part: LiveValue.Part, _ snapshot: any Snapshot) throws {
        self.part = part
        view = try LiveView(of: part.subject, at: snapshot)
        try view.add(part.subject.subscriber(part.extent, changes), part.interest, at: snapshot, since: nil)
        _ = try changes.reported()
    }

    /// Advances to a later version. Returns whether the answer may be another one. Throws if that is not known, and the
    /// part must not be used again.
    func advance(_ step: VersionDelta, _ snapshot: any Snapshot) throws -> Bool {
        guard view.isTouched(by: step.changes) else { return false }
        if let error = view.advance(by: step, to: snapshot) { throw error }
        return try changes.reported().hasChanged
    }

    /// Whether the answer may be another one than at a version that an observer knows; nil if that is not known.
    func hasChanged(since known: Resumption, _ snapshot: any Snapshot) throws -> Bool? {
        let notification = PartNotification()
        let subscriber = part.subject.subscriber(part.extent, notification)
        defer {
            subscriber.cancel()
            view.prune()
        }
        try view.add(subscriber, part.interest, at: snapshot, since: known)
        let found = try notification.reported()
        return found.isResumed ? found.hasChanged : nil
    }
}

/// What the view of a part has reported.
private final class PartNotification: Sendable {
    struct Content {
        var isResumed = false
        var hasChanged = false
        var failure: (any Error)?
    }

    private let content = Mutex(Content())

    /// Returns what was reported since the last call. Throws the error with which the observation ended.
    func reported() throws -> Content {
        let taken = content.withLock { content in
            defer { content = Content() }
            return content
        }
        if let failure = taken.failure { throw failure }
        return taken
    }

    func record<State: Sendable, Change: Sendable>(_ event: LiveEvent<State, Change>, _ isConcerned: (Change) -> Bool) {
        content.withLock { content in
            switch event {
            case .initial: break
            case .resumed: content.isResumed = true
            case .update(let change): if isConcerned(change) { content.hasChanged = true }
            case .deleted: content.hasChanged = true
            case .failed(let error): content.failure = error
            }
        }
    }
}

extension LiveViewID {
    fileprivate func subscriber(_ extent: LiveExtent, _ notification: PartNotification) -> any LiveSubscriber {
        switch self {
        case .query: Subscriber<LiveQueryEvent> { event in notification.record(event) { extent.isConcerned(by: $0) } }
        case .sections: Subscriber<LiveSectionEvent> { event in notification.record(event) { _ in true } }
        case .aggregate: Subscriber<LiveAggregateEvent> { event in notification.record(event) { _ in true } }
        case .value: Subscriber<LiveValueEvent> { event in notification.record(event) { _ in true } }
        case .collection, .nested: Subscriber<LiveCollectionEvent> { event in notification.record(event) { _ in true } }
        case .object: Subscriber<LiveObjectEvent> { event in notification.record(event) { _ in true } }
        }
    }
}
