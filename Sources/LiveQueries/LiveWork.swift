import ObjectModel
import QueryLanguage
import StoreContract

/// What the worker's thread works on: all maintained results and observed objects, at one version.
final class LiveWork {
    enum Registration: Sendable {
        case query(BoundQuery, [LiveKeyPath], Subscriber<LiveEvent>)
        case object(ClassID, ObjectKey, [LiveKeyPath], Subscriber<LiveObjectEvent>)

        func fail(_ error: any Error) {
            switch self {
            case .query(_, _, let subscriber): subscriber.finish(.failed(error))
            case .object(_, _, _, let subscriber): subscriber.finish(.failed(error))
            }
        }
    }

    /// What an observer that left was observing.
    enum Subject: Hashable, Sendable {
        case query(BoundQuery)
        case objects
    }

    private let store: any Store
    /// The version that all results are at.
    private var version: Version
    /// Change sets after `version`, oldest first.
    private var pending: [ChangeSet] = []
    private var waiting: [Registration] = []
    /// A snapshot that is ahead of the change sets that have arrived.
    private var held: (any Snapshot)?

    private var results: [BoundQuery: MaintainedResult] = [:]
    /// Observed objects that only their own changes matter to.
    private var objects: [ClassID: [ObjectKey: [ObservedObject]]] = [:]
    /// The others.
    private var farSightedObjects: [ObservedObject] = []

    init(_ store: any Store, at version: Version) {
        self.store = store
        self.version = version
    }

    var resultCount: Int { results.count }

    func take(changes: [ChangeSet], registrations: [Registration], left: Set<Subject>) {
        pending += changes.drop { $0.version <= version }
        waiting += registrations
        for subject in left { prune(subject) }
    }

    /// Brings everything to the newest version that snapshot and change sets both reach, and lets in who waits.
    func drain() {
        while true {
            let covered = pending.last?.version ?? version
            if results.isEmpty, objects.isEmpty, farSightedObjects.isEmpty, waiting.isEmpty {
                version = covered
                pending = []
            }
            guard !(pending.isEmpty && waiting.isEmpty) else {
                held = nil
                return
            }
            let snapshot: any Snapshot
            do {
                snapshot = try held ?? store.snapshot()
            } catch {
                fail(error)
                return
            }
            // A version can be seen a moment before its change set arrives, and the arrival calls this again.
            guard snapshot.version <= covered else {
                held = snapshot
                return
            }
            held = nil
            advance(to: snapshot)
            admit(at: snapshot)
        }
    }

    private func advance(to snapshot: any Snapshot) {
        let reached = pending.prefix { $0.version <= snapshot.version }
        pending.removeFirst(reached.count)
        version = snapshot.version
        guard var changes = reached.first else { return }
        for later in reached.dropFirst() { changes.merge(later) }

        for (query, result) in results {
            do {
                try result.advance(changes, snapshot)
            } catch {
                result.fail(error)
            }
            if !result.isObserved { results[query] = nil }
        }
        let ended = observers(of: changes).filter { object in
            do {
                try object.advance(changes, snapshot)
            } catch {
                object.subscriber.finish(.failed(error))
            }
            return !object.subscriber.isActive
        }
        if !ended.isEmpty { prune(.objects) }
    }

    private func observers(of changes: ChangeSet) -> [ObservedObject] {
        var affected = farSightedObjects
        for (classID, observed) in objects {
            if changes.schemaChanged {
                affected += observed.values.joined()
            } else if let changes = changes.classes[classID] {
                for (key, observers) in observed
                where changes.modifications[key] != nil || changes.deletions.contains(key) {
                    affected += observers
                }
            }
        }
        return affected
    }

    private func admit(at snapshot: any Snapshot) {
        let admitted = waiting
        waiting = []
        for registration in admitted {
            do {
                switch registration {
                case .query(let query, let keyPaths, let subscriber):
                    guard subscriber.isActive else { continue }
                    let result = try results[query] ?? MaintainedResult(query, snapshot)
                    try result.add(subscriber, keyPaths, snapshot)
                    results[query] = result
                case .object(let classID, let key, let keyPaths, let subscriber):
                    guard subscriber.isActive else { continue }
                    let object = try ObservedObject(classID, key, keyPaths, subscriber, snapshot)
                    if object.looksFurther {
                        farSightedObjects.append(object)
                    } else {
                        objects[classID, default: [:]][key, default: []].append(object)
                    }
                }
            } catch {
                registration.fail(error)
            }
        }
    }

    /// Without a snapshot nobody can be let in. The others wait for the next commit, unless there will be none.
    private func fail(_ error: any Error) {
        for registration in waiting { registration.fail(error) }
        waiting = []
        guard let error = error as? StoreError, error.code == .closed else { return }
        for result in results.values { result.fail(error) }
        for object in objects.values.flatMap({ $0.values.joined() }) + farSightedObjects {
            object.subscriber.finish(.failed(error))
        }
        results = [:]
        objects = [:]
        farSightedObjects = []
        pending = []
    }

    private func prune(_ subject: Subject) {
        switch subject {
        case .query(let query):
            results[query]?.prune()
            if results[query]?.isObserved == false { results[query] = nil }
        case .objects:
            farSightedObjects.removeAll { !$0.subscriber.isActive }
            objects = objects.compactMapValues { byKey in
                let kept = byKey.compactMapValues { observers in
                    let kept = observers.filter(\.subscriber.isActive)
                    return kept.isEmpty ? nil : kept
                }
                return kept.isEmpty ? nil : kept
            }
        }
    }
}
