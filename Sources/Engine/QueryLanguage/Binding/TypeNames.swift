import ObjectModel

/// The names that `@type` compares with: those of all Realm SDKs.
enum TypeNames {
    static let link = "link"

    /// The canonical names, as `ValueStep.typeName` returns them, that a name in the text means; case is ignored. Nil
    /// for an unknown name.
    static func canonical(_ name: String) -> [String]? { table[name.lowercased()] }

    static var known: [String] { table.keys.sorted() }

    private static let table: [String: [String]] = {
        let numbers = ["int", "float", "double", "decimal"]
        let synonyms: [([String], [String])] = [
            (["null"], ["null"]),
            (["int", "integer", "int16", "int32", "int64", "short", "long", "byte", "char"], ["int"]),
            (["bool", "boolean"], ["bool"]),
            (["string"], ["string"]),
            (["binary", "data", "bytearray", "byte[]", "bindata"], ["data"]),
            (["date", "timestamp", "datetimeoffset"], ["date"]),
            (["float"], ["float"]),
            (["double"], ["double"]),
            (["decimal", "decimal128"], ["decimal"]),
            (["objectid"], ["objectid"]),
            (["uuid", "guid"], ["uuid"]),
            (["link", "objectlink"], [link]),
            (["object"], [link, "dictionary"]),
            (["dictionary"], ["dictionary"]),
            (["list", "array"], ["list"]),
            (["numeric"], numbers),
            (["collection"], ["list", "dictionary"]),
        ]
        var table: [String: [String]] = [:]
        for (names, canonical) in synonyms {
            for name in names { table[name] = canonical }
        }
        return table
    }()
}

extension BaseType {
    /// The canonical name of the type for `@type`.
    var typeAttribute: String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .double: "double"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .decimal128: "decimal"
        case .objectId: "objectid"
        case .uuid: "uuid"
        case .mixed: "mixed"
        case .link, .linkingObjects: TypeNames.link
        }
    }
}
