import HTTPServer
import JSONCoding
import LiveQueries
import ObjectModel
import StoreContract

/// One client's stream of an object's events. A slow client is treated as with collections: it is given the object
/// anew once it has drained.
final class ObjectSubscription: StreamSubscription {
    let stream: EventStream
    let rounds = ObservationRounds()
    private let gateway: Gateway
    private let classID: ClassID
    private let key: ObjectKey
    private let style: TypeStyle
    private let keyPaths: [LiveKeyPath]
    private let lastSeen: Version?

    init(
        _ gateway: Gateway, _ classID: ClassID, _ key: ObjectKey, style: TypeStyle, keyPaths: [LiveKeyPath],
        _ stream: EventStream, lastSeen: Version?
    ) {
        self.gateway = gateway
        self.classID = classID
        self.key = key
        self.style = style
        self.keyPaths = keyPaths
        self.stream = stream
        self.lastSeen = lastSeen
    }

    func observe(round: Int) -> LiveToken {
        gateway.live.observeObject(classID, key, keyPaths: keyPaths) { [weak self] event in
            self?.deliver(event, round: round)
        }
    }

    func didEnd() {}

    /// On the live queries' thread.
    private func deliver(_ event: LiveObjectEvent, round: Int) {
        guard rounds.isCurrent(round) else { return }
        do {
            switch event {
            case .initial(let snapshot), .resumed(let snapshot):
                if round == 1, lastSeen == snapshot.version { return }
                send(try initial(snapshot))
            case .change(let change):
                if !rounds.isBehind { send(try self.change(change)) }
            case .deleted(let version):
                finish(deleted: version)
            case .failed(let error as StoreError) where error.code == .notFound:
                // It went while the client was behind, or between the look and the observation.
                finish(deleted: try gateway.store.snapshot().version)
            case .failed(let error):
                throw error
            }
        } catch {
            stream.finish(with: gateway.problem(of: error))
        }
    }

    private func finish(deleted version: Version) {
        let json = JSONWriter(capacity: 64)
        json.beginObject()
        json.name("version")
        json.int(version.rawValue)
        json.endObject()
        stream.send(json.event("deleted", version))
        stream.close()
    }

    private func initial(_ snapshot: any Snapshot) throws -> SharedBytes {
        let json = JSONWriter(capacity: 512)
        json.beginObject()
        json.name("version")
        json.int(snapshot.version.rawValue)
        json.name("object")
        try RowPlan(try objectClass(snapshot), of: snapshot.schema, style: style).write(
            [key], of: snapshot, into: json)
        json.endObject()
        return json.event("initial", snapshot.version)
    }

    private func change(_ change: LiveObjectChange) throws -> SharedBytes {
        let snapshot = change.snapshot
        let objectClass = try objectClass(snapshot)
        let plan = RowPlan(objectClass, of: snapshot.schema, style: style)
        let json = JSONWriter(capacity: 512)
        json.beginObject()
        json.name("version")
        json.int(change.version.rawValue)
        json.name("changes")
        json.beginArray()
        for property in change.properties {
            guard let name = objectClass[property.id]?.name else { continue }
            json.beginObject()
            json.name("name")
            json.string(name)
            for (side, value) in [("old", property.oldValue), ("new", property.newValue)] {
                guard let value else { continue }
                json.name(side)
                try plan.write(value, of: property.id, snapshot, into: json)
            }
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.event("change", change.version)
    }

    private func objectClass(_ snapshot: any Snapshot) throws -> ClassSchema {
        guard let found = snapshot.schema[classID] else {
            throw StoreError(.unknownClass, "The observed class was removed from the schema.")
        }
        return found
    }
}
