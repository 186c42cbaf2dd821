import Basics
import Columnar
import ObjectModel
import StoreContract

/// Removes all links to objects that are about to be deleted: single links and values of maps become null, elements of
/// lists and sets are removed, references in mixed values become null.
///
/// Cost: for each property that could link to the class one look-up per object, and for each object that does, its own
/// collection, once.
struct IncomingLinks {
    private let member: MemberTransaction
    private let classID: ClassID
    private let keys: Set<ObjectKey>
    private let isEmbedded: Bool

    /// The number of elements of one list or set that are removed one by one; with more the rest is assigned.
    private static let singleRemovals = 32

    init(_ member: MemberTransaction, to objectClass: MutableClass, _ keys: Set<ObjectKey>) {
        self.member = member
        classID = objectClass.schema.id
        self.keys = keys
        isEmbedded = objectClass.schema.isEmbedded
    }

    func clear() throws {
        // The session's schema: during a migration it has more than the member shows.
        for origin in member.session.schema.classes {
            guard origin.properties.contains(where: { $0.targetClass == classID || $0.type.isMixed }),
                let objectClass = member.session.objectClass(origin.id)
            else { continue }
            for column in objectClass.columns where column.holdsLinks {
                guard column.isMixed ? !isEmbedded : column.targetClass == classID else { continue }
                for source in try origins(origin.id, column) { try clear(objectClass, source, column) }
            }
        }
    }

    /// The objects with links to remove, each once.
    private func origins(_ origin: ClassID, _ column: ColumnLayout) throws -> [ObjectKey] {
        var origins: [ObjectKey] = []
        var seen: Set<ObjectKey> = []
        for key in keys.count == 1 ? Array(keys) : keys.sorted() {
            var previous: ObjectKey?
            let sources = try member.session.backlinks(
                to: key, from: origin, column.id, targetClass: column.isMixed ? classID : nil)
            for source in sources where source != previous {
                previous = source
                // The links of the deleted objects themselves are deleted with them.
                if origin == classID, keys.contains(source) { continue }
                if keys.count == 1 || seen.insert(source).inserted { origins.append(source) }
            }
        }
        return origins
    }

    private func clear(_ origin: MutableClass, _ source: ObjectKey, _ column: ColumnLayout) throws {
        switch column.kind.collection {
        case .single:
            let value = try member.session.value(origin, source, column)
            try member.exchange(origin, source, column, for: cleared(value))
        case .list, .set, .map:
            let editor = CollectionEditor(member, origin, source, column)
            let positions = try member.session.collection(origin, source, column).positions { links($0) }
            if positions.count > Self.singleRemovals, !column.isMixed, column.kind == .set || column.kind == .list {
                return try takeOut(positions, origin, source, column)
            }
            for position in positions.reversed() {
                if column.kind == .set || column.kind == .list && !column.isMixed {
                    try editor.takeOut(at: position)
                } else {
                    let element = try member.session.collection(origin, source, column).value(at: position)
                    try editor.exchange(at: position, for: cleared(element))
                }
            }
        }
    }

    /// Removes many elements of a list or set at once.
    private func takeOut(
        _ positions: [Int], _ origin: MutableClass, _ source: ObjectKey, _ column: ColumnLayout
    ) throws {
        let old = try member.session.value(origin, source, column)
        switch old {
        case .list(let elements):
            let edit = ListEdit(
                deletions: IndexRuns(runs: positions.map { $0..<$0 + 1 }), insertions: IndexRuns(),
                modifications: IndexRuns())
            try member.exchange(
                origin, source, column, old, for: .list(elements.filter { !links($0) }), .list(edit))
        case .set(let elements):
            let edit = SetEdit(deletions: EditedElements(elements.filter { links($0) }))
            try member.exchange(origin, source, column, old, for: .set(elements.filter { !links($0) }), .set(edit))
        default: throw DamagedRecord()
        }
    }

    private func links(_ value: Value) -> Bool {
        switch value {
        case .link(let key): keys.contains(key)
        case .reference(let reference): reference.classID == classID && keys.contains(reference.key)
        case .list(let elements): elements.contains { links($0) }
        case .dictionary(let map): map.entries.contains { links($0.value) }
        default: false
        }
    }

    /// The value with null where it linked to one of the objects.
    private func cleared(_ value: Value) -> Value {
        value.clearingLinks(in: classID) { $0.classID == classID && keys.contains($0.key) }
    }
}
