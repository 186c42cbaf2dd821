import ObjectModel

/// What a key path is for, as its errors say it.
enum PathClause {
    case sort
    case distinct
    case section
    case group
    case aggregate

    func refusal(of path: String) -> String {
        switch self {
        case .sort: "Cannot sort on key path '\(path)'"
        case .distinct: "Cannot make distinct by key path '\(path)'"
        case .section: "Cannot make sections by key path '\(path)'"
        case .group: "Cannot group by key path '\(path)'"
        case .aggregate: "Cannot use key path '\(path)'"
        }
    }
}

extension Binding {
    /// A path for sorting, distinct and aggregates: to exactly one value, which is neither an object nor a collection.
    func valuePath(_ path: ParsedPath, clause: PathClause) throws(QueryError) -> BoundPath {
        let range = wholeRange(path)
        let refusal = clause.refusal(of: source.slice(range))
        let resolved: ResolvedPath
        do throws(QueryError) {
            resolved = try resolve(path)
        } catch {
            var inClause = error
            inClause.message = "\(refusal): \(error.message)"
            throw inClause
        }
        guard let bound = resolved.bound else {
            throw source.error(.invalid, "\(refusal): it is computed, not a value of the object.", range)
        }
        if bound.isToMany {
            let reason =
                resolved.isValueCollection && !bound.links.contains(where: \.isToMany)
                ? "it is a collection property." : "it passes through a collection, with several values for one object."
            throw source.error(.invalid, "\(refusal): \(reason)", range)
        }
        switch bound.end {
        case .property:
            guard bound.steps.last != .size else {
                throw source.error(.invalid, "\(refusal): it gives a number of bytes or elements, not a value.", range)
            }
            return bound
        case .object:
            throw source.error(
                .invalid,
                "\(refusal): a property of type 'object' cannot be the final property in the key path. Name one of its properties.",
                range)
        case .count:
            throw source.error(
                .invalid, "\(refusal): @count gives a number of objects, not a value of one.", range)
        }
    }

    func resolve(_ path: ParsedPath) throws(QueryError) -> ResolvedPath {
        if case .argument(let number) = path.components.first {
            let ranges = path.ranges.value
            let operations =
                ranges.count > 1
                ? source.slice(SourceRange(start: ranges[0].end, end: wholeRange(path).end)) : ""
            return try resolveArgument(number, ranges[0], operations: operations)
        }
        var walk = PathWalk(path, self)
        return try walk.resolve()
    }

    /// `operations` is what stands behind the argument, such as `.@count`.
    private func resolveArgument(
        _ number: Int, _ range: SourceRange, operations: String
    ) throws(QueryError) -> ResolvedPath {
        guard case .value(let value) = try argument(number, range), !value.isNull else {
            throw source.error(.argument, "Null or list cannot be used for parameter '$K\(number)'", range)
        }
        guard case .string(let text) = value else {
            throw source.error(
                .argument,
                "Invalid index type for '$K\(number)'. Expected a string, but found type '\(value.typeName)'", range)
        }
        do throws(QueryError) {
            var (path, pathSource) = try QueryParser.parsePath(text, dialect: dialect)
            if case .argument = path.components.first {
                throw source.error(.argument, "'$K\(number)' must hold a key path.", range)
            }
            // Each is a path or a part of one by itself, so that together they are a longer path and nothing else.
            if !operations.isEmpty {
                (path, pathSource) = try QueryParser.parsePath(text + operations, dialect: dialect)
            }
            var inner = self
            inner.arguments = []
            inner.source = pathSource
            return try inner.resolve(path)
        } catch {
            throw source.error(
                error.code, "In the key path of '$K\(number)': \(error.message)", range, hint: error.hint)
        }
    }

    /// The index with its argument filled in.
    func selector(_ index: ParsedPath.Index, _ range: SourceRange) throws(QueryError) -> PathSelector {
        switch index {
        case .position(let position): return .position(position)
        case .first: return .position(0)
        case .last: return .last
        case .all: return .all
        case .size: return .size
        case .key(let key): return .key(key)
        case .argument(let number):
            guard case .value(let value) = try argument(number, range), !value.isNull else {
                throw source.error(.argument, "Null or list cannot be used for parameter '$\(number)'", range)
            }
            switch value {
            case .string(let key): return .key(key)
            case .int(let position):
                guard let position = Int(exactly: position), position >= 0 else {
                    throw source.error(.argument, "An index cannot be negative: '$\(number)' is \(position).", range)
                }
                return .position(position)
            default:
                throw source.error(
                    .argument,
                    "Invalid index type for '$\(number)'. Expected an int or a string, but found type '\(value.typeName)'",
                    range)
            }
        }
    }

    func wholeRange(_ path: ParsedPath) -> SourceRange {
        let ranges = path.ranges.value
        return ranges.dropFirst().reduce(ranges.first ?? SourceRange(start: 0, end: 0)) { $0.joined($1) }
    }

    func unknownProperty(_ name: String, in objectClass: ClassSchema, _ range: SourceRange) -> QueryError {
        source.error(
            .unknownProperty, "'\(objectClass.name)' has no property '\(name)'", range,
            hint: objectClass.properties.map(\.name).nearest(to: name))
    }
}

extension Schema {
    /// From where links can lead to an object of the class, in the order of the schema.
    func linkOrigins(of target: ClassSchema) -> [LinkStep] {
        classes.flatMap { origin in
            origin.properties.filter { $0.type.isLink && $0.targetClass == target.id }
                .map { .backward(origin: origin.id, property: $0.id) }
        }
    }
}
