import ViewMaintenance
import ObjectModel
import StoreContract

/// The changes that an observer is interested in.
struct LiveInterest: Hashable, Sendable {
    var keyPaths: [LiveKeyPath] = []
    /// The shown data of each object, besides what counts anyway; nil where key paths decide what counts.
    var shape: LiveShape?

    init(_ keyPaths: [LiveKeyPath], showing shape: LiveShape? = nil) {
        self.keyPaths = keyPaths
        self.shape = keyPaths.isEmpty && shape?.isEmpty == false ? shape : nil
    }
}

/// The definition of a modification.
struct LiveCriteria {
    /// Nil when everything within reach, and the shown data, count.
    let filter: KeyPathFilter?
    let shape: LiveShape?

    /// The objects that exist before and after the delta and count as modified.
    ///
    /// - Parameter touched: returns those within reach.
    func modifiedRoots(by step: VersionDelta, _ touched: () throws -> Set<ObjectKey>) throws -> Set<ObjectKey> {
        if let filter { return try filter.modifiedRoots(by: step) }
        guard let shape else { return try touched() }
        return try shape.modifiedRoots(by: step).union(touched())
    }
}

/// The observers of a view with the same interest, who get the same events.
struct SubscriberGroup<Event: LiveEventKind, Memory> {
    let interest: LiveInterest
    /// Nil when everything within reach counts (for a single object its own stored properties); then the shown data
    /// count, too.
    var filter: KeyPathFilter?
    var subscribers: [Subscriber<Event>] = []
    /// The view's record of the events that they got.
    var memory: Memory

    init(_ interest: LiveInterest, _ filter: KeyPathFilter?, _ memory: Memory) {
        self.interest = interest
        self.filter = filter
        self.memory = memory
    }

    /// The definition of a modification for them.
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

extension Array {
    /// The paths on which changes of other objects count as modifications of an observed one.
    ///
    /// - Parameter reach: the objects that count where observers have no key paths.
    func paths<Event, Memory>(within reach: DeepChangeChecker) -> ChangePaths
    where Element == SubscriberGroup<Event, Memory> {
        var paths = ChangePaths()
        for subscriberGroup in self {
            if subscriberGroup.filter == nil { paths.add(reach) }
            for branch in subscriberGroup.filter?.branches ?? subscriberGroup.interest.shape?.branches ?? [] {
                paths.add(branch.tree)
            }
        }
        return paths
    }
}
