import ObjectModel
import StoreContract

/// One observed object, with the values that its observer was told last. Used on the worker's thread only.
final class ObservedObject {
    let classID: ClassID
    let key: ObjectKey
    let subscriber: Subscriber<LiveObjectEvent>
    private let filter: KeyPathFilter?
    private var row: [PropertyID: Value] = [:]

    /// Tells the observer that the observation begins. Throws `notFound`, `unknownClass`, `unknownProperty`.
    init(
        _ classID: ClassID, _ key: ObjectKey, _ keyPaths: [LiveKeyPath],
        _ subscriber: Subscriber<LiveObjectEvent>, _ snapshot: any Snapshot
    ) throws {
        self.classID = classID
        self.key = key
        self.subscriber = subscriber
        filter = keyPaths.isEmpty ? nil : KeyPathFilter(keyPaths)
        for path in keyPaths {
            guard path.classID == classID else {
                throw StoreError(.unknownProperty, "The key paths belong to another class than the object.")
            }
        }
        try adopt(snapshot)
        try filter?.remember([key], snapshot)
        subscriber.send(.initial(snapshot: snapshot))
    }

    /// Whether changes of other objects can matter.
    var looksFurther: Bool { filter?.paths.contains { $0.steps.count > 1 || $0.hasBacklinks } == true }

    /// Tells the observer what changed. After `deleted` the subscriber is no longer active.
    func advance(_ changes: ChangeSet, _ snapshot: any Snapshot) throws {
        if changes.classes[classID]?.deletions.contains(key) == true {
            subscriber.finish(.deleted(snapshot.version))
            return
        }
        if changes.schemaChanged { try adopt(snapshot, keeping: true) }
        let changed: PropertySet
        if let filter {
            let hits = try filter.modified(by: changes, [key], joined: [], snapshot).filter { $0.value.contains(key) }
            changed = PropertySet(hits.keys.compactMap { $0.steps.first?.property })
        } else {
            changed = changes.classes[classID]?.modifications[key] ?? PropertySet()
        }
        guard !changed.isEmpty, let objectClass = snapshot.schema[classID] else { return }
        var properties: [LivePropertyChange] = []
        for property in objectClass.storedProperties where changed.contains(property.id) {
            let value = try snapshot.value(classID, key, property.id)
            properties.append(LivePropertyChange(id: property.id, oldValue: row[property.id], newValue: value))
            row[property.id] = value
        }
        for property in objectClass.properties where property.type.isComputed && changed.contains(property.id) {
            properties.append(LivePropertyChange(id: property.id, oldValue: nil, newValue: nil))
        }
        guard !properties.isEmpty else { return }
        subscriber.send(.change(LiveObjectChange(snapshot: snapshot, properties: properties)))
    }

    /// Reads the values to compare with: all, or those of properties that were not there before.
    private func adopt(_ snapshot: any Snapshot, keeping: Bool = false) throws {
        guard let objectClass = snapshot.schema[classID] else {
            throw StoreError(.unknownClass, "The class of the observed object is gone from the schema.")
        }
        for path in filter?.paths ?? [] {
            if let fault = path.fault(under: snapshot.schema) { throw fault }
        }
        let before = keeping ? row : [:]
        let watched = filter.map { PropertySet($0.paths.compactMap { $0.steps.first?.property }) }
        row = [:]
        for property in objectClass.storedProperties where watched?.contains(property.id) != false {
            row[property.id] = try before[property.id] ?? snapshot.value(classID, key, property.id)
        }
    }
}
