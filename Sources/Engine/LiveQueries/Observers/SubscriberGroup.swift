import ObjectModel
import StoreContract

/// What observers of one kind are told.
protocol LiveEventKind: Sendable {
    /// The last that an observer hears, when the observation cannot go on.
    static func failed(_ error: any Error) -> Self
}

extension LiveEvent: LiveEventKind {}
extension LiveSectionEvent: LiveEventKind {}
extension LiveCollectionEvent: LiveEventKind {}
extension LiveObjectEvent: LiveEventKind {}

/// What an observer wants to hear of.
struct LiveInterest: Hashable, Sendable {
    var keyPaths: [LiveKeyPath] = []
    /// What it shows of each object, beside what counts anyway; nil where key paths say what counts.
    var shape: LiveShape?

    init(_ keyPaths: [LiveKeyPath], showing shape: LiveShape? = nil) {
        self.keyPaths = keyPaths
        self.shape = keyPaths.isEmpty && shape?.isEmpty == false ? shape : nil
    }
}

/// What counts as a modification.
struct LiveCriteria {
    /// Nil when everything within reach counts, and what is shown.
    let filter: KeyPathFilter?
    let shape: LiveShape?

    /// The objects that exist before and after the step and count as modified.
    ///
    /// - Parameter touched: those within reach.
    func modifiedRoots(by step: VersionDelta, _ touched: () throws -> Set<ObjectKey>) throws -> Set<ObjectKey> {
        if let filter { return try filter.modifiedRoots(by: step) }
        guard let shape else { return try touched() }
        return try shape.modifiedRoots(by: step).union(touched())
    }
}

/// The observers of a subject with the same interest, who are told the same.
struct SubscriberGroup<Event: LiveEventKind, Memory> {
    let interest: LiveInterest
    /// Nil when everything within reach counts, and of a single object its own stored properties; then what is shown
    /// counts, too.
    var filter: KeyPathFilter?
    var subscribers: [Subscriber<Event>] = []
    /// What the subject remembers of what they were told.
    var memory: Memory

    init(_ interest: LiveInterest, _ filter: KeyPathFilter?, _ memory: Memory) {
        self.interest = interest
        self.filter = filter
        self.memory = memory
    }

    /// What counts as a modification for them.
    var criteria: LiveCriteria { LiveCriteria(filter: filter, shape: interest.shape) }

    /// The classes whose changes can count although they are not within reach.
    var classes: Set<ClassID> { filter?.classes ?? interest.shape?.classes ?? [] }

    func send(_ event: Event) {
        for subscriber in subscribers { subscriber.send(event) }
    }

    /// Sends a last event.
    func finish(_ event: Event) {
        for subscriber in subscribers { subscriber.finish(event) }
    }
}
