package import ViewMaintenance
package import ObjectModel
package import StoreContract

/// An event for an observer: `initial` or `resumed` once, then updates, and finally `deleted` or `failed`, after which
/// nothing follows.
///
/// - `State`: the state that an observation begins with, besides the snapshot.
/// - `Change`: the difference since the observer's previous event.
package enum LiveEvent<State: Sendable, Change: Sendable>: Sendable {
    /// The state when the observation began, at the snapshot's version. Later changes are relative to it.
    case initial(snapshot: any Snapshot, State)
    /// Replaces `initial` if the difference since the version that the observer knows is available. An `update` with
    /// that difference follows immediately, unless it is empty.
    case resumed(snapshot: any Snapshot, State)
    case update(Change)
    /// The observed object was deleted. Queries and collections do not send this.
    case deleted(Version)
    /// The observation cannot continue, for example because a new schema does not have its class.
    case failed(any Error)
}

/// The event of a query.
package typealias LiveQueryEvent = LiveEvent<KeySequence, LiveChange>
/// The event of a query in sections.
package typealias LiveSectionEvent = LiveEvent<LiveSections, LiveSectionChange>
/// The event of a list, set or map of one object. When the object is deleted, a last update reports that all elements
/// were removed, if there were any.
package typealias LiveCollectionEvent = LiveEvent<Void, LiveCollectionChange>
/// The event of an object.
package typealias LiveObjectEvent = LiveEvent<Void, LiveObjectChange>

extension LiveEvent {
    /// Returns the event with its state and change converted.
    package func map<S, C>(_ state: (State) -> S, _ change: (Change) -> C) -> LiveEvent<S, C> {
        switch self {
        case .initial(let snapshot, let now): .initial(snapshot: snapshot, state(now))
        case .resumed(let snapshot, let now): .resumed(snapshot: snapshot, state(now))
        case .update(let difference): .update(change(difference))
        case .deleted(let version): .deleted(version)
        case .failed(let error): .failed(error)
        }
    }
}

/// The events of one kind of view, for code that handles all kinds.
package protocol LiveEventKind: Sendable {
    /// The last event of an observer when the observation cannot continue.
    static func failed(_ error: any Error) -> Self

    var isFailure: Bool { get }

    /// Merges this event with the following event of the same observation, for an observer that has not received this
    /// one yet. Returns nil if they cancel out. Do not merge into `initial` or `resumed`: an observer receives these
    /// immediately.
    func followed(by next: Self) -> Self?

    /// Returns the event moved to a later version, up to which nothing else changed.
    func moved(to snapshot: any Snapshot) -> Self
}

extension LiveEvent: LiveEventKind where Change: LiveDifference {
    package var isFailure: Bool {
        if case .failed = self { true } else { false }
    }

    package func followed(by next: Self) -> Self? {
        guard case .update(let earlier) = self, case .update(let later) = next else { return next }
        return earlier.followed(by: later).map { .update($0) }
    }

    package func moved(to snapshot: any Snapshot) -> Self {
        guard case .update(let change) = self, change.version < snapshot.version else { return self }
        return .update(change.moved(to: snapshot))
    }
}

/// The difference since the observer's previous event.
package protocol LiveDifference: Sendable {
    /// The version that the difference leads to.
    var version: Version { get }

    /// Merges this difference with the following one of the same observation, for an observer that has not received
    /// this one yet. Returns nil if they cancel out.
    func followed(by next: Self) -> Self?

    /// Returns the same difference leading to a later version, up to which nothing else changed.
    func moved(to snapshot: any Snapshot) -> Self
}
