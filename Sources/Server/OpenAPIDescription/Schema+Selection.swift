package import ObjectModel

extension Schema {
    /// Returns the schema with only some classes and the embedded ones that they own. Links to others stay: the
    /// description says of them only that they are values.
    package func selecting(_ names: Set<String>) -> Schema {
        var chosen = Set(names.compactMap { self[$0]?.id })
        var new = chosen
        while !new.isEmpty {
            let targets = new.compactMap { self[$0] }.flatMap(\.storedProperties).compactMap(\.targetClass)
            new = Set(targets.filter { self[$0]?.isEmbedded == true }).subtracting(chosen)
            chosen.formUnion(new)
        }
        return Schema(
            version: version,
            numberedClasses: classes.filter { chosen.contains($0.id) }.map { objectClass in
                (objectClass, objectClass.id, objectClass.properties.map(\.id), objectClass.nextPropertyID)
            }, nextClassID: nextClassID)
    }
}
