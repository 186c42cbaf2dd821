import AccessRules
import ObjectModel
import QueryLanguage
import StoreContract

/// Finds the objects whose representation has changed although they were not written: owners of changed embedded
/// objects, owners of embedded objects whose class changed, and objects with links to objects that became visible or
/// hidden.
struct IndirectChanges {
    let from: any Snapshot
    let to: any Snapshot

    /// Adds their properties to the modified ones. Cost: the changes and their links; for a class whose visibility
    /// depends on other objects, or with embedded objects of a changed class, all of its objects.
    ///
    /// - Parameter remade: the classes whose objects all have another representation because of a schema change.
    func add(to changes: inout ChangeSet, remade: Set<ClassID>) throws {
        try addOwners(of: remade, to: &changes)
        if let access = BoundAccess.of(to) {
            for objectClass in self.to.schema.classes where from.schema[objectClass.id] != nil {
                let id = objectClass.id
                var turned: [ObjectKey] = []
                var suspects = Set(changes.classes[id]?.modifications.keys.map { $0 } ?? [])
                if access.dependsOnOthers(id) {
                    let all = BoundQuery(classID: id)
                    suspects.formUnion(
                        Set(try from.select(all, .all)).symmetricDifference(try self.to.select(all, .all)))
                }
                for key in suspects where try from.exists(id, key) != self.to.exists(id, key) { turned.append(key) }
                for key in turned {
                    // Links are found in the version that has the object.
                    let side = try self.to.exists(id, key) ? self.to : from
                    try add(holdersOf: ObjectReference(id, key), on: side, to: &changes) { property in
                        property.type.isMixed || property.targetClass == id
                    }
                }
            }
        }
        // From the innermost outward: owners that are embedded themselves are added on the way.
        var written = embedded(in: changes)
        while let object = written.popLast() {
            try add(holdersOf: object, on: self.to, to: &changes) {
                $0.ownsTarget && $0.targetClass == object.classID
            } noted: { owner in
                if self.to.schema[owner.classID]?.isEmbedded == true { written.append(owner) }
            }
        }
    }

    private func addOwners(of remade: Set<ClassID>, to changes: inout ChangeSet) throws {
        var embedded = remade.filter { to.schema[$0]?.isEmbedded == true }
        func owning(_ objectClass: ClassSchema) -> [PropertySchema] {
            objectClass.storedProperties.filter { property in
                property.ownsTarget && property.targetClass.map { embedded.contains($0) } == true
            }
        }
        // Embedded objects that own one are written within their owners.
        while let outer = to.schema.classes.first(where: {
            $0.isEmbedded && !embedded.contains($0.id) && !owning($0).isEmpty
        }) {
            embedded.insert(outer.id)
        }
        for objectClass in to.schema.classes where !objectClass.isEmbedded {
            let properties = owning(objectClass)
            guard !properties.isEmpty else { continue }
            for key in try to.select(BoundQuery(classID: objectClass.id), .all) {
                for property in properties {
                    changes.classes[objectClass.id, default: ClassChanges()].recordModification(key, property.id)
                }
            }
        }
    }

    private func embedded(in changes: ChangeSet) -> [ObjectReference] {
        changes.classes.flatMap { id, own in
            to.schema[id]?.isEmbedded == true ? own.modifications.keys.map { ObjectReference(id, $0) } : []
        }
    }

    private func add(
        holdersOf object: ObjectReference, on side: any Snapshot, to changes: inout ChangeSet,
        by isMeant: (PropertySchema) -> Bool, noted: (ObjectReference) -> Void = { _ in }
    ) throws {
        guard try side.exists(object.classID, object.key) else { return }
        for holderClass in to.schema.classes {
            for property in holderClass.storedProperties where isMeant(property) {
                guard side.schema[holderClass.id]?[property.id]?.type == property.type else { continue }
                for holder in try side.backlinks(to: object, from: holderClass.id, property.id) {
                    changes.classes[holderClass.id, default: ClassChanges()].recordModification(holder, property.id)
                    noted(ObjectReference(holderClass.id, holder))
                }
            }
        }
    }
}

extension Snapshot {
    /// Returns a value in comparable form: embedded objects by the names and values that are written, not by identity.
    func comparableForm(of property: PropertySchema, _ classID: ClassID, _ key: ObjectKey) throws -> Value {
        try comparableForm(value(classID, key, property.id), property)
    }

    private func comparableForm(_ value: Value, _ property: PropertySchema) throws -> Value {
        guard property.ownsTarget, let target = property.targetClass.flatMap({ schema[$0] }) else { return value }
        switch value {
        case .link(let key):
            return .dictionary(
                ValueMap(try target.storedProperties.map { ($0.name, try comparableForm(of: $0, target.id, key)) }))
        case .list(let elements): return .list(try elements.map { try comparableForm($0, property) })
        case .dictionary(let map): return .dictionary(try map.mapValues { try comparableForm($0, property) })
        default: return value
        }
    }
}
