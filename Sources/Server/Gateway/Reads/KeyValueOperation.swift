import ObjectCoding
import ObjectModel
import QueryLanguage

/// The operator of a key-value coding path: `@max.age`.
enum KeyValueOperation: Hashable, Sendable {
    case count
    case aggregate(AggregateRequest.Function)
    /// The values of all objects, without nulls.
    case union(distinct: Bool)
    /// The elements of a collection property of all objects, concatenated.
    case arrays(distinct: Bool)

    private static let names: [String: KeyValueOperation] = [
        "@count": .count, "@min": .aggregate(.minimum), "@max": .aggregate(.maximum), "@sum": .aggregate(.sum),
        "@avg": .aggregate(.average), "@unionOfObjects": .union(distinct: false),
        "@distinctUnionOfObjects": .union(distinct: true), "@unionOfArrays": .arrays(distinct: false),
        "@distinctUnionOfArrays": .arrays(distinct: true),
    ]

    /// Splits a key path into its operator, if it has one, and the rest. Throws 400 for unknown operators, and for
    /// those without a path.
    static func split(_ text: String) throws(Problem) -> (operation: KeyValueOperation?, path: String) {
        guard text.hasPrefix("@") else { return (nil, text) }
        let name = String(text.prefix { $0 != "." })
        let path = String(text.dropFirst(name.count).dropFirst())
        guard let operation = names[name] else {
            throw Problem(
                .parameterInvalid,
                "There is no operation '\(name)'. Use one of \(names.keys.sorted().joined(separator: ", ")).",
                parameter: "keyPath", hint: Array(names.keys).nearest(to: name))
        }
        guard operation == .count ? text == name : !path.isEmpty else {
            throw Problem(
                .parameterInvalid,
                operation == .count
                    ? "'@count' must not be followed by a property."
                    : "'\(name)' must be followed by the name of a property: \(name).age.",
                parameter: "keyPath")
        }
        return (operation, path)
    }
}
