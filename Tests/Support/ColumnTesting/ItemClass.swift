package import ObjectModel
package import QueryLanguage

/// A class `Item` whose first property is an int, `number`: the only class of its schema, for tests of columns.
package struct ItemClass: Sendable {
    package static let id = ClassID(1)
    package let schema: Schema

    /// - Parameter others: the properties behind `number`, which is property 1.
    package init(_ others: [PropertySchema]) {
        let number = PropertySchema("number", PropertyType(.int))
        schema = Schema(version: 1, classes: [ClassSchema("Item", properties: [number] + others)])
    }

    /// The path to a property, or into it.
    package func path(_ number: UInt16, _ steps: [ValueStep] = []) -> BoundPath {
        let id = PropertyID(number)
        return BoundPath(end: .property(id, schema[Self.id]?[id]?.type ?? PropertyType(.int)), steps: steps)
    }
}
