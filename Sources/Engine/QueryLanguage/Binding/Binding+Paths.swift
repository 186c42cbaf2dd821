import QuerySyntax
import ObjectModel

/// The use of a key path, as errors name it.
enum PathClause {
    /// SORT and DISTINCT of a query.
    case sort
    case distinct
    /// Key paths of requests.
    case sortKey
    case distinctKey
    case section
    case group
    case aggregate

    func refusal(of path: String) -> String {
        switch self {
        case .sort, .sortKey: "Cannot sort on key path '\(path)'"
        case .distinct, .distinctKey: "Cannot make distinct by key path '\(path)'"
        case .section: "Cannot make sections by key path '\(path)'"
        case .group: "Cannot group by key path '\(path)'"
        case .aggregate: "Cannot use key path '\(path)'"
        }
    }

    /// The keyword of a clause in a query.
    fileprivate var keyword: String? {
        switch self {
        case .sort: "sort"
        case .distinct: "distinct"
        default: nil
        }
    }
}

extension Binding {
    /// A path for sorting, distinct and aggregates: to exactly one value, which is neither an object nor a collection.
    func valuePath(_ path: ParsedPath, clause: PathClause) throws(QueryError) -> BoundPath {
        let range = wholeRange(path)
        let refusal = clause.refusal(of: source.shown(range))
        var binding = self
        binding.clause = clause
        let resolved: ResolvedPath
        do throws(QueryError) {
            resolved = try binding.resolve(path)
        } catch {
            guard clause.keyword == nil else { throw error }
            var inClause = error
            inClause.message = "\(refusal): \(error.message)"
            throw inClause
        }
        guard let bound = resolved.bound, bound.end != .count, bound.steps.last != .size else {
            throw source.error(.invalid, "\(refusal): KVC collection operators are not supported.", range)
        }
        guard !bound.isToMany else {
            if let keyword = clause.keyword {
                throw source.error(.invalid, "Cannot \(keyword) on a collection property", range)
            }
            let isOwn = resolved.isValueCollection && !bound.links.contains(where: \.isToMany)
            throw source.error(
                .invalid,
                "\(refusal): \(isOwn ? "it is a collection" : "it passes through a collection"), with several values for one object.",
                range)
        }
        if case .object = bound.end {
            let name = resolved.property.map { "property '\($0.owner.name).\($0.schema.name)'" } ?? "a property"
            throw source.error(
                .invalid,
                "\(refusal): \(name) of type 'object' cannot be the final property in the key path. Name one of its properties.",
                range)
        }
        return bound
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

    /// `operations` is the text after the argument, such as `.@count`.
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
            // Each is a valid path or part of one by itself, so their concatenation can only be a longer path.
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
        case .wordArgument(let number):
            guard case .value(.string("#any")) = try argument(number, range) else {
                throw source.error(.argument, "'$K\(number)' between brackets must be '#any', for all elements.", range)
            }
            return .all
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
        let name = name.clipped
        let message =
            if let keyword = clause?.keyword {
                "No property '\(name)' found on object type '\(objectClass.name)' specified in '\(keyword)' clause"
            } else if clause != nil {
                "property '\(objectClass.name).\(name)' does not exist."
            } else if dialect == .format {
                "Property '\(name)' not found in object of type '\(objectClass.name)'"
            } else {
                "'\(objectClass.name)' has no property '\(name)'"
            }
        return source.error(
            .unknownProperty, message, range, hint: objectClass.properties.map(\.name).hint(for: name))
    }
}

extension PropertySchema {
    /// Whether the property, which may be a link property or mixed, can hold a link to an object of the class.
    func canLink(to target: ClassSchema) -> Bool {
        type.isMixed ? !target.isEmbedded : type.isLink && targetClass == target.id
    }
}

extension Schema {
    /// The properties that can link to an object of the class, in the order of the schema.
    func linkOrigins(of target: ClassSchema) -> [LinkStep] {
        classes.flatMap { origin in
            origin.properties.filter { $0.canLink(to: target) }
                .map { .backward(origin: origin.id, property: $0.id) }
        }
    }
}
