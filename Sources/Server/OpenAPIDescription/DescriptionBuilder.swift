import JSONCoding
import ObjectModel
import WireProtocol

/// Completes the API description for one schema: adds components for the objects of each class, a copy of the
/// operations on objects for each class, and the names of the classes wherever a class is named.
///
/// The given document describes any schema: its paths have `{class}`, and the component `Object` stands for an object
/// of any class. For a class, everything that refers to `Object` is copied and refers to the class's own component.
struct DescriptionBuilder {
    private let document: JSONValue
    private let schema: Schema
    private let security: DescriptionSecurity
    private let samples: Samples
    let forms: ClassForms
    /// The components of the document that refer to `Object`, directly or not.
    let dependent: Set<String>
    /// The components that refer to the name of a class.
    private let naming: Set<String>
    let generic: [String: JSONValue]
    /// The class used in the examples of operations on any class.
    private let shown: ClassSchema?
    var names: ComponentNames
    private var parameterNames: ComponentNames
    /// The parameters created for classes so far.
    private var parameters: [ClassParameter: Reference] = [:]
    private var addedParameters: [(String, JSONValue)] = []
    /// The copies created so far.
    var copies: [Copy: Reference] = [:]
    var added: [(name: String, schema: JSONValue)] = []
    private var operationNames: Set<String> = []

    struct Copy: Hashable {
        let component: String
        let className: String
        let form: ClassForms.Form
    }

    private struct ClassParameter: Hashable {
        let className: String
        let parameter: JSONValue
    }

    private static let methods: Set<String> = ["get", "put", "post", "patch", "delete", "head", "options"]
    static let object = "Object"
    private static let transaction = "Transaction"
    private static let classPart = "{class}"
    private static let keyPart = "{key}"
    /// Parameters that change the whole form of a response. Operations on one class omit them.
    private static let reshaping: Set<String> = ["types", "explain"]
    /// The components that only those parameters need.
    static let reshaped: Set<String> = ["Explanation"]
    private static let className = "ClassName"

    init(_ document: JSONValue, schema: Schema, security: DescriptionSecurity) {
        self.document = document
        self.schema = schema
        self.security = security
        samples = Samples(schema)
        let schemas = document["components"]?["schemas"]?.members ?? []
        generic = Dictionary(schemas.map { ($0.name, $0.value) }) { first, _ in first }
        dependent = Self.leading(to: Self.object, in: generic)
        naming = Self.leading(to: Self.className, in: generic)
        shown = schema.classes.first { !$0.isEmbedded }
        parameterNames = ComponentNames(taken: document["components"]?["parameters"]?.members.map(\.name) ?? [])
        names = ComponentNames(taken: generic.keys)
        forms = ClassForms(schema, &names)
    }

    /// The document would have more bytes than it may.
    struct TooLarge: Error {}

    /// Writes the whole document. Operations are written one class after the other, so that those of all classes are in
    /// memory as text only.
    mutating func write(into json: JSONWriter, limit: Int) throws(TooLarge) {
        json.beginObject()
        for member in document.members {
            switch member.name {
            case Self.commonResponses, Self.commonHeaders, Self.components: continue
            case DescriptionSecurity.member:
                guard let requirements = security.requirements else { continue }
                json.name(member.name)
                json.value(requirements)
            case "tags":
                json.name(member.name)
                json.value(.array(member.value.elements + schema.classes.map(tag)))
            case "paths":
                json.name(member.name)
                try writePaths(into: json, limit: limit)
            default:
                json.name(member.name)
                json.value(member.value)
            }
        }
        // The operations have determined them.
        json.name(Self.components)
        json.value(components)
        json.endObject()
        guard json.count <= limit else { throw TooLarge() }
    }

    private mutating func writePaths(into json: JSONWriter, limit: Int) throws(TooLarge) {
        let paths = document["paths"]?.members ?? []
        json.beginObject()
        for path in paths {
            for operation in path.value.members {
                if let name = operation.value["operationId"]?.text { operationNames.insert(name) }
            }
            json.name(path.name)
            json.value(item(path.value))
        }
        for objectClass in schema.classes {
            for path in paths {
                guard let item = item(path.value, at: path.name, of: objectClass) else { continue }
                json.name(Self.path(path.name, of: objectClass))
                json.value(item)
            }
            // Hundreds of classes later it would only have cost more.
            guard json.count <= limit else { throw TooLarge() }
        }
        json.endObject()
    }

    private static let components = "components"

    private func tag(_ objectClass: ClassSchema) -> JSONValue {
        [
            "name": .string(tagName(objectClass)),
            "description": .string(
                objectClass.isEmbedded
                    ? "The embedded objects of the class \(objectClass.name)."
                    : "The objects of the class \(objectClass.name)."),
        ]
    }

    /// Returns the class's name, unless the description already has a tag with that name.
    private func tagName(_ objectClass: ClassSchema) -> String {
        let isTaken = (document["tags"]?.elements ?? []).contains { $0["name"] == .string(objectClass.name) }
        return isTaken ? "Class \(objectClass.name)" : objectClass.name
    }

    // MARK: Components

    private var components: JSONValue {
        var components = document["components"] ?? [:]
        var schemas = components["schemas"]?.members ?? []
        if let shown {
            for index in schemas.indices {
                switch schemas[index].name {
                case Self.className:
                    schemas[index].value = schemas[index].value
                        .with("enum", JSONValue(names: schema.classes.map(\.name))).with("pattern", nil)
                case Self.object:
                    schemas[index].value = schemas[index].value.with("examples", [samples.object(shown, .read)])
                default: break
                }
            }
            let parameters = (components["parameters"]?.members ?? []).map { parameter in
                (parameter.name, exemplified(parameter.value, shown))
            }
            components = components.with("parameters", JSONValue(members: parameters + addedParameters))
        }
        schemas += (forms.components + added).map { JSONObject.Member(name: $0.name, value: $0.schema) }
        components = components.with("schemas", .object(JSONObject(schemas)))
        let responses = (components["responses"]?.members ?? []).map { ($0.name, headed($0.value, of: [:])) }
        components = components.with("responses", JSONValue(members: responses))
        return components.with("securitySchemes", security.isOn ? components["securitySchemes"] : nil)
    }

    /// Returns the names of the components that refer to a component, including itself.
    private static func leading(to name: String, in schemas: [String: JSONValue]) -> Set<String> {
        let targets = schemas.mapValues { Self.targets(of: $0) }
        var found: Set<String> = [name]
        while true {
            let more = targets.filter { !found.contains($0.key) && !$0.value.isDisjoint(with: found) }
            if more.isEmpty { return found }
            found.formUnion(more.keys)
        }
    }

    /// Returns the schemas that a part of the document refers to.
    static func targets(of json: JSONValue) -> Set<String> {
        if let reference = Reference(json), reference.kind == .schemas { return [reference.name] }
        switch json {
        case .object(let object):
            return object.members.reduce(into: []) { $0.formUnion(targets(of: $1.value)) }
        case .array(let elements): return elements.reduce(into: []) { $0.formUnion(targets(of: $1)) }
        default: return []
        }
    }

    // MARK: Operations on any class

    private static let commonResponses = "x-common-responses"
    private static let commonHeaders = "x-common-headers"

    private func item(_ item: JSONValue) -> JSONValue {
        JSONValue(
            members: item.members.map { member in
                guard Self.methods.contains(member.name) else { return (member.name, member.value) }
                var operation = member.value
                for part in ["requestBody", "responses"] {
                    guard let content = operation[part] else { continue }
                    operation = operation.with(part, native(content, isRequest: part == "requestBody", member.name))
                }
                return (member.name, complete(operation))
            })
    }

    /// Removes examples of classes of another schema. A body gets one of the shown class.
    private func native(_ json: JSONValue, isRequest: Bool, _ method: String) -> JSONValue {
        guard let shown else { return json }
        switch json {
        case .array(let elements): return .array(elements.map { native($0, isRequest: isRequest, method) })
        case .object(let object):
            guard let content = object["schema"] else {
                return JSONValue(
                    members: object.members.map { ($0.name, native($0.value, isRequest: isRequest, method)) })
            }
            let targets = Self.targets(of: content)
            guard !targets.isDisjoint(with: dependent.union(naming)) else { return json }
            let bare = json.with("example", nil).with("examples", nil)
            if isRequest, targets.contains(Self.transaction) {
                let creation: JSONValue = [
                    "op": "create", "class": .string(shown.name), "value": samples.object(shown, .create),
                ]
                return bare.with("example", ["operations": [creation]])
            }
            guard isRequest, targets.contains(Self.object) else { return bare }
            return bare.with("example", samples.object(shown, method == "post" ? .create : .change))
        default: return json
        }
    }

    /// Adds the responses that every operation can have.
    private func complete(_ operation: JSONValue) -> JSONValue {
        // Operations without a credential are served in every state of the store.
        var responses = (operation["responses"]?.members ?? []).map { response in
            JSONObject.Member(name: response.name, value: headed(response.value, of: operation))
        }
        guard operation[DescriptionSecurity.member]?.elements.isEmpty != true else {
            return operation.with("responses", .object(JSONObject(responses)))
                .with(DescriptionSecurity.member, security.isOn ? operation[DescriptionSecurity.member] : nil)
        }
        for common in document[Self.commonResponses]?.members ?? [] {
            guard !responses.contains(where: { $0.name == common.name }) else { continue }
            guard security.isOn || !DescriptionSecurity.statuses.contains(common.name) else { continue }
            responses.append(common)
        }
        responses.sort { $0.name < $1.name }
        return operation.with("responses", .object(JSONObject(responses)))
            .with(
                DescriptionSecurity.member, security.isOn ? operation[DescriptionSecurity.member] : nil)
    }

    /// Adds the headers that all responses have, unless the response is a component.
    private func headed(_ response: JSONValue, of operation: JSONValue) -> JSONValue {
        guard Reference(response) == nil else { return response }
        var headers = response["headers"] ?? [:]
        let isRepeatable = (operation["parameters"]?.elements ?? []).contains {
            Reference($0).map { $0.kind == .parameters && $0.name == "idempotencyKey" } ?? false
        }
        if isRepeatable {
            headers = headers.with(HeaderName.idempotencyReplayed, Reference(.headers, "IdempotencyReplayed").json)
        }
        for common in document[Self.commonHeaders]?.members ?? [] {
            headers = headers.with(common.name, common.value)
        }
        return response.with("headers", headers)
    }

    // MARK: Operations on one class

    private static func path(_ path: String, of objectClass: ClassSchema) -> String {
        path.replacing(classPart, with: Endpoint.encoded(objectClass.name))
    }

    /// Returns the operations at a path for one class; nil if they do not depend on the class.
    private mutating func item(_ item: JSONValue, at path: String, of objectClass: ClassSchema) -> JSONValue? {
        let parts = path.split(separator: "/")
        // A property may refer to other classes.
        guard parts.contains(Substring(Self.classPart)),
            parts.allSatisfy({ !$0.hasPrefix("{") || $0 == Self.classPart || $0 == Self.keyPart })
        else { return nil }
        let shared = item["parameters"]?.elements ?? []
        var members: [(String, JSONValue)] = []
        for member in item.members where Self.methods.contains(member.name) {
            guard isOnObjects(member.value, path), offers(member.name, path, objectClass) else { continue }
            members.append((member.name, operation(member.value, member.name, shared, objectClass)))
        }
        return members.isEmpty ? nil : JSONValue(members: members)
    }

    /// The paths whose operations depend on the properties, keys or predicates of a class, whatever their responses
    /// are.
    private static let ofObjects = ["/v1/objects/", "/v1/index/objects/", "/v1/values/objects/"]

    private func isOnObjects(_ operation: JSONValue, _ path: String) -> Bool {
        Self.ofObjects.contains { path.hasPrefix($0) } || !Self.targets(of: operation).isDisjoint(with: dependent)
    }

    /// Whether the class has the operation: embedded objects cannot be created on their own.
    private func offers(_ method: String, _ path: String, _ objectClass: ClassSchema) -> Bool {
        !(objectClass.isEmbedded && method == "post" && path.hasSuffix(Self.classPart))
    }

    private mutating func operation(
        _ operation: JSONValue, _ method: String, _ shared: [JSONValue], _ objectClass: ClassSchema
    ) -> JSONValue {
        var result = operation
        let name = operation["operationId"]?.text ?? method
        result = result.with("operationId", .string(operationName(name, objectClass)))
        result = result.with("tags", [.string(tagName(objectClass))])
        if let summary = operation["summary"]?.text {
            result = result.with("summary", .string("\(summary): \(objectClass.name)"))
        }
        var remaining: [JSONValue] = []
        for json in shared + (operation["parameters"]?.elements ?? []) {
            if let parameter = parameter(json, objectClass) { remaining.append(parameter) }
        }
        result = result.with("parameters", remaining.isEmpty ? nil : .array(remaining))
        if let body = operation["requestBody"] {
            let form: ClassForms.Form = method == "post" ? .create : .change
            result = result.with("requestBody", specialised(body, objectClass.name, form))
        }
        if let responses = operation["responses"] {
            result = result.with("responses", specialised(responses, objectClass.name, .read))
        }
        return complete(result)
    }

    /// `listObjects` becomes `listDogs`, `getObject` becomes `getDog`.
    private mutating func operationName(_ name: String, _ objectClass: ClassSchema) -> String {
        let plural = Self.plural(objectClass.name)
        var wish: String
        if name.contains("Objects") {
            wish = name.replacing("Objects", with: plural)
        } else if name.contains("Object") {
            wish = name.replacing("Object", with: objectClass.name)
        } else {
            wish = name + "Of" + plural
        }
        while !operationNames.insert(wish).inserted { wish += "_" }
        return wish
    }

    private static func plural(_ name: String) -> String {
        if name.hasSuffix("y"), let before = name.dropLast().last, !"aeiou".contains(before) {
            return name.dropLast() + "ies"
        }
        let hisses = ["s", "x", "z", "ch", "sh"].contains { name.hasSuffix($0) }
        return name + (hisses ? "es" : "s")
    }

    /// Returns nil for a parameter that the operation does not have.
    private mutating func parameter(_ json: JSONValue, _ objectClass: ClassSchema) -> JSONValue? {
        var parameter = json
        if let reference = Reference(json), reference.kind == .parameters {
            guard let found = document["components"]?["parameters"]?[reference.name] else { return json }
            parameter = found
        }
        guard let name = parameter["name"]?.text else { return json }
        if name == "class" || Self.reshaping.contains(name) { return nil }
        // Objects without a primary key are always new.
        if name == "update", objectClass.primaryKey == nil { return nil }
        let isKey = name == "key" && parameter["in"]?.text == "path"
        let made =
            isKey || name == "of"
            ? parameter.with("schema", isKey ? TypeForms.pathKey(of: objectClass) : TypeForms.queryKey(of: objectClass))
                .with("description", .string(keyWords(objectClass))).with("example", samples.key(objectClass))
                .with("examples", nil)
            : exemplified(parameter, objectClass)
        guard made != parameter else { return json }
        let known = ClassParameter(className: objectClass.name, parameter: made)
        if let reference = parameters[known] { return reference.json }
        let stem = forms.reference(objectClass.name, .read)?.name ?? objectClass.name
        let reference = Reference(.parameters, parameterNames.next("\(stem).\(name)"))
        parameters[known] = reference
        addedParameters.append((reference.name, made))
        return reference.json
    }

    private func keyWords(_ objectClass: ClassSchema) -> String {
        objectClass.primaryKey.map { "The primary key, `\($0)`." }
            ?? "The object key: the class has no primary key. `$key` gives it."
    }

    /// Returns a parameter with examples of the class.
    private func exemplified(_ parameter: JSONValue, _ objectClass: ClassSchema) -> JSONValue {
        guard let name = parameter["name"]?.text else { return parameter }
        switch (name, parameter["in"]?.text) {
        case ("class", "path"): return parameter.with("example", .string(objectClass.name))
        case ("key", "path"): return parameter.with("example", .string(samples.keyText(objectClass)))
        case ("filter", "query"), ("matching", "query"):
            let examples = samples.filters(objectClass).map { filter in
                (
                    filter.name,
                    ["summary": .string(filter.summary), "value": .string(filter.text)] as JSONValue
                )
            }
            return parameter.with("example", nil).with("examples", JSONValue(members: examples))
        case ("args", "query"): return parameter
        case (_, "query"), ("property", "path"):
            let isOfClass = Samples.parameters.contains(name) && parameter["schema"]?["type"] != "integer"
            guard isOfClass else { return parameter }
            return parameter.with("examples", nil).with("example", samples.parameter(name, objectClass))
        default: return parameter
        }
    }
}
