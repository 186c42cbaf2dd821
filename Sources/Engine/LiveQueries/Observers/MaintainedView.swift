import ObjectModel
import QueryLanguage
import StoreContract

/// What can be observed, told apart: equal ones are one subject with many observers.
enum MaintainedViewID: Hashable, Sendable {
    case query(BoundQuery)
    case sections(BoundQuery, SectionKey)
    case collection(ObjectReference, PropertyID)
    case object(ObjectReference)
}

extension Set<LiveWatch> {
    /// The classes of the objects that are watched.
    var classes: Set<ClassID> {
        reduce(into: []) { classes, watch in
            switch watch {
            case .objects(let classID): classes.insert(classID)
            case .object(let object): classes.insert(object.classID)
            case .ways(let tree, _): classes.formUnion(tree.nodes.lazy.map(\.classID))
            }
        }
    }
}

/// Where changes can matter to something observed.
enum LiveWatch: Hashable, Sendable {
    /// Any object of a class.
    case objects(of: ClassID)
    /// One object, and no other of its class.
    case object(ObjectReference)
    /// What lies on the ways from one object of the tree's class.
    case ways(DependencyTree, from: ObjectKey)
}

/// Something observed that is kept current for all who observe it. Used by one thread at a time.
protocol MaintainedView: AnyObject {
    associatedtype Event: LiveEventKind
    /// What is kept for each audience.
    associatedtype Memory

    var subscriberGroups: [SubscriberGroup<Event, Memory>] { get set }

    /// Where changes can matter. May differ after each call of `add` and after each change of the schema.
    var watches: Set<LiveWatch> { get }

    /// Adds an observer and tells it the state, which must be that of `snapshot`, or what became different since the
    /// version that it knows.
    func add(
        _ subscriber: Subscriber<Event>, _ interest: LiveInterest, _ snapshot: any Snapshot, since version: Version?,
        _ past: VersionHistory) throws

    /// What counts for observers with the key paths; nil for none. Throws when they do not fit the subject or the
    /// schema.
    func filter(_ keyPaths: [LiveKeyPath], _ schema: Schema) throws -> KeyPathFilter?

    /// Brings it from `step.before` to `snapshot`, which is `step.after`, and tells its observers. On a throw it is of
    /// no use any more. Called also when nothing changed where it watches, if the schema did.
    func advance(_ step: VersionDelta, _ snapshot: any Snapshot) throws
}

extension MaintainedView {
    var isObserved: Bool { !subscriberGroups.isEmpty }

    /// Adds an observer, who must be one for events of the subject's kind.
    func add(_ registration: LiveRegistration, _ snapshot: any Snapshot, _ past: VersionHistory) throws {
        guard let subscriber = registration.subscriber as? Subscriber<Event> else {
            preconditionFailure("The observer is one of another kind of events than the subject's.")
        }
        let interest = LiveInterest(registration.keyPaths, showing: registration.shape)
        try add(subscriber, interest, snapshot, since: registration.since, past)
    }

    /// The audience with the interest, a new one if there is none that is apt.
    func subscriberGroup(
        _ interest: LiveInterest, _ schema: Schema, new memory: @autoclosure () -> Memory,
        isApt: (Memory) -> Bool = { _ in true }
    ) throws -> Int {
        let known = subscriberGroups.firstIndex { $0.interest == interest && isApt($0.memory) }
        if let known { return known }
        subscriberGroups.append(SubscriberGroup(interest, try filter(interest.keyPaths, schema), memory()))
        return subscriberGroups.count - 1
    }

    /// Reads the key paths anew under another schema. Observers whose key paths are gone fail on their own.
    func adoptKeyPaths(_ schema: Schema) {
        for index in subscriberGroups.indices {
            do {
                subscriberGroups[index].filter = try filter(subscriberGroups[index].interest.keyPaths, schema)
                try subscriberGroups[index].interest.shape?.check(schema)
            } catch {
                subscriberGroups[index].finish(.failed(error))
            }
        }
        prune()
    }

    /// Forgets the observers that have left.
    func prune() {
        for index in subscriberGroups.indices { subscriberGroups[index].subscribers.removeAll { !$0.isActive } }
        subscriberGroups.removeAll { $0.subscribers.isEmpty }
    }

    /// Ends the observations of what means something else under the schema of a version.
    func endOutdated(at snapshot: any Snapshot) {
        for subscriberGroup in subscriberGroups {
            for subscriber in subscriberGroup.subscribers where subscriber.holds?(snapshot) == false {
                subscriber.finish(.failed(StoreError.schemaReplaced))
            }
        }
        prune()
    }

    /// Tells all observers that this is the end, and forgets them.
    func fail(_ error: any Error) { finish(.failed(error)) }

    /// Tells all observers the last that they hear, and forgets them.
    func finish(_ event: Event) {
        for subscriberGroup in subscriberGroups { subscriberGroup.finish(event) }
        subscriberGroups = []
    }
}
