/// The operations of key paths that begin with `@`, without the sign: in lower case only.
enum AtWord {
    /// They may stand anywhere in a path.
    static let anywhere = ["links", "keys", "values"]
    /// They end a path.
    static let last = ["count", "size", "type"]
    /// They end a path, or one more name follows.
    static let aggregates = ["min", "max", "sum", "avg"]

    static let all = anywhere + last + aggregates

    /// What formats write for it.
    static let formatSpellings = ["allKeys": "keys", "allValues": "values"]
}
