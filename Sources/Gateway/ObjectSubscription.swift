import HTTPServer
import JSONCoding
import LiveQueries
import ObjectModel
import StoreContract
import Synchronization

/// One client's stream of an object's events. A slow client is treated as with collections: it is given the object
/// anew once it has drained.
final class ObjectSubscription: Sendable {
    private struct State {
        var token: LiveToken?
        var isBehind = false
        var isOver = false
        var round = 0
    }

    private let gateway: Gateway
    private let classID: ClassID
    private let key: ObjectKey
    private let style: TypeStyle
    private let keyPaths: [LiveKeyPath]
    private let stream: EventStream
    private let lastSeen: Version?
    private let state = Mutex(State())

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

    /// Sends events from now on until the stream ends.
    func begin() {
        stream.send(.retry)
        // The stream holds the subscription until it ends.
        stream.onDrain { self.catchUp() }
        observe(isFirst: true)
        stream.onClose { _ in self.end() }
    }

    private func observe(isFirst: Bool) {
        let round = state.withLock { state in
            state.round += 1
            state.isBehind = false
            return state.round
        }
        let token = gateway.live.observeObject(classID, key, keyPaths: keyPaths) { [weak self] event in
            self?.deliver(event, round: round, isFirst: isFirst)
        }
        let old = state.withLock { state in
            if state.isOver { return token as LiveToken? }
            defer { state.token = token }
            return state.token
        }
        old?.cancel()
    }

    private func catchUp() {
        let isBehind = state.withLock { $0.isBehind && !$0.isOver }
        if isBehind { observe(isFirst: false) }
    }

    private func end() {
        let token = state.withLock { state in
            state.isOver = true
            defer { state.token = nil }
            return state.token
        }
        token?.cancel()
    }

    /// On the live queries' thread.
    private func deliver(_ event: LiveObjectEvent, round: Int, isFirst: Bool) {
        let (isCurrent, isBehind) = state.withLock { ($0.round == round && !$0.isOver, $0.isBehind) }
        guard isCurrent else { return }
        do {
            switch event {
            case .initial(let snapshot):
                if isFirst, lastSeen == snapshot.version { return }
                send(try initial(snapshot))
            case .change(let change):
                if !isBehind { send(try self.change(change)) }
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

    private func send(_ event: SharedBytes) {
        guard stream.send(event) == .full else { return }
        state.withLock { $0.isBehind = true }
        // It may have drained before it was marked.
        if !stream.isCongested { catchUp() }
    }
}
