import Columnar
import ObjectModel
import StoreContract

/// Lets go of everything that links to an object that is about to be deleted: single links and values of maps
/// become null, elements of lists and sets go away, references in mixed values become null.
///
/// Cost: for each property that could link to the class one look-up, and for each object that does, its own
/// collection.
struct IncomingLinks {
    private let member: MemberTransaction
    private let target: ObjectReference
    private let isEmbedded: Bool

    init(_ member: MemberTransaction, to objectClass: OpenClass, _ key: ObjectKey) {
        self.member = member
        target = ObjectReference(objectClass.schema.id, key)
        isEmbedded = objectClass.schema.isEmbedded
    }

    func clear() throws {
        // The session's schema: during a migration it has more than the member shows.
        for origin in member.session.schema.classes {
            guard origin.properties.contains(where: { $0.targetClass == target.classID || $0.type.isMixed }),
                let objectClass = member.session.objectClass(origin.id)
            else { continue }
            for column in objectClass.columns where column.holdsLinks {
                guard column.isMixed ? !isEmbedded : column.targetClass == target.classID else { continue }
                var previous: ObjectKey?
                let origins = try member.session.backlinks(
                    to: target.key, from: origin.id, column.id, targetClass: column.isMixed ? target.classID : nil)
                for source in origins where source != previous {
                    previous = source
                    // What the object itself holds goes with it.
                    if ObjectReference(origin.id, source) != target { try clear(objectClass, source, column) }
                }
            }
        }
    }

    private func clear(_ origin: OpenClass, _ source: ObjectKey, _ column: ColumnLayout) throws {
        switch column.kind.collection {
        case .single:
            let value = try member.session.value(origin, source, column)
            try member.exchange(origin, source, column, for: cleared(value))
        case .list, .set, .map:
            let editor = CollectionEditor(member, origin, source, column)
            let positions = try member.session.collection(origin, source, column).positions { links($0) }
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

    private func links(_ value: Value) -> Bool {
        switch value {
        case .link(let key): key == target.key
        case .reference(let reference): reference == target
        case .list(let elements): elements.contains { links($0) }
        case .dictionary(let map): map.entries.contains { links($0.value) }
        default: false
        }
    }

    /// The value with null where it linked to the object.
    private func cleared(_ value: Value) -> Value {
        switch value {
        case .link(let key): key == target.key ? .null : value
        case .reference(let reference): reference == target ? .null : value
        case .list(let elements): .list(elements.map { cleared($0) })
        case .dictionary(let map): .dictionary(map.mapValues { cleared($0) })
        default: value
        }
    }
}
