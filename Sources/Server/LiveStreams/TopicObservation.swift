import ViewMaintenance
import LiveQueries
import ObjectCoding
import ObjectModel
import QueryLanguage
import StoreContract
import Synchronization

/// The observation of a topic's data and, if that belongs to an object, of the object. It ends when this is released.
struct TopicObservation: Sendable {
    private let tokens: [LiveToken]

    /// The time that the views have taken so far, in nanoseconds, for all of their observers together.
    var nanoseconds: Int64 { tokens.reduce(0) { $0 + $1.cost.nanoseconds } }

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
        for step in key.hopQueries {
            tokens.append(live.observe(step: step, of: key, since: version, deliver: deliver))
        }
        self.tokens = tokens
    }
}

/// The object that owns the observed data. When it is deleted, a difference that empties the observed collection comes
/// first, unless the collection is empty.
private final class Holder: Sendable {
    let object: ObjectReference
    /// The list, set or map, if it is observed on its own.
    private let property: PropertyID?
    /// Whether the stream ends as soon as the holder is deleted: no event about its contents says so.
    private let endsAtOnce: Bool
    private let isEmpty = Mutex(false)

    init?(_ key: TopicKey) {
        endsAtOnce = if case .value = key.subject { true } else { false }
        switch key.subject {
        case .objects(let query), .sections(let query, by: _):
            guard case .property(let holder, _) = query.scope else { return nil }
            (object, property) = (holder, nil)
        case .aggregate(let subject):
            guard let holder = subject.aggregate.query.holder else { return nil }
            (object, property) = (holder, nil)
        case .value(let subject):
            guard let holder = subject.main.key.owner else { return nil }
            (object, property) = (holder, nil)
        case .elements(let holder, let property): (object, self.property) = (holder, property)
        case .object: return nil
        }
    }

    /// Whether the observed collection has been reported as empty.
    var isKnownEmpty: Bool { endsAtOnce || isEmpty.withLock { $0 } }

    /// Records an event. Returns its version if it shows that the object was deleted, and its contents with it; else
    /// nil.
    func end(after event: TopicEvent) -> Version? {
        switch event {
        case .initial(let snapshot, let content), .resumed(let snapshot, let content):
            record(isEmpty: content.isEmpty(in: self, snapshot))
            return nil
        case .update(let difference):
            let snapshot = difference.snapshot
            let isEmpty = difference.leavesNothing(in: self)
            record(isEmpty: isEmpty)
            let isLost = isEmpty && (try? snapshot.exists(object.classID, object.key)) == false
            return isLost ? snapshot.version : nil
        case .deleted, .failed: return nil
        }
    }

    private func record(isEmpty: Bool) { self.isEmpty.withLock { $0 = isEmpty } }

    fileprivate func hasNoElements(_ snapshot: any Snapshot) -> Bool {
        guard let property else { return false }
        return ((try? snapshot.elementCount(object.classID, object.key, property)) ?? 0) == 0
    }
}

extension TopicContent {
    fileprivate func isEmpty(in holder: Holder, _ snapshot: any Snapshot) -> Bool {
        switch self {
        case .objects(let keys): keys.isEmpty
        case .sections(let sections): sections.count == 0
        case .aggregate(let result): result.objectCount == 0
        case .value: false
        case .elements: holder.hasNoElements(snapshot)
        case .object: false
        }
    }
}

extension TopicDifference {
    fileprivate func leavesNothing(in holder: Holder) -> Bool {
        switch self {
        case .objects(let change): change.newKeys.isEmpty
        case .sections(let change): change.newSections.count == 0
        case .aggregate(let change): change.result.objectCount == 0
        case .value: false
        case .elements(let change): holder.hasNoElements(change.snapshot)
        case .object: false
        }
    }
}

extension LiveQueries {
    /// Observes the data of the key.
    fileprivate func observe(
        _ key: TopicKey, _ holder: Holder?, since version: Version?,
        deliver: @escaping @Sendable (TopicEvent) -> Void
    ) -> LiveToken {
        let forward: @Sendable (TopicEvent) -> Void = { event in
            deliver(event)
            if let version = holder?.end(after: event) { deliver(.deleted(version)) }
        }
        switch key.subject {
        case .objects(let query):
            return observe(
                query, keyPaths: key.keyPaths, showing: key.shape, through: key.visibility, since: version,
                asLongAs: key.holds
            ) { forward($0.map(TopicContent.objects, TopicDifference.objects)) }
        case .sections(let query, let sectionKey):
            return observeSections(
                query, by: sectionKey, keyPaths: key.keyPaths, showing: key.shape, through: key.visibility,
                since: version,
                asLongAs: key.holds
            ) { forward($0.map(TopicContent.sections, TopicDifference.sections)) }
        case .aggregate(let subject):
            return observeAggregate(
                subject.aggregate, through: key.visibility, since: version, asLongAs: key.holds
            ) { forward($0.map(TopicContent.aggregate, TopicDifference.aggregate)) }
        case .value(let subject):
            return observeValue(subject.liveValue, through: key.visibility, since: version, asLongAs: key.holds) {
                forward($0.map(TopicContent.value, TopicDifference.value))
            }
        case .elements(let object, let property):
            return observeCollection(
                object, property, keyPaths: key.keyPaths, showing: key.shape, through: key.visibility, since: version,
                asLongAs: key.holds
            ) { forward($0.map({ .elements }, TopicDifference.elements)) }
        case .object(let object):
            return observeObject(
                object.classID, object.key, keyPaths: key.keyPaths, showing: key.shape, through: key.visibility,
                since: version, asLongAs: key.holds
            ) { forward($0.map({ .object }, TopicDifference.object)) }
        }
    }

    /// Observes whether a step of a path still leads to the same object.
    fileprivate func observe(
        step: BoundQuery, of key: TopicKey, since version: Version?,
        deliver: @escaping @Sendable (TopicEvent) -> Void
    ) -> LiveToken {
        observe(step, through: key.visibility, since: version, asLongAs: key.holds) { (event: LiveQueryEvent) in
            let isThere =
                switch event {
                case .initial(_, let keys), .resumed(_, let keys): !keys.isEmpty
                case .update(let change): !change.newKeys.isEmpty
                case .deleted, .failed: false
                }
            guard !isThere else { return }
            if case .failed(let error) = event { return deliver(.failed(error)) }
            deliver(
                .failed(
                    Problem(
                        .observePathChanged,
                        "The path now leads to another place, or nowhere. Observe it again to follow the new place.")))
        }
    }

    /// Observes whether the owner exists; its data is observed separately.
    fileprivate func observe(
        _ holder: Holder, of key: TopicKey, since version: Version?,
        deliver: @escaping @Sendable (TopicEvent) -> Void
    ) -> LiveToken {
        observeObject(
            holder.object.classID, holder.object.key, through: key.visibility, since: version, asLongAs: key.holds
        ) { event in
            if case .failed(let error) = event, error is LiveOverload { return deliver(.failed(error)) }
            // If the collection is not empty, the difference that empties it follows in the same step.
            guard holder.isKnownEmpty else { return }
            switch event {
            case .initial, .resumed, .update: break
            case .deleted(let version): deliver(.deleted(version))
            case .failed(let error): deliver(.failed(error))
            }
        }
    }
}
