import ObjectModel

/// Names of classes and properties for an explanation; their numbers where there is no schema.
struct Names {
    let schema: Schema?
    /// The class whose properties are spoken of.
    var classID: ClassID

    subscript(property: PropertyID) -> String { name(property, of: classID) }

    subscript(classID: ClassID) -> String { schema?[classID]?.name ?? "class \(classID.rawValue)" }

    func name(_ property: PropertyID, of classID: ClassID) -> String {
        schema?[classID]?[property]?.name ?? "property \(property.rawValue)"
    }
}
