import ObjectModel

/// A path with what it leads to.
struct ResolvedPath {
    enum End {
        case value(PropertySchema)
        case object(ClassSchema)
        case count
    }

    var bound: BoundPath
    var end: End
    var text: String
}

/// What a key path is for, as its errors say it.
enum PathClause {
    case sort
    case distinct
    case aggregate

    func refusal(of path: String) -> String {
        switch self {
        case .sort: "Cannot sort on key path '\(path)'"
        case .distinct: "Cannot make distinct by key path '\(path)'"
        case .aggregate: "Cannot use key path '\(path)'"
        }
    }
}

extension Binding {
    /// A path for sorting, distinct and aggregates: through to-one links to one value.
    func valuePath(_ path: ParsedPath, clause: PathClause) throws(QueryError) -> BoundPath {
        let range = wholeRange(path)
        let text = source.slice(range)
        let resolved: ResolvedPath
        do throws(QueryError) {
            resolved = try resolve(path)
        } catch {
            var inClause = error
            inClause.message = "\(clause.refusal(of: text)): \(error.message)"
            throw inClause
        }
        if resolved.bound.isToMany {
            throw source.error(
                .invalid,
                "\(clause.refusal(of: text)): it passes through a collection, with several values for one object.",
                range)
        }
        switch resolved.end {
        case .value: return resolved.bound
        case .object:
            throw source.error(
                .invalid,
                "\(clause.refusal(of: text)): a property of type 'object' cannot be the final property in the key path. Name one of its properties.",
                range)
        case .count:
            throw source.error(
                .invalid, "\(clause.refusal(of: text)): @count gives a number of objects, not a value of one.", range)
        }
    }

    func resolve(_ path: ParsedPath) throws(QueryError) -> ResolvedPath {
        if case .argument(let number) = path.components.first { return try resolveArgument(number, wholeRange(path)) }
        var walk = PathWalk(current: root)
        var index = 0
        while index < path.components.count {
            let range = path.ranges.value[index]
            if let property = walk.value {
                if case .atName(let name) = path.components[index],
                    name != "count" && name != "size" || property.type.base == .string
                {
                    throw source.error(.unsupported, "@\(name) is not supported here by this version.", range)
                }
                throw source.error(
                    .invalid,
                    "Property '\(walk.current.name).\(property.name)' has no property '\(source.slice(range))'", range)
            }
            switch path.components[index] {
            case .name(let name):
                try walk.step(name, range, self)
                index += 1
            case .atName("links"):
                guard index + 2 < path.components.count, case .name(let className) = path.components[index + 1],
                    case .name(let property) = path.components[index + 2]
                else {
                    throw source.error(
                        .unsupported, "@links is followed by a class and its property, as in @links.Person.dogs.", range
                    )
                }
                try walk.back(className, property, range.joined(path.ranges.value[index + 2]), self)
                index += 3
            case .atName(let name) where (name == "count" || name == "size") && index == path.components.count - 1:
                guard !walk.links.isEmpty else {
                    throw source.error(
                        .invalid, "@\(name) counts the objects that a link leads to; name the link before it.", range)
                }
                return ResolvedPath(
                    bound: BoundPath(links: walk.links, end: .count), end: .count, text: source.slice(wholeRange(path)))
            case .atName(let name):
                throw source.error(.unsupported, "@\(name) is not supported here by this version.", range)
            case .index:
                throw source.error(.unsupported, "Access by index or key is not supported by this version.", range)
            case .argument:
                throw source.error(.syntax, "Key path argument cannot be mixed with other elements.", range)
            }
        }
        let text = source.slice(wholeRange(path))
        if let property = walk.value {
            let bound = BoundPath(links: walk.links, end: .property(property.id, property.type))
            return ResolvedPath(bound: bound, end: .value(property), text: text)
        }
        return ResolvedPath(
            bound: BoundPath(links: walk.links, end: .object(walk.current.id)), end: .object(walk.current), text: text)
    }

    private func resolveArgument(_ number: Int, _ range: SourceRange) throws(QueryError) -> ResolvedPath {
        guard case .value(let value) = try argument(number, range), !value.isNull else {
            throw source.error(.argument, "Null or list cannot be used for parameter '$K\(number)'", range)
        }
        guard case .string(let text) = value else {
            throw source.error(
                .argument,
                "Invalid index type for '$K\(number)'. Expected a string, but found type '\(value.typeName)'", range)
        }
        do throws(QueryError) {
            let (path, pathSource) = try QueryParser.parsePath(text)
            guard case .name = path.components.first else {
                throw source.error(.argument, "'$K\(number)' must hold a key path.", range)
            }
            return try Binding(schema: schema, root: root, arguments: [], source: pathSource).resolve(path)
        } catch {
            throw source.error(
                error.code, "In the key path of '$K\(number)': \(error.message)", range, hint: error.hint)
        }
    }

    func wholeRange(_ path: ParsedPath) -> SourceRange {
        path.ranges.value.reduce(path.ranges.value[0]) { $0.joined($1) }
    }

    func unknownProperty(_ name: String, in objectClass: ClassSchema, _ range: SourceRange) -> QueryError {
        source.error(
            .unknownProperty, "'\(objectClass.name)' has no property '\(name)'", range,
            hint: objectClass.properties.map(\.name).nearest(to: name))
    }
}

/// Follows a path step by step.
private struct PathWalk {
    var current: ClassSchema
    var links: [LinkStep] = []
    var value: PropertySchema?

    mutating func step(_ name: String, _ range: SourceRange, _ binding: Binding) throws(QueryError) {
        guard let property = current[name] else { throw binding.unknownProperty(name, in: current, range) }
        guard property.type.collection == .single else {
            throw binding.source.error(
                .unsupported,
                "Queries about lists, sets and maps, such as '\(name)', are not supported by this version.", range)
        }
        switch property.type.base {
        case .link:
            guard let target = property.targetClass, let targetClass = binding.schema[target] else {
                throw binding.unknownProperty(name, in: current, range)
            }
            links.append(.forward(property.id, target: target))
            current = targetClass
        case .linkingObjects:
            guard let origin = property.targetClass, let link = property.originProperty,
                let originClass = binding.schema[origin]
            else { throw binding.unknownProperty(name, in: current, range) }
            links.append(.backward(origin: origin, property: link))
            current = originClass
        case .data, .decimal128, .mixed:
            throw binding.source.error(
                .unsupported,
                "Queries about properties of type '\(property.type.base.name)', such as '\(name)', are not supported by this version.",
                range)
        case .bool, .int, .float, .double, .string, .date, .objectId, .uuid:
            value = property
        }
    }

    mutating func back(
        _ className: String, _ property: String, _ range: SourceRange, _ binding: Binding
    ) throws(QueryError) {
        guard let origin = binding.schema[className] else {
            throw binding.source.error(
                .unknownClass, "No class '\(className)' in the schema", range,
                hint: binding.schema.classes.map(\.name).nearest(to: className))
        }
        guard let link = origin[property], link.type.isLink, link.targetClass == current.id else {
            throw binding.source.error(
                .unknownProperty,
                "No property '\(property)' found in type '\(className)' which links to type '\(current.name)'",
                range, hint: origin.properties.filter { $0.targetClass == current.id }.map(\.name).nearest(to: property)
            )
        }
        links.append(.backward(origin: origin.id, property: link.id))
        current = origin
    }
}
