import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract
import Synchronization

/// The observation of a topic's data and, if that belongs to an object, of the object. It ends when this is released.
struct TopicObservation: Sendable {
    private let tokens: [LiveToken]

    /// - Parameter deliver: called on the live queries' thread. It may be called again after `deleted` and `failed`;
    ///   ignore such calls.
    init(
        _ key: TopicKey, _ live: LiveQueries, since version: Version?,
        deliver: @escaping @Sendable (TopicEvent) -> Void
    ) {
        let holder = Holder(key)
        let main = live.observe(key, holder, since: version, deliver: deliver)
        // Registered second, so that the first event of the data has been reported before.
        var tokens = [main] + (holder.map { [live.observe($0, of: key, since: version, deliver: deliver)] } ?? [])
        for step in key.way { tokens.append(live.observe(step: step, of: key, since: version, deliver: deliver)) }
        self.tokens = tokens
    }
}

/// The object that owns the observed data. When it is deleted, a difference that empties the observed collection comes
/// first, unless the collection is empty.
private final class Holder: Sendable {
    let object: ObjectReference
    private let isEmpty = Mutex(false)

    init?(_ key: TopicKey) {
        switch key.subject {
        case .objects(let query), .sections(let query, by: _):
            guard case .property(let holder, _) = query.scope else { return nil }
            object = holder
        case .elements(let holder, _): object = holder
        case .object: return nil
        }
    }

    /// Whether the observed collection has been reported as empty.
    var isKnownEmpty: Bool { isEmpty.withLock { $0 } }

    /// Records a reported state; returns true if the object no longer exists.
    func isLost(_ snapshot: any Snapshot, isEmpty: Bool) -> Bool {
        self.isEmpty.withLock { $0 = isEmpty }
        return isEmpty && (try? snapshot.exists(object.classID, object.key)) == false
    }
}

extension LiveQueries {
    /// Observes the data of the key.
    fileprivate func observe(
        _ key: TopicKey, _ holder: Holder?, since version: Version?,
        deliver: @escaping @Sendable (TopicEvent) -> Void
    ) -> LiveToken {
        switch key.subject {
        case .objects(let query):
            observe(
                query, keyPaths: key.keyPaths, showing: key.shape, through: key.lens, since: version,
                asLongAs: key.holds
            ) { event in
                switch event {
                case .initial(let snapshot, let keys):
                    deliver(.initial(snapshot, .objects(keys)))
                    _ = holder?.isLost(snapshot, isEmpty: keys.isEmpty)
                case .resumed(let snapshot, let keys):
                    deliver(.resumed(snapshot))
                    _ = holder?.isLost(snapshot, isEmpty: keys.isEmpty)
                case .update(let change):
                    deliver(.update(change.version, .objects(change)))
                    if holder?.isLost(change.snapshot, isEmpty: change.newKeys.isEmpty) == true {
                        deliver(.deleted(change.version))
                    }
                case .failed(let error): deliver(.failed(error))
                }
            }
        case .sections(let query, let sectionKey):
            observeSections(
                query, by: sectionKey, keyPaths: key.keyPaths, showing: key.shape, through: key.lens, since: version,
                asLongAs: key.holds
            ) { event in
                switch event {
                case .initial(let snapshot, let sections):
                    deliver(.initial(snapshot, .sections(sections)))
                    _ = holder?.isLost(snapshot, isEmpty: sections.count == 0)
                case .resumed(let snapshot, let sections):
                    deliver(.resumed(snapshot))
                    _ = holder?.isLost(snapshot, isEmpty: sections.count == 0)
                case .update(let change):
                    deliver(.update(change.version, .sections(change)))
                    if holder?.isLost(change.snapshot, isEmpty: change.newSections.count == 0) == true {
                        deliver(.deleted(change.version))
                    }
                case .failed(let error): deliver(.failed(error))
                }
            }
        case .elements(let object, let property):
            observeCollection(
                object, property, keyPaths: key.keyPaths, showing: key.shape, through: key.lens, since: version,
                asLongAs: key.holds
            ) { event in
                func isLost(_ snapshot: any Snapshot) -> Bool {
                    let count = try? snapshot.elementCount(object.classID, object.key, property)
                    return holder?.isLost(snapshot, isEmpty: (count ?? 0) == 0) == true
                }
                switch event {
                case .initial(let snapshot):
                    deliver(.initial(snapshot, .elements))
                    _ = isLost(snapshot)
                case .resumed(let snapshot):
                    deliver(.resumed(snapshot))
                    _ = isLost(snapshot)
                case .update(let change):
                    deliver(.update(change.version, .elements(change)))
                    if isLost(change.snapshot) { deliver(.deleted(change.version)) }
                case .failed(let error): deliver(.failed(error))
                }
            }
        case .object(let object):
            observeObject(
                object.classID, object.key, keyPaths: key.keyPaths, showing: key.shape, through: key.lens,
                since: version, asLongAs: key.holds
            ) { event in
                switch event {
                case .initial(let snapshot): deliver(.initial(snapshot, .object))
                case .resumed(let snapshot): deliver(.resumed(snapshot))
                case .change(let change): deliver(.update(change.version, .object(change)))
                case .deleted(let version): deliver(.deleted(version))
                case .failed(let error): deliver(.failed(error))
                }
            }
        }
    }

    /// Observes whether a step of a path still leads to the same object.
    fileprivate func observe(
        step: BoundQuery, of key: TopicKey, since version: Version?,
        deliver: @escaping @Sendable (TopicEvent) -> Void
    ) -> LiveToken {
        observe(step, through: key.lens, since: version, asLongAs: key.holds) { (event: LiveEvent) in
            let isThere =
                switch event {
                case .initial(_, let keys), .resumed(_, let keys): !keys.isEmpty
                case .update(let change): !change.newKeys.isEmpty
                case .failed: false
                }
            guard !isThere else { return }
            if case .failed(let error) = event { return deliver(.failed(error)) }
            deliver(
                .failed(
                    Problem(
                        409, "observe.path_changed",
                        "The path leads elsewhere now, or nowhere. Observe it again to hear of what it leads to.")))
        }
    }

    /// Observes whether the owner exists; its data is observed separately.
    fileprivate func observe(
        _ holder: Holder, of key: TopicKey, since version: Version?,
        deliver: @escaping @Sendable (TopicEvent) -> Void
    ) -> LiveToken {
        observeObject(
            holder.object.classID, holder.object.key, through: key.lens, since: version, asLongAs: key.holds
        ) { event in
            // If the collection is not empty, the difference that empties it follows in the same step.
            guard holder.isKnownEmpty else { return }
            switch event {
            case .initial, .resumed, .change: break
            case .deleted(let version): deliver(.deleted(version))
            case .failed(let error): deliver(.failed(error))
            }
        }
    }
}

extension TopicEvent.Difference {
    /// The restricted store at the version of the event.
    var snapshot: any Snapshot {
        switch self {
        case .objects(let change): change.snapshot
        case .sections(let change): change.snapshot
        case .elements(let change): change.snapshot
        case .object(let change): change.snapshot
        }
    }
}
