import Basics
package import ObjectModel

/// Encodes and decodes a schema as a JSON document.
package enum SchemaCoding {
    /// Decodes a document. Its form and the types of defaults are checked here, and all faults reported at once;
    /// `Schema.faults()` checks whether the classes are consistent.
    ///
    /// - Parameter others: additional members that the document may have, which are ignored.
    package static func decode(
        _ json: JSONValue, besides others: [String] = []
    ) throws(SchemaFaults) -> Schema {
        var decoder = SchemaDecoder()
        let schema = decoder.schema(json, besides: others)
        guard decoder.faults.isEmpty else { throw SchemaFaults(decoder.faults) }
        return schema
    }

    /// Writes a document on one line that `decode` accepts.
    package static func encode(_ schema: Schema, into writer: JSONWriter) {
        writer.beginObject()
        writer.name("schemaVersion")
        writer.int(schema.version)
        writer.name("classes")
        writer.beginArray()
        for objectClass in schema.classes { encode(objectClass, into: writer) }
        writer.endArray()
        writer.endObject()
    }

    /// Writes one class as a document has it.
    package static func encode(_ objectClass: ClassSchema, into writer: JSONWriter) {
        writer.beginObject()
        writer.name("name")
        writer.string(objectClass.name)
        writer.name("primaryKey")
        if let key = objectClass.primaryKey { writer.string(key) } else { writer.null() }
        writer.name("embedded")
        writer.bool(objectClass.isEmbedded)
        writer.name("properties")
        writer.beginArray()
        for property in objectClass.properties {
            writer.beginObject()
            writer.name("name")
            writer.string(property.name)
            writer.name("type")
            writer.string(property.type.description)
            if property.isIndexed {
                writer.name("indexed")
                writer.bool(true)
            }
            if property.isFullTextIndexed {
                writer.name("fullText")
                writer.bool(true)
            }
            if let value = property.defaultValue {
                writer.name("default")
                writer.value(value, isMixed: property.type.isMixed)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}

/// Decodes to the end and collects the faults.
private struct SchemaDecoder {
    var faults: [SchemaFault] = []

    mutating func schema(_ json: JSONValue, besides others: [String]) -> Schema {
        guard let document = object(json, "$", ["schemaVersion", "classes"] + others) else { return .empty }
        var version: UInt64 = 0
        switch document["schemaVersion"] {
        case .int(let number)? where number >= 0: version = UInt64(number)
        case nil: add("$.schemaVersion", "The schema's version is missing; 1 is a good first one.")
        case let other?: add("$.schemaVersion", "The version must be a whole number from 0, not \(other.inWords).")
        }
        var classes: [ClassSchema] = []
        switch document["classes"] {
        case .array(let elements)?:
            for (index, element) in elements.enumerated() {
                if let decoded = objectClass(element, "$.classes[\(index)]") { classes.append(decoded) }
            }
        case nil: add("$.classes", "The array of classes is missing.")
        case let other?: add("$.classes", "The classes must be an array, not \(other.inWords).")
        }
        return Schema(version: version, classes: classes)
    }

    private mutating func objectClass(_ json: JSONValue, _ path: String) -> ClassSchema? {
        guard let document = object(json, path, ["name", "primaryKey", "embedded", "properties"]) else { return nil }
        let name = string(document, "name", path)
        var primaryKey: String?
        if let value = document["primaryKey"], value != .null { primaryKey = string(document, "primaryKey", path) }
        let isEmbedded = flag(document, "embedded", path)
        var properties: [PropertySchema] = []
        switch document["properties"] {
        case .array(let elements)?:
            for (index, element) in elements.enumerated() {
                if let decoded = property(element, "\(path).properties[\(index)]") { properties.append(decoded) }
            }
        case nil: add("\(path).properties", "The array of properties is missing.")
        case let other?: add("\(path).properties", "The properties must be an array, not \(other.inWords).")
        }
        guard let name else { return nil }
        return ClassSchema(name, primaryKey: primaryKey, isEmbedded: isEmbedded, properties: properties)
    }

    private mutating func property(_ json: JSONValue, _ path: String) -> PropertySchema? {
        guard let document = object(json, path, ["name", "type", "indexed", "fullText", "default"]) else { return nil }
        let name = string(document, "name", path)
        let isIndexed = flag(document, "indexed", path)
        let isFullTextIndexed = flag(document, "fullText", path)
        guard let text = string(document, "type", path), let name else { return nil }
        guard let type = PropertyType(text: text) else {
            add("\(path).type", PropertyType.sentence(onMisspelt: text))
            return nil
        }
        var property = PropertySchema(name, type, isIndexed: isIndexed, isFullTextIndexed: isFullTextIndexed)
        if let value = document["default"] {
            switch type.base {
            case .link, .linkingObjects:
                // A null link is a new object's value anyway.
                if value != .null || type.isComputed {
                    add("\(path).default", "A property of type '\(type)' cannot have a default value.")
                }
            default:
                do {
                    property.defaultValue = try ValueCoding.decode(value, as: type)
                } catch {
                    add("\(path).default\(error.path)", error.sentence(name))
                }
            }
        }
        return property
    }

    // MARK: Members

    /// The members of an object; an unknown one is a fault.
    private mutating func object(_ json: JSONValue, _ path: String, _ names: [String]) -> JSONObject? {
        guard case .object(let object) = json else {
            add(path, "Expected an object, not \(json.inWords).")
            return nil
        }
        for member in object.members where !names.contains(member.name) {
            faults.append(
                SchemaFault(
                    path: "\(path).\(member.name)",
                    message: "'\(member.name)' is not allowed here; allowed are \(names.joined(separator: ", ")).",
                    hint: names.nearest(to: member.name)))
        }
        return object
    }

    private mutating func string(_ object: JSONObject, _ name: String, _ path: String) -> String? {
        switch object[name] {
        case .string(let text)?: return text
        case nil: add("\(path).\(name)", "'\(name)' is missing.")
        case let other?: add("\(path).\(name)", "'\(name)' must be a string, not \(other.inWords).")
        }
        return nil
    }

    private mutating func flag(_ object: JSONObject, _ name: String, _ path: String) -> Bool {
        switch object[name] {
        case .bool(let value)?: return value
        case nil: break
        case let other?: add("\(path).\(name)", "'\(name)' must be true or false, not \(other.inWords).")
        }
        return false
    }

    private mutating func add(_ path: String, _ message: String) {
        faults.append(SchemaFault(path: path, message: message))
    }
}

/// One fault of a schema document.
package struct SchemaFault: Hashable, Sendable, CustomStringConvertible {
    /// The location, as a JSON path: `$.classes[0].properties[2].type`.
    package var path: String
    /// A sentence for a person.
    package var message: String
    /// The nearest existing name, when a name does not exist.
    package var hint: String?

    package init(path: String, message: String, hint: String? = nil) {
        self.path = path
        self.message = message
        self.hint = hint
    }

    package var description: String {
        "\(path): \(message)" + (hint.map { " Did you mean '\($0)'?" } ?? "")
    }
}

/// All faults of a schema document; never empty.
package struct SchemaFaults: Error, Hashable, Sendable, CustomStringConvertible {
    package var faults: [SchemaFault]

    package init(_ faults: [SchemaFault]) { self.faults = faults }

    package var description: String { faults.map(\.description).joined(separator: "\n") }
}
