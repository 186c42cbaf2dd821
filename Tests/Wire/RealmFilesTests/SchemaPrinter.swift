import RealmFiles

/// Prints the tables as realm-core prints them.
enum SchemaPrinter {
    static func text(_ file: RealmFile) -> String {
        "[\n" + file.tables.map { table($0, file) }.joined(separator: ",\n") + "\n]\n"
    }

    private static func table(_ table: RealmTable, _ file: RealmFile) -> String {
        var text = "{\"name\":\"\(table.name)\","
        if let index = table.primaryKey { text += "\"primaryKey\":\"\(table.columns[index].name)\"," }
        let kind =
            switch table.kind {
            case .topLevel: "TopLevel"
            case .embedded: "Embedded"
            case .asymmetric: "TopLevelAsymmetric"
            }
        text += "\"tableType\":\"\(kind)\",\"properties\":["
        return text + table.columns.map { column($0, file) }.joined(separator: ",") + "]}"
    }

    private static func column(_ column: RealmColumn, _ file: RealmFile) -> String {
        var text = "{\"name\":\"\(column.name)\",\"type\":\"\(name(column.type))\""
        if let target = file.tables.first(where: { $0.key == column.target }) {
            text += ",\"objectType\":\"\(target.name)\""
        }
        switch column.collection {
        case .none: break
        case .list: text += ",\"isArray\":true"
        case .set: text += ",\"isSet\":true"
        case .map(let keysAreIntegers):
            text += ",\"isMap\":true,\"keyType\":\"\(keysAreIntegers ? "int" : "string")\""
        }
        if column.isOptional { text += ",\"isOptional\":true" }
        if column.isIndexed { text += column.isFullText ? ",\"isFulltextIndexed\":true" : ",\"isIndexed\":true" }
        return text + "}"
    }

    private static func name(_ type: RealmColumnType) -> String {
        switch type {
        case .int: "int"
        case .bool: "bool"
        case .string: "string"
        case .binary: "binary"
        case .mixed: "mixed"
        case .timestamp: "timestamp"
        case .float: "float"
        case .double: "double"
        case .decimal: "decimal128"
        case .objectID: "objectId"
        case .uuid: "uuid"
        case .link: "object"
        }
    }
}
