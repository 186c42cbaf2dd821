package import ObjectModel
package import StoreContract

/// Sent to an observer: `initial` or `resumed` once, then updates; at last `deleted` or `failed`, and nothing more.
///
/// - `State`: what an observer begins with, beside the snapshot.
/// - `Change`: how what is observed became different since the observer's previous event.
package enum LiveEvent<State: Sendable, Change: Sendable>: Sendable {
    /// The state when the observation began, at the snapshot's version. Later changes are relative to it.
    case initial(snapshot: any Snapshot, State)
    /// Instead of `initial`, where what became different since the version that the observer had heard of is known: an
    /// update with all of that follows at once, unless there is nothing.
    case resumed(snapshot: any Snapshot, State)
    case update(Change)
    /// The observed object was deleted. Queries and collections do not send this.
    case deleted(Version)
    /// What is observed cannot be kept up to date any more, for example because its class is gone from the schema.
    case failed(any Error)
}

/// Of a query: the result, and its differences.
package typealias LiveQueryEvent = LiveEvent<KeySequence, LiveChange>
/// Of a result in sections.
package typealias LiveSectionEvent = LiveEvent<LiveSections, LiveSectionChange>
/// Of one object's list, set or map. When the object is deleted, one update says that all elements went, if there were
/// any, and it is the last.
package typealias LiveCollectionEvent = LiveEvent<Void, LiveCollectionChange>
/// Of one object.
package typealias LiveObjectEvent = LiveEvent<Void, LiveObjectChange>

extension LiveEvent {
    /// The same event of a wider kind.
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

/// The events of one kind of view.
package protocol LiveEventKind: Sendable {
    /// The last that an observer hears, when the observation cannot go on.
    static func failed(_ error: any Error) -> Self

    var isFailure: Bool { get }

    /// This event and the next one of the same observation as one, for an observer that has not taken this one yet. Nil
    /// when they cancel out. The next one after a beginning is not to be asked for: the beginning is taken at once.
    func followed(by next: Self) -> Self?

    /// The same at a later version, at which nothing more is different.
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

/// How what is observed became different since the observer's previous event.
package protocol LiveDifference: Sendable {
    /// The version that it leads to.
    var version: Version { get }

    /// This change and the next one of the same observation as one, for an observer that has not taken this one yet. Nil
    /// when they cancel out.
    func followed(by next: Self) -> Self?

    /// The same change, which leads to a later version at which nothing more is different.
    func moved(to snapshot: any Snapshot) -> Self
}
