import Basics
import ObjectModel

extension QueryParser {
    mutating func path() throws(QueryError) -> ParsedPath {
        var path = PathParts()
        repeat {
            try checkLength(path)
            try append(try component(isFirst: path.components.isEmpty), current.range, to: &path)
            advance()
            while current.kind == .punctuation("[") {
                let start = current.range
                let index = try bracketedIndex()
                try append(.index(index), start.joined(previous.range), to: &path)
                try checkLength(path)
            }
        } while consume(".")
        return ParsedPath(components: path.components, ranges: Uncompared(path.ranges))
    }

    /// A path under construction.
    private struct PathParts {
        var components: [ParsedPath.Component] = []
        var ranges: [SourceRange] = []
        /// The components that may come next.
        var follow = Follow.anything
        var indexes = 0
    }

    private enum Follow {
        case anything
        /// After `$K0`: operations on the argument's path.
        case operation
        /// After an aggregate: one name.
        case name(after: String)
        case nothing(after: String)
    }

    private func checkLength(_ path: PathParts) throws(QueryError) {
        let names = path.components.count - path.indexes
        guard names >= Self.pathLimit || path.indexes > Self.indexLimit, let first = path.ranges.first else { return }
        let limit = names >= Self.pathLimit ? "\(Self.pathLimit) names" : "\(Self.indexLimit) indexes"
        throw source.error(.tooDeep, "A key path has at most \(limit).", first.joined(previous.range))
    }

    /// Appends the component if the grammar allows it here.
    private func append(
        _ component: ParsedPath.Component, _ range: SourceRange, to path: inout PathParts
    ) throws(QueryError) {
        switch path.follow {
        case .anything: break
        case .operation:
            guard isOperation(component) else {
                throw source.error(.syntax, "Key path argument cannot be mixed with other elements", range)
            }
        case .name(let operation):
            guard case .name = component else {
                throw source.error(.syntax, "After '@\(operation)' only the name of one property can follow.", range)
            }
        case .nothing(let last):
            throw source.error(.syntax, "Nothing can follow \(last) in a key path.", range)
        }
        if path.components.isEmpty, isOperation(component) {
            throw source.error(
                .syntax, "'\(source.slice(range))' must follow a path, as in 'dogs.\(source.slice(range))'.", range)
        }
        path.follow = follow(component, after: path.follow)
        if case .index = component { path.indexes += 1 }
        path.components.append(component)
        path.ranges.append(range)
    }

    private func isOperation(_ component: ParsedPath.Component) -> Bool {
        switch component {
        case .atName(let name): !KeyPathOperator.anywhere.contains(name)
        case .index(.size): true
        case .name, .index, .argument: false
        }
    }

    private func follow(_ component: ParsedPath.Component, after previous: Follow) -> Follow {
        switch component {
        case .atName(let name) where KeyPathOperator.last.contains(name): return .nothing(after: "'@\(name)'")
        case .atName(let name) where KeyPathOperator.aggregates.contains(name): return .name(after: name)
        case .index(.size): return .nothing(after: "'[SIZE]'")
        case .argument: return .operation
        case .name:
            if case .name = previous { return .nothing(after: "an aggregate and its property") }
            return .anything
        case .atName, .index: return .anything
        }
    }

    // MARK: Components

    private mutating func component(isFirst: Bool) throws(QueryError) -> ParsedPath.Component {
        switch current.kind {
        case .word(let name, let keyword):
            if let keyword, keyword.isReserved, !isPathAlone { throw unexpectedKeyword(name, isFirst: isFirst) }
            return .name(name)
        case .escapedWord(let name): return .name(name)
        case .rowKey where isPathAlone: return .name(source.slice(current.range))
        case .atName(let name): return .atName(try operation(name))
        case .keyPathArgument(let number) where isFirst: return .argument(number)
        case .nextKeyPath where isFirst: return .argument(takeArgumentNumber())
        case .keyPathArgument, .nextKeyPath:
            throw source.error(.syntax, "Key path argument cannot be mixed with other elements", current.range)
        case .rowKey:
            throw source.error(
                .syntax,
                "\(shown) identifies an object by numbers that are internal to a store. A property of that name is written with an escape.",
                current.range, hint: QueryPrinter.escaped(source.slice(current.range)))
        default: throw unexpected(isFirst ? "a property or a constant" : "a property name")
        }
    }

    private func operation(_ name: String) throws(QueryError) -> String {
        if KeyPathOperator.all.contains(name) { return name }
        let spelling = KeyPathOperator.formatSpellings[name]
        if let spelling, dialect == .format { return spelling }
        let meant =
            spelling ?? KeyPathOperator.all.nearest(to: String(name.unicodeScalars.prefix(20).map(Character.init)))
        throw source.error(
            .syntax, "There is no operation '\(shown)' on key paths.", current.range, hint: meant.map { "@" + $0 },
            expected: KeyPathOperator.all.map { "@" + $0 })
    }

    /// `[0]`, `[LAST]`, `['ash']`, …
    private mutating func bracketedIndex() throws(QueryError) -> ParsedPath.Index {
        advance()
        let index: ParsedPath.Index
        switch current.kind {
        case .constant(.value(.int(let number))) where isNatural(current):
            index = .position(Int(number))
        case .string(let key): index = .key(key)
        case .argument(let number): index = .argument(number)
        case .nextArgument: index = .argument(takeArgumentNumber())
        case .keyPathArgument(let number): index = .wordArgument(number)
        case .nextKeyPath: index = .wordArgument(takeArgumentNumber())
        case .symbol("*"): index = .all
        case .escapedWord("any"): index = .all
        case .word(_, .first): index = .first
        case .word(_, .last): index = .last
        case .word(_, .size): index = .size
        case .word(let name, _):
            throw unexpected(Self.indexForms, Self.indexWords, hint: name.utf8.count < 100 ? "['\(name)']" : nil)
        default: throw unexpected(Self.indexForms, Self.indexWords)
        }
        advance()
        try expect("]", "a closing bracket")
        return index
    }

    private static let indexForms = "an index: a natural number, FIRST, LAST, SIZE, *, a string or an argument"
    private static let indexWords = ["FIRST", "LAST", "SIZE", "*"]

    /// Whether the token is digits alone: neither a sign nor hexadecimal.
    func isNatural(_ token: Token) -> Bool {
        source.slice(token.range).utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

extension ParsedPath {
    /// Whether it ends in `@min`, `@max`, `@sum` or `@avg`, with or without a name after it.
    package var isAggregate: Bool {
        components.contains {
            if case .atName(let name) = $0 { KeyPathOperator.aggregates.contains(name) } else { false }
        }
    }
}
