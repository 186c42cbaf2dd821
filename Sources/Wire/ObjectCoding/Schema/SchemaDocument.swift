import Basics
package import JSONCoding
package import ObjectModel
package import StoreContract

/// The body of `PUT /v1/schema` and `POST /v1/schema/plan`, and the contents of schema files: a schema and, in the
/// member `migration`, the steps of a migration to it.
package struct SchemaDocument {
    package let schema: Schema
    package let steps: [MigrationStep]

    /// Throws all errors in the document's form, in the schema and in the steps' form, each with its location.
    package init(_ json: JSONValue) throws(SchemaFaults) {
        schema = try SchemaCoding.decode(json, besides: ["migration"])
        let unknown = Self.unknownTypes(in: schema)
        // What the schema says of these properties follows from their types.
        let others = schema.faults().filter { fault in !unknown.contains { fault.contains("'\($0.property)'") } }
        guard unknown.isEmpty, others.isEmpty else {
            throw SchemaFaults(unknown.map(\.fault) + others.map { SchemaFault(path: "$.classes", message: $0) })
        }
        var decoder = StepDecoder(schema)
        steps = decoder.steps(json["migration"])
        guard decoder.faults.isEmpty else { throw SchemaFaults(decoder.faults) }
    }
}

extension SchemaDocument {
    /// The errors for types that are neither known nor classes of the schema: most are the names of types elsewhere.
    private static func unknownTypes(in schema: Schema) -> [(property: String, fault: SchemaFault)] {
        var faults: [(property: String, fault: SchemaFault)] = []
        for (classIndex, objectClass) in schema.classes.enumerated() {
            for (index, property) in objectClass.properties.enumerated() {
                guard case .link(let target) = property.type.base, schema[target] == nil else { continue }
                let name = "\(objectClass.name).\(property.name)"
                let fault = SchemaFault(
                    path: "$.classes[\(classIndex)].properties[\(index)].type",
                    message: "'\(name)': \(PropertyType.sentence(onMisspelt: target))",
                    hint: schema.classes.map(\.name).nearest(to: target))
                faults.append((name, fault))
            }
        }
        return faults
    }
}

/// Collects errors and continues.
private struct StepDecoder {
    private let schema: Schema
    private(set) var faults: [SchemaFault] = []

    private static let members = [
        "rename": ["class", "from", "to"], "default": ["class", "property", "value"],
        "copy": ["class", "from", "to"], "convert": ["class", "from", "to", "fallback"],
    ]
    private static let kinds = ["rename", "default", "copy", "convert", "deleteClass"]

    init(_ schema: Schema) { self.schema = schema }

    mutating func steps(_ json: JSONValue?) -> [MigrationStep] {
        switch json {
        case nil, .null?: return []
        case .array(let elements)?:
            var steps: [MigrationStep] = []
            for (index, element) in elements.enumerated() {
                if let step = step(element, "$.migration[\(index)]") { steps.append(step) }
            }
            return steps
        case let other?:
            add("$.migration", "The steps of a migration are an array, not \(other.inWords).")
            return []
        }
    }

    private mutating func step(_ json: JSONValue, _ path: String) -> MigrationStep? {
        guard case .object(let object) = json, object.members.count == 1, let step = object.members.first else {
            add(path, "A step is an object with one member: \(Self.kinds.joined(separator: ", ")).")
            return nil
        }
        let path = "\(path).\(step.name)"
        if step.name == "deleteClass" {
            guard case .string(let name) = step.value else {
                add(path, "'deleteClass' must be the name of a class, not \(step.value.inWords).")
                return nil
            }
            return .deleteClass(name)
        }
        guard let names = Self.members[step.name] else {
            add(
                path, "There is no step '\(step.name)'. Use one of: \(Self.kinds.joined(separator: ", ")).",
                hint: Self.kinds.nearest(to: step.name))
            return nil
        }
        guard case .object(let members) = step.value else {
            add(path, "'\(step.name)' must be an object, not \(step.value.inWords).")
            return nil
        }
        for member in members.members where !names.contains(member.name) {
            add(
                "\(path).\(member.name)",
                "'\(member.name)' is not allowed here; allowed are \(names.joined(separator: ", ")).",
                hint: names.nearest(to: member.name))
        }
        return self.step(step.name, members, path)
    }

    private mutating func step(_ kind: String, _ members: JSONObject, _ path: String) -> MigrationStep? {
        let className = name("class", members, path)
        if kind == "default" {
            let property = name("property", members, path)
            guard let className, let property else { return nil }
            let value = value("value", members, path, className, property)
            return .setDefault(class: className, property: property, value: value)
        }
        let from = name("from", members, path)
        // A conversion in place needs only one name.
        let to = kind == "convert" && members["to"] == nil ? from : name("to", members, path)
        guard let className, let from, let to else { return nil }
        switch kind {
        case "rename": return .rename(class: className, from: from, to: to)
        case "copy": return .copy(class: className, from: from, to: to)
        default:
            return .convert(
                class: className, from: from, to: to, fallback: value("fallback", members, path, className, to))
        }
    }

    private mutating func name(_ member: String, _ members: JSONObject, _ path: String) -> String? {
        switch members[member] {
        case .string(let text)?: return text
        case nil: add(path, "'\(member)' is missing.")
        case let other?: add("\(path).\(member)", "'\(member)' must be a string, not \(other.inWords).")
        }
        return nil
    }

    /// Nil if no value is given, and if the property does not exist, which `MigrationPlan` reports.
    private mutating func value(
        _ member: String, _ members: JSONObject, _ path: String, _ className: String, _ property: String
    ) -> Value? {
        guard let json = members[member], let declared = schema[className]?[property] else { return nil }
        do throws(ValueError) {
            return try ValueCoding.decode(json, as: declared.type)
        } catch {
            add("\(path).\(member)\(error.path)", error.sentence(property))
            return nil
        }
    }

    private mutating func add(_ path: String, _ message: String, hint: String? = nil) {
        faults.append(SchemaFault(path: path, message: message, hint: hint))
    }
}
