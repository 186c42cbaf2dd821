import Basics
import JSONCoding
import ObjectModel
import StoreContract
import WireProtocol

/// An edit of a list, element by element. Each element is identified by its position and its previous value, so that
/// the gateway finds it when others have edited the list meanwhile.
struct SyncListEdit {
    /// The maximum number of operations; for a larger edit the list is sent as a whole.
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

    /// Returns the operations in order; nil if the list must be sent as a whole.
    func parts() throws -> [TransactionOperation.Change]? {
        let (gone, come, assigned) = (edit.deletions, edit.insertions, edit.modifications)
        let isAppending = come.runs.isEmpty || come.runs == [new.count - come.count..<new.count]
        if gone.isEmpty, assigned.isEmpty, isAppending { return insertions() }
        guard let old, let before = changes.before, gone.count + assigned.count + come.runs.count <= Self.largest,
            old.count - gone.count == new.count - come.count,
            // Not if another list was assigned.
            gone.count < old.count || come.isEmpty || old.count < 2
        else { return nil }
        let writer = RemoteEncoder(before)
        func known(_ index: Int) throws -> JSONValue? {
            guard try changes.stillExists(old[index], property) || property.ownsTarget else { return nil }
            return writer.element(old[index], property)
        }
        var parts: [TransactionOperation.Change] = []
        for index in assigned.runs.joined() {
            let rank = index - come.count(below: index)
            guard let place = gone.positions(ofNonMembers: rank..<rank + 1).first?.lowerBound,
                old.indices.contains(place), new.indices.contains(index)
            else { return nil }
            guard let was = try known(place) else { return nil }
            parts.append(.replace(at: place, was: was, changes.writer.element(new[index], property)))
        }
        for index in gone.runs.joined().reversed() {
            guard old.indices.contains(index) else { return nil }
            // Deleted objects have already left all lists.
            guard let was = try known(index) else { continue }
            parts.append(.removeAt(index, was: was))
        }
        return parts + insertions()
    }

    private func insertions() -> [TransactionOperation.Change] {
        edit.insertions.runs.compactMap { run in
            guard run.upperBound <= new.count else { return nil }
            let values = JSONValue.array(new[run].map { changes.writer.element($0, property) })
            if run.upperBound == new.count { return .append(values) }
            let behind = run.lowerBound > 0 ? changes.writer.element(new[run.lowerBound - 1], property) : nil
            // The insertion succeeds even if others have removed the element before it.
            return .insert(at: run.lowerBound, behind: behind, orAtIndex: behind != nil, values)
        }
    }
}

/// A step from an object to one that is embedded in it.
struct SyncStep {
    private enum Element {
        case position(Int)
        case mapKey(String)
    }

    /// The object whose property contains the embedded object.
    let holder: ObjectReference
    let property: PropertySchema
    let object: ObjectReference
    private let element: Element?
    /// The previous values of the embedded object, if it is in a list.
    private let was: [(id: PropertyID, member: JSONObject.Member)]

    /// Returns nil if the embedded object is not in the property.
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
                let member = JSONObject.Member(name: property.name, value: writer.json(value, property))
                return (id: property.id, member: member)
            }
        default: return nil
        }
    }

    /// Returns the step as operations encode it.
    ///
    /// - Parameter changed: properties whose values no longer identify the embedded object.
    func parts(without changed: Set<PropertyID>) -> [TransactionOperation.PathPart] {
        let name = TransactionOperation.PathPart.name(property.name)
        switch element {
        case nil: return [name]
        case .mapKey(let key): return [name, .name(key)]
        case .position(let index):
            let known = was.filter { !changed.contains($0.id) }.map(\.member)
            return [name, .position(index, was: known.isEmpty ? nil : .object(JSONObject(known)))]
        }
    }
}
