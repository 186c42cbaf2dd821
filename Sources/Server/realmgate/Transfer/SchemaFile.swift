import Basics
import JSONCoding
import ObjectCoding
import ObjectModel
import StoreContract
import Transfer

/// Schemas as JSON files.
enum SchemaFile {
    private static let sizeLimit = 16 << 20

    /// Reads a file. Throws `CommandError` with all its errors.
    static func read(_ path: String) throws -> SchemaDocument {
        let bytes = try ByteSource(path: path).readAll(limit: sizeLimit)
        do {
            return try SchemaDocument(try JSONValue.parse(bytes))
        } catch let error as JSONError {
            throw CommandError("'\(path)' is not valid JSON: \(error.description)")
        } catch let error as SchemaFaults {
            throw failure(path, error.faults.map(\.description))
        }
    }

    /// Replaces the store's classes by those of the file, with its migration, unless they are equal. Returns the
    /// changes. Throws `CommandError`.
    @discardableResult
    static func apply(_ path: String, to store: any Store) throws -> SchemaPlan {
        let document = try read(path)
        let plan = SchemaPlan(document, for: try store.snapshot())
        if let refusal = plan.refusal {
            let faults = plan.faults.isEmpty ? "" : "\n" + plan.faults.map { "  - \($0)" }.joined(separator: "\n")
            throw CommandError(
                "The schema in '\(path)' cannot be applied. \(withHint(refusal.detail, refusal.hint))\(faults)"
            )
        }
        guard !plan.isEmpty else { return plan }
        do {
            try store.replaceSchema(with: document.schema, migration: Migration(steps: document.steps))
        } catch let error as StoreError {
            throw CommandError("The schema in '\(path)' cannot be applied. \(CommandError(error).message)")
        }
        return plan
    }

    /// Returns a schema in the form that `read` parses, with one property per line.
    static func text(of schema: Schema) -> String {
        var lines = ["{", "  \"schemaVersion\": \(schema.version),", "  \"classes\": ["]
        for (index, objectClass) in schema.classes.enumerated() {
            lines += ["    {", "      \"name\": \(literal(objectClass.name)),"]
            if let key = objectClass.primaryKey { lines.append("      \"primaryKey\": \(literal(key)),") }
            if objectClass.isEmbedded { lines.append("      \"embedded\": true,") }
            lines.append("      \"properties\": [")
            for (index, property) in objectClass.properties.enumerated() {
                lines.append("        \(text(of: property))" + (index + 1 < objectClass.properties.count ? "," : ""))
            }
            lines += ["      ]", "    }" + (index + 1 < schema.classes.count ? "," : "")]
        }
        return (lines + ["  ]", "}"]).joined(separator: "\n")
    }

    private static func text(of property: PropertySchema) -> String {
        var text = "{\"name\": \(literal(property.name)), \"type\": \(literal(property.type.description))"
        if property.isIndexed { text += ", \"indexed\": true" }
        if property.isFullTextIndexed { text += ", \"fullText\": true" }
        if let value = property.defaultValue {
            let writer = JSONWriter()
            writer.value(value, isMixed: property.type.isMixed)
            text += ", \"default\": " + String(decoding: writer.bytes, as: UTF8.self)
        }
        return text + "}"
    }

    private static func literal(_ text: String) -> String {
        let writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func failure(_ path: String, _ faults: [String]) -> CommandError {
        guard faults.count > 1 else { return CommandError("The schema in '\(path)' is invalid: \(faults.joined())") }
        let list = faults.map { "  - " + $0 }.joined(separator: "\n")
        return CommandError("The schema in '\(path)' has \(faults.count) errors:\n\(list)")
    }
}
