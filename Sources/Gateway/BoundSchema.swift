import ObjectModel

/// What a schema says of the classes that can be reached from some: what the names in a request meant when it was read.
/// Under a schema that says something else of them the request has to be read again, even where the numbers that the names
/// stood for are still in use. A change of other classes, or of what the caller does not see, concerns nobody here.
struct BoundSchema: Hashable, Sendable {
    private let classes: [ClassSchema]

    /// Cost: the classes that are reached; all of the schema from a class with mixed values.
    init(_ schema: Schema, from roots: [ClassID]) {
        var reached: Set<ClassID> = []
        var open = roots
        while let id = open.popLast() {
            guard let objectClass = schema[id], reached.insert(id).inserted else { continue }
            for property in objectClass.properties {
                if property.type.isMixed { open += schema.classes.map(\.id) }
                if let target = property.targetClass { open.append(target) }
                if case .linkingObjects(let name, _) = property.type.base, let origin = schema[name] {
                    open.append(origin.id)
                }
            }
        }
        classes = schema.classes.filter { reached.contains($0.id) }
    }

    // By little of it: most stores have one schema for long.
    func hash(into hasher: inout Hasher) {
        hasher.combine(classes.first?.id)
        hasher.combine(classes.count)
    }
}
