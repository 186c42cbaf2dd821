import ObjectModel
import StoreContract

/// One observed object. Used by one thread at a time.
final class ObservedObject: LiveSubject {
    /// Observers with the same key paths, which are told the same.
    private struct Audience {
        let keyPaths: [LiveKeyPath]
        let filter: KeyPathFilter?
        var subscribers: [Subscriber<LiveObjectEvent>] = []
    }

    private let object: ObjectReference
    private var classID: ClassID { object.classID }
    private var key: ObjectKey { object.key }
    private var audiences: [Audience] = []

    /// Throws `notFound`, `unknownClass`.
    init(_ object: ObjectReference, _ snapshot: any Snapshot) throws {
        self.object = object
        guard let objectClass = snapshot.schema[object.classID] else {
            throw StoreError(.unknownClass, "There is no class number \(object.classID.rawValue).")
        }
        guard try snapshot.exists(object.classID, object.key) else {
            throw StoreError(
                .notFound, "Class '\(objectClass.name)' has no object with key \(object.key.rawValue).")
        }
    }

    var isObserved: Bool { !audiences.isEmpty }

    var watches: Set<LiveWatch> {
        var watches: Set<LiveWatch> = [.object(object)]
        for path in audiences.flatMap(\.keyPaths) where path.steps.count > 1 || path.hasBacklinks {
            watches.formUnion(path.watchedClasses.map { .objects(of: $0) })
        }
        return watches
    }

    /// Tells the observer that the observation begins. Throws `unknownProperty`.
    func add(
        _ subscriber: Subscriber<LiveObjectEvent>, _ keyPaths: [LiveKeyPath], _ snapshot: any Snapshot,
        since version: Version?, _ past: PastVersions
    ) throws {
        if let index = audiences.firstIndex(where: { $0.keyPaths == keyPaths }) {
            audiences[index].subscribers.append(subscriber)
        } else {
            for path in keyPaths {
                guard path.classID == classID else {
                    throw StoreError(.unknownProperty, "The key paths belong to another class than the object.")
                }
                if let fault = path.fault(under: snapshot.schema) { throw fault }
            }
            let filter = keyPaths.isEmpty ? nil : KeyPathFilter(keyPaths)
            try filter?.remember([key], snapshot)
            audiences.append(Audience(keyPaths: keyPaths, filter: filter, subscribers: [subscriber]))
        }
        subscriber.send(.initial(snapshot: snapshot))
    }

    func prune() {
        for index in audiences.indices { audiences[index].subscribers.removeAll { !$0.isActive } }
        audiences.removeAll { $0.subscribers.isEmpty }
    }

    func fail(_ error: any Error) { finish(.failed(error)) }

    private func finish(_ event: LiveObjectEvent) {
        for audience in audiences {
            for subscriber in audience.subscribers { subscriber.finish(event) }
        }
        audiences = []
    }

    func advance(_ step: LiveStep, _ snapshot: any Snapshot) throws {
        if step.changes.classes[classID]?.deletions.contains(key) == true {
            finish(.deleted(snapshot.version))
            return
        }
        guard let objectClass = snapshot.schema[classID] else {
            throw StoreError(.unknownClass, "The class of the observed object is gone from the schema.")
        }
        for audience in audiences {
            let faults = audience.keyPaths.compactMap { $0.fault(under: snapshot.schema) }
            if let fault = faults.first {
                for subscriber in audience.subscribers { subscriber.finish(.failed(fault)) }
                continue
            }
            let properties = try changes(audience.filter, objectClass, step)
            guard !properties.isEmpty else { continue }
            let event = LiveObjectEvent.change(LiveObjectChange(snapshot: snapshot, properties: properties))
            for subscriber in audience.subscribers { subscriber.send(event) }
        }
        prune()
    }

    private func changes(
        _ filter: KeyPathFilter?, _ objectClass: ClassSchema, _ step: LiveStep
    ) throws -> [LivePropertyChange] {
        let changed: PropertySet
        if let filter {
            let hits = try filter.modified(by: step, [key], joined: []).filter { $0.value.contains(key) }
            changed = PropertySet(hits.keys.compactMap { $0.steps.first?.property })
        } else {
            changed = step.changes.classes[classID]?.modifications[key] ?? PropertySet()
        }
        guard !changed.isEmpty else { return [] }
        var properties: [LivePropertyChange] = []
        let earlier = step.before.schema[classID]
        for property in objectClass.storedProperties where changed.contains(property.id) {
            let isOlder = earlier?[property.id]?.type == property.type
            properties.append(
                LivePropertyChange(
                    id: property.id, oldValue: isOlder ? try step.before.value(classID, key, property.id) : nil,
                    newValue: try step.after.value(classID, key, property.id)))
        }
        for property in objectClass.properties where property.type.isComputed && changed.contains(property.id) {
            properties.append(LivePropertyChange(id: property.id, oldValue: nil, newValue: nil))
        }
        return properties
    }
}
