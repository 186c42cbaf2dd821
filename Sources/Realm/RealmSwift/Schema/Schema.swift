import ObjectModel

/// The description of a realm's classes.
public struct Schema: Equatable, CustomStringConvertible {
    /// The classes, each with its properties.
    public let objectSchema: [ObjectSchema]

    init(_ models: ModelSet) {
        // Without models, as in migrations, all stored classes; else those that the configuration names.
        let hasModels = models.all.contains { $0.model != nil }
        objectSchema = models.all.filter { !hasModels || $0.model != nil }.map { boundClass in
            boundClass.model.map { ObjectSchema($0) } ?? ObjectSchema(boundClass)
        }
    }

    /// Returns the class with that name; nil if there is none.
    public subscript(className: String) -> ObjectSchema? { objectSchema.first { $0.className == className } }

    public var description: String {
        "Schema {\n" + objectSchema.map { "\t" + $0.description.indented }.joined(separator: "\n") + "\n}"
    }
}

extension String {
    /// The string with a tab before each line except the first.
    var indented: String { split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\t") }
}
