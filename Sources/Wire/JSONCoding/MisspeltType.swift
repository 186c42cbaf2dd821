import Basics
package import ObjectModel

extension PropertyType {
    /// Lists the valid types, for a text that is not one, and suggests the one that was perhaps meant.
    package static func sentence(onMisspelt text: String) -> String {
        let guess = guess(text).flatMap { $0 == text ? nil : " Did you mean '\($0)'?" } ?? ""
        return """
            '\(text)' is not a type.\(guess) There are \(BaseType.names.joined(separator: ", ")), the names of classes as in \
            'Dog?', and 'linkingObjects(Person.dogs)'; behind the name come '?' where there may be null, then '[]' for a \
            list, '<>' for a set or '{}' for a map.
            """
    }

    /// The type that other languages spell in this way: `list<string>`, `[int]`, `Map<string, double?>`, `string[]?`,
    /// `Int`.
    private static func guess(_ text: String) -> String? {
        var rest = text.filter { $0 != " " }
        var collection = CollectionKind.single
        let words: [(String, CollectionKind)] = [
            ("list", .list), ("array", .list), ("set", .set), ("mutableset", .set), ("map", .map), ("dictionary", .map),
        ]
        let folded = rest.lowercased()
        for (word, kind) in words where folded.hasPrefix(word + "<") && folded.hasSuffix(">") {
            collection = kind
            rest = String(rest.dropFirst(word.count + 1).dropLast())
            // The keys of a map are strings anyway.
            if kind == .map, let comma = rest.firstIndex(of: ",") { rest = String(rest[rest.index(after: comma)...]) }
        }
        if collection == .single, rest.hasPrefix("["), rest.hasSuffix("]") {
            (collection, rest) = (.list, String(rest.dropFirst().dropLast()))
        }
        for kind in [CollectionKind.list, .set, .map] where collection == .single {
            for ending in [kind.rawValue, kind.rawValue + "?"] where rest.hasSuffix(ending) {
                (collection, rest) = (kind, String(rest.dropLast(ending.count)))
            }
        }
        let isOptional = rest.hasSuffix("?")
        while rest.hasSuffix("?") { rest.removeLast() }
        let name =
            BaseType.names.first { $0.lowercased() == rest.lowercased() } ?? otherNames[rest.lowercased()]
            ?? (isName(rest) ? rest : nearest(to: rest))
        guard let name else { return nil }
        let guess = name + (isOptional ? "?" : "") + collection.rawValue
        return PropertyType(text: guess) == nil ? nil : guess
    }

    /// What other languages and databases call the types.
    private static let otherNames = [
        "integer": "int", "int8": "int", "int16": "int", "int32": "int", "int64": "int", "long": "int", "short": "int",
        "bigint": "int", "number": "double", "real": "double", "float64": "double", "float32": "float",
        "boolean": "bool", "str": "string", "text": "string", "varchar": "string", "char": "string", "datetime": "date",
        "timestamp": "date", "time": "date", "binary": "data", "blob": "data", "bytes": "data", "decimal": "decimal128",
        "numeric": "decimal128", "money": "decimal128", "guid": "uuid", "any": "mixed", "json": "mixed",
        "object": "mixed", "array": "string[]", "list": "string[]", "set": "string<>", "map": "string{}",
        "dictionary": "string{}",
    ]

    private static func nearest(to text: String) -> String? { BaseType.names.nearest(to: text) }
}
