import HTTPServer
import JSONCoding
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract
import Synchronization

/// What an observation of a collection asks for. Subscribers that ask for the same share encoded events.
struct ChannelKey: Hashable, Sendable {
    let query: BoundQuery
    let fields: String?
    let expand: String?
    let style: TypeStyle
    let includesObjects: Bool
    let keyPaths: [LiveKeyPath]
}

/// Encodes the events of one channel, each once. Called from the live queries' thread only, where events arrive one
/// at a time, so its lock is never contended.
final class ChannelEncoder: Sendable {
    private let state: Mutex<State>

    init(_ key: ChannelKey) { state = Mutex(State(key: key)) }

    func initial(_ snapshot: any Snapshot, _ keys: KeySequence) throws -> SharedBytes {
        try state.withLock { try $0.initial(snapshot, keys) }
    }

    func update(_ change: LiveChange) throws -> SharedBytes {
        try state.withLock { try $0.update(change) }
    }
}

private struct State {
    let key: ChannelKey
    var plan: (schema: Schema, plan: RowPlan)?
    // Weak, so that neither a version is pinned nor a large result kept for nobody.
    weak var lastChange: LiveChange?
    weak var lastUpdate: SharedBytes?
    weak var lastInitial: SharedBytes?
    var initialVersion: Version?

    init(key: ChannelKey) { self.key = key }

    mutating func initial(_ snapshot: any Snapshot, _ keys: KeySequence) throws -> SharedBytes {
        if initialVersion == snapshot.version, let lastInitial { return lastInitial }
        let plan = try plan(for: snapshot.schema)
        let json = JSONWriter(capacity: 256 + keys.count * 128)
        json.beginObject()
        json.name("version")
        json.int(snapshot.version.rawValue)
        json.name("count")
        json.int(keys.count)
        json.name("items")
        json.beginArray()
        try plan.write(Array(keys), of: snapshot, into: json)
        json.endArray()
        json.endObject()
        let event = json.event("initial", snapshot.version)
        initialVersion = snapshot.version
        lastInitial = event
        return event
    }

    mutating func update(_ change: LiveChange) throws -> SharedBytes {
        if let lastChange, lastChange === change, let lastUpdate { return lastUpdate }
        let json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.name("version")
        json.int(change.version.rawValue)
        for (name, indices) in [
            ("deletions", change.deletions), ("insertions", change.insertions), ("modifications", change.modifications),
        ] {
            json.name(name)
            json.beginArray()
            for index in indices { json.int(index) }
            json.endArray()
        }
        if key.includesObjects {
            let plan = try plan(for: change.snapshot.schema)
            json.name("objects")
            json.beginObject()
            for (name, indices) in [("insertions", change.insertions), ("modifications", change.modificationsNew)] {
                json.name(name)
                json.beginArray()
                try plan.write(indices.map { change.newKeys[$0] }, of: change.snapshot, into: json)
                json.endArray()
            }
            json.endObject()
        }
        json.endObject()
        let event = json.event("update", change.version)
        lastChange = change
        lastUpdate = event
        return event
    }

    /// The plan under a schema. Throws when a name that it was asked for is gone.
    private mutating func plan(for schema: Schema) throws -> RowPlan {
        if let plan, plan.schema == schema { return plan.plan }
        guard let objectClass = schema[key.query.classID] else {
            throw StoreError(.unknownClass, "The observed class was removed from the schema.")
        }
        let made = try RowPlan(
            objectClass, of: schema, fields: key.fields, expand: key.expand, style: key.style)
        plan = (schema, made)
        return made
    }
}

extension JSONWriter {
    /// What was written, as an event of a version.
    func event(_ name: String, _ version: Version?) -> SharedBytes {
        withBytes { .event(id: version.map(\.description), name: name, data: $0) }
    }
}
