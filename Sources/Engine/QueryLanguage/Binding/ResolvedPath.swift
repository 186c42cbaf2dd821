import QuerySyntax
import ObjectModel

/// A path of the query with its names resolved.
struct ResolvedPath {
    enum Meaning {
        case path(BoundPath)
        case aggregate(BoundAggregate)
        /// `@links.@count`: the sum of the counts of the paths.
        case total([BoundPath])
        /// `@type` of a path of fixed type is a constant: the name of that type.
        case typeName(String)
    }

    var meaning: Meaning
    var type: OperandType
    /// The path as written.
    var text: String
    /// The last property of the path and its class.
    var property: (schema: PropertySchema, owner: ClassSchema)?
    /// Whether it gives all elements of a list, set or map of values as they are stored.
    var isValueCollection = false

    /// The path, unless it is an aggregate or a total.
    var bound: BoundPath? {
        if case .path(let path) = meaning { path } else { nil }
    }

    var isToMany: Bool { bound?.isToMany ?? false }

    /// The sum of the results of paths to counts. The tree is balanced, so that a schema with many links does not make
    /// it deep.
    static func sum(_ paths: ArraySlice<BoundPath>) -> BoundOperand {
        guard let first = paths.first else {
            // Without any link to the class it is 0 for every object, and yet not a constant of the query.
            return .arithmetic(BoundArithmetic(.constant(.int(0)), .add, .constant(.int(0))))
        }
        guard paths.count > 1 else { return .path(first) }
        let middle = paths.startIndex + paths.count / 2
        return .arithmetic(BoundArithmetic(sum(paths[..<middle]), .add, sum(paths[middle...])))
    }
}
