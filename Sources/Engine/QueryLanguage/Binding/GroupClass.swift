package import ObjectModel
package import QuerySyntax

/// Treats groups of objects as objects of a class of their own, whose properties are what a condition on groups can name:
/// the key paths of the groups, their number of objects and the results of functions.
package struct GroupClass: Sendable {
    /// What a condition can name.
    package struct Term: Sendable {
        package let name: String
        package let type: PropertyType

        /// - Parameter type: that of the values, any of which may be null.
        package init(_ name: String, _ type: PropertyType) {
            self.name = name
            self.type = type
        }
    }

    private let schema: Schema

    /// - Parameter terms: no two with one name.
    package init(_ terms: [Term]) {
        let properties = terms.map { PropertySchema($0.name, PropertyType($0.type.base, isOptional: true)) }
        // An embedded class, so that no mixed value may link to its objects.
        schema = Schema(version: 0, classes: [ClassSchema("groups", isEmbedded: true, properties: properties)])
    }

    /// Parses and binds a condition. Paths in it lead to properties whose numbers are those of the terms, from 1.
    /// Throws `unknownProperty` at a name that is not a term.
    package func bind(_ text: String, arguments: [QueryArgument] = []) throws(QueryError) -> BoundPredicate {
        let (predicate, source) = try QueryParser.parseGroupCondition(text)
        return try QueryBinder(schema: schema).binding(schema.classes[0], source, arguments: arguments)
            .predicate(predicate)
    }

    /// The position among the terms of the one that a path of a condition leads to.
    package static func position(of property: PropertyID) -> Int { Int(property.rawValue) - 1 }
}

extension AggregateRequest {
    /// The type of the results, any of which may be null.
    package var resultType: PropertyType {
        let type = path.valueType
        let base: BaseType =
            switch (function, type.base) {
            case (.minimum, _), (.maximum, _): type.base
            case (_, .decimal128), (_, .mixed): .decimal128
            case (.sum, .int): .int
            default: .double
            }
        return PropertyType(base, isOptional: true)
    }
}
