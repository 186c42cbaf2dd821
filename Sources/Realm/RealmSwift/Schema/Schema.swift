import ObjectModel

/// The classes of a realm.
public struct Schema: Equatable, CustomStringConvertible {
    public let objectSchema: [ObjectSchema]

    init(_ models: ModelSet) {
        // Without models, as in migrations, all that is stored; else what the configuration names.
        let hasModels = models.all.contains { $0.model != nil }
        objectSchema = models.all.filter { !hasModels || $0.model != nil }.map { boundClass in
            boundClass.model.map { ObjectSchema($0) } ?? ObjectSchema(boundClass)
        }
    }

    /// The class of that name.
    public subscript(className: String) -> ObjectSchema? { objectSchema.first { $0.className == className } }

    public var description: String {
        "Schema {\n" + objectSchema.map { "\t" + $0.description.indented }.joined(separator: "\n") + "\n}"
    }
}

extension String {
    /// With a tab before each line but the first.
    var indented: String { split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\t") }
}
