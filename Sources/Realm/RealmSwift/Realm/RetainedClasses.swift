import ObjectModel
import StoreContract

extension StoredSchema {
    /// Returns this schema with the classes of the stored one that it does not name: their data stays in the file.
    ///
    /// What they cannot keep is left out, because the named classes no longer have its other end: linking objects whose
    /// origin is gone, and embedded classes that nothing links to any longer, whose objects go with the links.
    func keeping(_ stored: StoredSchema) -> StoredSchema {
        let named = Set(classes.map(\.name))
        var unnamed = stored.classes.filter { !named.contains($0.name) }
        let all = StoredSchema(version: version, classes: classes + unnamed)
        for position in unnamed.indices {
            let name = unnamed[position].name
            unnamed[position].properties.removeAll { !all.hasOrigin(of: $0, in: name) }
        }
        // A class that is left out may have been the only one that links to another.
        while true {
            let linked = (classes + unnamed).reduce(into: Set<String>()) { linked, objectClass in
                for case .link(let target) in objectClass.properties.map(\.type.base) where target != objectClass.name {
                    linked.insert(target)
                }
            }
            let count = unnamed.count
            unnamed.removeAll { $0.isEmbedded && !linked.contains($0.name) }
            if unnamed.count == count { break }
        }
        return StoredSchema(version: version, classes: classes + unnamed)
    }

    /// Whether the property is stored, or shows what links to the class through a property that exists.
    private func hasOrigin(of property: PropertySchema, in className: String) -> Bool {
        guard case .linkingObjects(let fromClass, let origin) = property.type.base else { return true }
        guard case .link(let target)? = self[fromClass]?[origin]?.type.base else { return false }
        return target == className
    }
}
