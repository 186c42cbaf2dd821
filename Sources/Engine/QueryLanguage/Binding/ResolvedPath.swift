import ObjectModel

/// A path of the query with its names looked up.
struct ResolvedPath {
    enum Meaning {
        case path(BoundPath)
        case aggregate(BoundAggregate)
        /// `@links.@count`: what the paths count is added up.
        case total([BoundPath])
        /// `@type` of what has a fixed type is a constant: the name of that type.
        case typeName(String)
    }

    var meaning: Meaning
    var type: OperandType
    /// As written.
    var text: String
    /// The last property on the way and its class.
    var property: (schema: PropertySchema, owner: ClassSchema)?
    /// Whether it gives all elements of a list, set or map of values as they are stored.
    var isValueCollection = false

    /// The path, if it is one and neither an aggregate nor a total.
    var bound: BoundPath? {
        if case .path(let path) = meaning { path } else { nil }
    }

    var isToMany: Bool { bound?.isToMany ?? false }

    /// The sum of what paths to counts give. Balanced, so that a schema with many links makes no deep tree.
    static func sum(_ paths: ArraySlice<BoundPath>) -> BoundOperand {
        guard let first = paths.first else {
            // Without any link to the class it is 0 for every object, and yet no constant of the query.
            return .arithmetic(BoundArithmetic(.constant(.int(0)), .add, .constant(.int(0))))
        }
        guard paths.count > 1 else { return .path(first) }
        let middle = paths.startIndex + paths.count / 2
        return .arithmetic(BoundArithmetic(sum(paths[..<middle]), .add, sum(paths[middle...])))
    }
}
