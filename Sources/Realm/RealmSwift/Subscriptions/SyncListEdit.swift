import JSONCoding
import ObjectModel
import StoreContract

/// An edit of a list, element by element, each named by its position and by what it was, so that it is found when others
/// have edited the list meanwhile.
struct SyncListEdit {
    /// Most operations; what takes more is sent as a whole.
    private static let largest = 500

    private let edit: ListEdit
    private let old: [Value]?
    private let new: [Value]
    private let property: PropertySchema
    private let changes: LocalChangeEncoder

    init(
        _ edit: ListEdit, _ old: Value?, _ new: [Value], _ property: PropertySchema, _ changes: LocalChangeEncoder
    ) {
        self.edit = edit
        if case .list(let elements)? = old { self.old = elements } else { self.old = nil }
        self.new = new
        self.property = property
        self.changes = changes
    }

    /// The operations in their order, each its name and what it is given; nil for what is to be sent as a whole.
    func parts() throws -> [[(String, JSONValue)]]? {
        let (gone, come, assigned) = (edit.deletions, edit.insertions, edit.modifications)
        let isAppending = come.runs.isEmpty || come.runs == [new.count - come.count..<new.count]
        if gone.isEmpty, assigned.isEmpty, isAppending { return try insertions() }
        guard let old, let before = changes.before, gone.count + assigned.count + come.runs.count <= Self.largest,
            old.count - gone.count == new.count - come.count,
            // Another list was assigned.
            gone.count < old.count || come.isEmpty || old.count < 2
        else { return nil }
        let writer = RemoteEncoder(before)
        func known(_ index: Int) throws -> (String, JSONValue)? {
            guard try changes.stillExists(old[index], property) || property.ownsTarget else { return nil }
            return ("was", try writer.element(old[index], property))
        }
        var parts: [[(String, JSONValue)]] = []
        for index in assigned.runs.joined() {
            let rank = index - come.count(below: index)
            guard let place = gone.positions(ofNonMembers: rank..<rank + 1).first?.lowerBound,
                old.indices.contains(place), new.indices.contains(index)
            else { return nil }
            guard let was = try known(place) else { return nil }
            parts.append([
                ("op", "replace"), ("index", .int(Int64(place))), was,
                ("value", try changes.writer.element(new[index], property)),
            ])
        }
        for index in gone.runs.joined().reversed() {
            guard old.indices.contains(index) else { return nil }
            // What was deleted left all lists.
            guard let was = try known(index) else { continue }
            parts.append([("op", "remove"), ("index", .int(Int64(index))), was])
        }
        return parts + (try insertions())
    }

    private func insertions() throws -> [[(String, JSONValue)]] {
        try edit.insertions.runs.compactMap { run in
            guard run.upperBound <= new.count else { return nil }
            let values = JSONValue.array(try new[run].map { try changes.writer.element($0, property) })
            if run.upperBound == new.count { return [("op", "append"), ("value", values)] }
            var part: [(String, JSONValue)] = [("op", "insert"), ("index", .int(Int64(run.lowerBound)))]
            if run.lowerBound > 0 {
                part.append(("behind", try changes.writer.element(new[run.lowerBound - 1], property)))
                // What was put in here stays, also when others took out what it stands behind.
                part.append(("orAtIndex", true))
            }
            return part + [("value", values)]
        }
    }
}

/// A step from an object to one that is embedded in it.
struct SyncStep {
    private enum Element {
        case position(Int)
        case mapKey(String)
    }

    /// What has the embedded object in a property.
    let holder: ObjectReference
    let property: PropertySchema
    let object: ObjectReference
    private let element: Element?
    /// The embedded object's values before, in a list.
    private let was: [(id: PropertyID, member: JSONObject.Member)]

    /// Nil when it is not there.
    init?(
        from holder: ObjectReference, _ property: PropertySchema, to object: ObjectReference,
        _ changes: LocalChangeEncoder
    ) throws {
        self.holder = holder
        self.property = property
        self.object = object
        switch try changes.transaction.value(holder.classID, holder.key, property.id) {
        case .link(object.key):
            element = nil
            was = []
        case .dictionary(let map):
            guard let entry = map.entries.first(where: { $0.value == .link(object.key) }) else { return nil }
            element = .mapKey(entry.key)
            was = []
        case .list(let elements):
            guard let index = elements.firstIndex(of: .link(object.key)) else { return nil }
            element = .position(index)
            guard let before = changes.before, try before.exists(object.classID, object.key) else {
                was = []
                return
            }
            let writer = RemoteEncoder(before)
            was = try (changes.schema[object.classID]?.storedProperties ?? []).map { property in
                let value = try before.value(object.classID, object.key, property.id)
                let member = JSONObject.Member(name: property.name, value: try writer.json(value, property))
                return (id: property.id, member: member)
            }
        default: return nil
        }
    }

    /// As operations name it.
    ///
    /// - Parameter changed: properties of the embedded object that do not tell any more which one it is.
    func json(without changed: Set<PropertyID>) -> [JSONValue] {
        let name = JSONValue.string(property.name)
        switch element {
        case nil: return [name]
        case .mapKey(let key): return [name, .string(key)]
        case .position(let index):
            let known = was.filter { !changed.contains($0.id) }.map(\.member)
            if known.isEmpty { return [name, .int(Int64(index))] }
            return [name, ["index": .int(Int64(index)), "was": .object(JSONObject(known))]]
        }
    }
}

extension RemoteEncoder {
    /// One element of a list.
    func element(_ value: Value, _ property: PropertySchema) throws -> JSONValue {
        try json(.list([value]), property).elements.first ?? .null
    }
}
