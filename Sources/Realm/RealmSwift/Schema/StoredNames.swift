import ObjectModel

/// The names of a realm's classes in its file.
///
/// Earlier versions stored a class that is declared within another one by its own name. A file that has a class by
/// such a name keeps it, so that its objects, other programs and clients of a gateway stay as they are; only Swift has
/// the name of today. That also goes for a class outside of others that the file knows and the configuration does
/// not name: nothing tells the two apart, and a class that opens without its objects would be the greater harm.
struct StoredNames {
    /// The stored names of classes whose names in Swift differ.
    private let stored: [String: String]

    init(_ models: [ClassModel], in schema: StoredSchema) {
        var stored: [String: String] = [:]
        for model in models {
            guard let own = model.ownName, schema[model.name] == nil, let before = schema[own],
                !models.contains(where: { $0.name == own }), Self.isOf(model, before)
            else { continue }
            stored[model.name] = own
        }
        self.stored = stored
    }

    /// Whether the stored class can be an earlier version of the model.
    private static func isOf(_ model: ClassModel, _ before: ClassSchema) -> Bool {
        before.isEmbedded == model.isEmbedded && before.primaryKey == model.primaryKey?.column
            && before.properties.contains { property in model.properties.contains { $0.column == property.name } }
    }

    subscript(name: String) -> String { stored[name] ?? name }

    /// Returns the class with its stored name, and those of the classes that it refers to.
    func schema(of model: ClassModel) -> ClassSchema {
        var schema = model.schema
        guard !stored.isEmpty else { return schema }
        schema.name = self[schema.name]
        for index in schema.properties.indices {
            switch schema.properties[index].type.base {
            case .link(let target): schema.properties[index].type.base = .link(self[target])
            case .linkingObjects(let origin, let property):
                schema.properties[index].type.base = .linkingObjects(fromClass: self[origin], property: property)
            default: continue
            }
        }
        return schema
    }
}
