import JSONCoding
import ObjectModel
import QueryLanguage
import StoreContract

/// Parses a transaction. All errors name the operation and the location.
struct TransactionReader {
    private let schema: Schema
    private let configuration: GatewayConfiguration
    private let reader: ObjectInputReader
    /// The classes of the objects that earlier operations create.
    private var made: [String: ClassSchema] = [:]

    init(_ schema: Schema, _ configuration: GatewayConfiguration) {
        self.schema = schema
        self.configuration = configuration
        reader = ObjectInputReader(schema: schema)
    }

    consuming func read(_ body: JSONValue) throws(Problem) -> TransactionInput {
        let members = try Members(body, "A transaction", ["ifVersion", "operations"], at: "$")
        var input = TransactionInput()
        input.expected = try members.state("ifVersion")
        guard case .array(let operations)? = members["operations"] else {
            throw .transaction("A transaction has a list of 'operations'.", "$.operations")
        }
        guard operations.count <= configuration.largestTransaction else {
            throw Problem(
                413, "transaction.too_large",
                "A transaction has at most \(configuration.largestTransaction) operations; this one has \(operations.count)."
            )
        }
        input.operations.reserveCapacity(operations.count)
        for (index, json) in operations.enumerated() {
            do throws(Problem) {
                input.operations.append(TransactionOperation(action: try action(json)))
            } catch {
                throw error.inOperation(index)
            }
        }
        return input
    }

    private mutating func action(_ json: JSONValue) throws(Problem) -> TransactionOperation.Action {
        guard case .string(let text)? = json["op"], let name = TransactionOperation.Name(rawValue: text) else {
            let names = TransactionOperation.Name.allCases.map(\.rawValue)
            var hint: String?
            if case .string(let text)? = json["op"] { hint = names.nearest(to: text) }
            throw .transaction("An operation's 'op' is one of \(names.joined(separator: ", ")).", "$.op", hint: hint)
        }
        let members = try Members(json, "'\(text)'", ["op"] + Self.members(of: name), at: "$")
        switch name {
        case .create: return try create(members)
        case .set:
            let subject = try subject(members)
            return .set(subject, try input(try members.required("value"), subject.objectClass))
        case .delete: return .delete(try subject(members))
        case .require: return try require(members)
        default: return .edit(try edit(name, members))
        }
    }

    private static func members(of name: TransactionOperation.Name) -> [String] {
        switch name {
        case .create: ["class", "value", "update", "as"]
        case .set: ["object", "in", "value"]
        case .delete: ["object"]
        case .insert: ["object", "in", "property", "index", "behind", "orAtIndex", "value"]
        case .replace: ["object", "in", "property", "index", "was", "value"]
        case .move: ["object", "in", "property", "index", "was", "to"]
        case .remove: ["object", "in", "property", "index", "was", "mapKey", "value"]
        case .append, .add: ["object", "in", "property", "value"]
        case .put: ["object", "in", "property", "mapKey", "value"]
        case .clear: ["object", "in", "property"]
        case .require: ["object", "class", "filter", "args", "exists", "count"]
        }
    }

    // MARK: Operations

    private mutating func create(_ members: Members) throws(Problem) -> TransactionOperation.Action {
        let objectClass = try objectClass(members)
        var policy = UpdatePolicy.error
        if let text = try members.text("update") {
            guard let given = UpdatePolicy(rawValue: text) else {
                let names = UpdatePolicy.allCases.map(\.rawValue)
                throw .transaction(
                    "'update' takes \(names.joined(separator: " or ")), not '\(text)'.", "$.update",
                    hint: names.nearest(to: text))
            }
            guard given == .error || objectClass.primaryKey != nil else {
                var problem = Problem.transaction(
                    "'\(objectClass.name)' does not have a primary key and can not be updated. Leave 'update' out.",
                    "$.update")
                problem.code = StoreError.Code.noPrimaryKey.rawValue
                throw problem
            }
            policy = given
        }
        let value = try input(members["value"] ?? [:], objectClass)
        let name = try members.text("as")
        if let name {
            guard made.updateValue(objectClass, forKey: name) == nil else {
                throw .transaction("Two operations make an object that is called '\(name)'.", "$.as")
            }
        }
        return .create(objectClass, value, policy, name: name)
    }

    private func require(_ members: Members) throws(Problem) -> TransactionOperation.Action {
        let exists = try members.flag("exists")
        if members["object"] != nil {
            for name in ["class", "filter", "args", "count"] where members[name] != nil {
                throw .transaction("'require' is about one object, or about a class, not both.", "$.\(name)")
            }
            return .requireObject(try subject(members), exists: exists ?? true)
        }
        let objectClass = try objectClass(members)
        let count = try members.position("count")
        var parameters: [String: String] = [:]
        if let filter = try members.text("filter") { parameters["filter"] = filter }
        if let arguments = members["args"] {
            let text = JSONWriter(capacity: 128)
            text.value(arguments)
            parameters["args"] = String(decoding: text.bytes, as: UTF8.self)
        }
        do throws(Problem) {
            let query = try QueryReader(schema: schema, configuration: configuration).filter(
                QueryParameters(parameters), objectClass)
            return .requireObjects(
                objectClass, query, exists: exists ?? (count == nil ? true : nil), count: count)
        } catch {
            var problem = error
            problem.path = problem.parameter.map { "$.\($0)" }
            problem.parameter = nil
            throw problem
        }
    }

    private func edit(
        _ name: TransactionOperation.Name, _ members: Members
    ) throws(Problem) -> TransactionOperation.Edit {
        let subject = try subject(members)
        let objectClass = subject.objectClass
        guard let text = try members.text("property") else {
            throw .transaction("'\(name.rawValue)' needs a 'property'.", "$.property")
        }
        guard let property = objectClass[text] else {
            var problem = Problem(
                422, StoreError.Code.unknownProperty.rawValue, "'\(objectClass.name)' has no property '\(text)'.",
                property: text, hint: objectClass.properties.map(\.name).nearest(to: text))
            problem.path = "$.property"
            throw problem
        }
        var edit = TransactionOperation.Edit(name: name, subject: subject, property: property)
        switch name {
        case .insert:
            edit.index = try members.requiredPosition("index")
            edit.isPlacedAnyway = try members.flag("orAtIndex") ?? false
            guard members["orAtIndex"] == nil || members["behind"] != nil else {
                throw .transaction(
                    "'orAtIndex' says what to do when the element that 'behind' names is gone. Give that, too.",
                    "$.orAtIndex")
            }
        case .replace: edit.element = String(try members.requiredPosition("index"))
        case .move:
            edit.index = try members.requiredPosition("index")
            edit.target = try members.requiredPosition("to")
        case .put:
            guard let key = try members.text("mapKey") else {
                throw .transaction("'put' needs a 'mapKey'.", "$.mapKey")
            }
            edit.element = key
        case .remove:
            let given = ["index", "mapKey", "value"].filter { members[$0] != nil }
            guard given.count == 1 else {
                throw .transaction(
                    "'remove' needs the 'index' of a list's element, a 'mapKey', or the 'value' of a set's element.",
                    "$")
            }
            if let index = try members.position("index") {
                edit.element = String(index)
            } else {
                edit.element = try members.text("mapKey")
                guard members["was"] == nil else {
                    throw .transaction("'was' says which element of a list is meant, beside its 'index'.", "$.was")
                }
            }
        default: break
        }
        let known = name == .insert ? "behind" : "was"
        if let json = members[known] {
            edit.known = try self.known(json, property, of: objectClass, at: "$.\(known)")
        }
        if [.insert, .replace, .append, .add, .put].contains(name) || members["value"] != nil {
            edit.value = try contents(try members.required("value"), edit)
        }
        return edit
    }

    // MARK: Values

    /// Parses an element that the client expects.
    private func known(
        _ json: JSONValue, _ property: PropertySchema, of objectClass: ClassSchema, at path: String
    ) throws(Problem) -> ObjectInput.Content {
        guard property.type.collection == .list else {
            var problem = Problem.transaction("Only elements of lists have a position that may have changed.", path)
            problem.property = property.name
            throw problem
        }
        let name = "\(objectClass.name).\(property.name)"
        return try reader.content(json, property, isElement: true, called: name, at: path)
    }

    private func input(
        _ json: JSONValue, _ objectClass: ClassSchema
    ) throws(Problem) -> TransactionOperation.Input<ObjectInput> {
        if try refersToMade(json) { return .waiting(json) }
        return .ready(try object(json, objectClass))
    }

    /// Parses an object without references to created objects.
    func object(_ json: JSONValue, _ objectClass: ClassSchema) throws(Problem) -> ObjectInput {
        do throws(Problem) {
            return try reader.object(json, objectClass)
        } catch {
            throw error.inMember("value")
        }
    }

    private func contents(
        _ json: JSONValue, _ edit: TransactionOperation.Edit
    ) throws(Problem) -> TransactionOperation.Input<[ObjectInput.Content]> {
        if try refersToMade(json) { return .waiting(json) }
        return .ready(try elements(json, edit))
    }

    /// Parses the elements of an edit, without references to created objects; a single one if the operation accepts
    /// one.
    func elements(_ json: JSONValue, _ edit: TransactionOperation.Edit) throws(Problem) -> [ObjectInput.Content] {
        let name = "\(edit.subject.objectClass.name).\(edit.property.name)"
        guard case .array(let elements) = json, [.insert, .append, .add].contains(edit.name) else {
            return [try reader.content(json, edit.property, isElement: true, called: name, at: "$.value")]
        }
        var contents: [ObjectInput.Content] = []
        for (index, element) in elements.enumerated() {
            contents.append(
                try reader.content(
                    element, edit.property, isElement: true, called: name, at: "$.value" + JSONPath.element(index)))
        }
        return contents
    }

    /// Whether the value refers to created objects; throws for one that is not created before.
    private func refersToMade(_ json: JSONValue) throws(Problem) -> Bool {
        let names = MadeReference.names(in: json)
        for (name, path) in names where made[name] == nil {
            throw Problem.transaction(
                "No operation before this one makes an object that is called '\(name)' with 'as'.", path,
                hint: Array(made.keys).nearest(to: name)
            ).inMember("value")
        }
        return !names.isEmpty
    }

    // MARK: Objects

    private func objectClass(_ members: Members) throws(Problem) -> ClassSchema {
        guard let name = try members.text("class") else {
            throw .transaction("Say with 'class' which class is meant.", "$.class")
        }
        return try objectClass(name, "$.class")
    }

    private func objectClass(_ name: String, _ path: String) throws(Problem) -> ClassSchema {
        do throws(Problem) {
            return try schema.named(name)
        } catch {
            var problem = error
            problem.status = 422
            problem.path = path
            throw problem
        }
    }

    private func subject(_ members: Members) throws(Problem) -> TransactionOperation.Subject {
        let subject = try object(members)
        guard let json = members["in"] else { return subject }
        guard case .array(let elements) = json, !elements.isEmpty else {
            throw .transaction(
                "'in' is the way to an embedded object, such as [\"address\"], or [\"phones\", 0] in a list.", "$.in")
        }
        var rest = Array(elements.enumerated())[...]
        var steps: [TransactionOperation.Step] = []
        var objectClass = subject.objectClass
        while let (index, name) = rest.popFirst() {
            let path = "$.in" + JSONPath.element(index)
            guard case .string(let text) = name else {
                throw .transaction("Here stands the name of a property of '\(objectClass.name)'.", path)
            }
            guard let property = objectClass[text] else {
                var problem = Problem(
                    422, StoreError.Code.unknownProperty.rawValue, "'\(objectClass.name)' has no property '\(text)'.",
                    property: text, hint: objectClass.properties.map(\.name).nearest(to: text))
                problem.path = path
                throw problem
            }
            guard property.ownsTarget, let target = property.targetClass.flatMap({ schema[$0] }) else {
                throw .transaction(
                    "'\(objectClass.name).\(text)' holds no embedded objects. Name another object as 'object'.", path)
            }
            var element: TransactionOperation.Step.Element?
            if property.type.isCollection {
                guard let (index, json) = rest.popFirst() else {
                    throw .transaction("Behind '\(text)' comes which of its objects is meant.", path)
                }
                element = try step(json, property, objectClass, "$.in" + JSONPath.element(index))
            }
            steps.append(TransactionOperation.Step(property: property, element: element))
            objectClass = target
        }
        return .part(subject, steps, objectClass)
    }

    /// Parses the position or key of an embedded object.
    private func step(
        _ json: JSONValue, _ property: PropertySchema, _ objectClass: ClassSchema, _ path: String
    ) throws(Problem) -> TransactionOperation.Step.Element {
        let isMap = property.type.collection == .map
        switch json {
        case .string(let key) where isMap: return .mapKey(key)
        case .int(let index) where !isMap && index >= 0: return .position(Int(index), was: nil)
        case .object where !isMap:
            let members = try Members(json, "A position", ["index", "was"], at: path)
            let index = try members.requiredPosition("index")
            guard let was = members["was"] else { return .position(index, was: nil) }
            return .position(index, was: try known(was, property, of: objectClass, at: path + ".was"))
        default:
            throw .transaction(
                isMap
                    ? "'\(property.name)' is a map: here stands a key."
                    : "'\(property.name)' is a list: here stands a position, counted from 0, or {\"index\": 0, \"was\": …}.",
                path)
        }
    }

    private func object(_ members: Members) throws(Problem) -> TransactionOperation.Subject {
        let json = try members.required("object")
        let form =
            "An object is written as {\"class\": \"Dog\", \"key\": 1}, or as {\"ref\": \"a\"} for one that an earlier operation makes."
        let reference: String?
        if case .string(let name)? = json["ref"], case .object(let object) = json, object.members.count == 1 {
            reference = name
        } else {
            reference = MadeReference.name(in: json)
        }
        if let reference {
            guard let objectClass = made[reference] else {
                throw .transaction(
                    "No operation before this one makes an object that is called '\(reference)' with 'as'.", "$.object",
                    hint: Array(made.keys).nearest(to: reference))
            }
            return .made(reference, objectClass)
        }
        guard let link = LinkForm(["$link": json]) else { throw .transaction(form, "$.object") }
        let objectClass = try objectClass(link.className, "$.object.class")
        do {
            let key = try ValueCoding.decode(link.key, as: objectClass.primaryKeyProperty?.type ?? PropertyType(.int))
            if objectClass.primaryKey == nil, case .int(let number) = key {
                return .address(objectClass, .objectKey(ObjectKey(number)))
            }
            return .address(objectClass, .primaryKey(key))
        } catch {
            throw .transaction(
                error.sentence("\(objectClass.name).\(objectClass.primaryKey ?? "$key")"), "$.object.key")
        }
    }
}

/// The members of a JSON object, of which only some names are allowed.
private struct Members {
    private let object: JSONObject
    private let path: String

    init(_ json: JSONValue, _ what: String, _ names: [String], at path: String) throws(Problem) {
        guard case .object(let object) = json else {
            throw .transaction("\(what) is a JSON object, not \(json.inWords).", path)
        }
        for member in object.members where !names.contains(member.name) {
            throw .transaction(
                "\(what) has no member '\(member.name)', but \(names.joined(separator: ", ")).",
                path + JSONPath.member(member.name), hint: names.nearest(to: member.name))
        }
        self.object = object
        self.path = path
    }

    /// Null counts as absent, except for a value.
    subscript(name: String) -> JSONValue? {
        let value = object[name]
        return value == .null && !["value", "was", "behind"].contains(name) ? nil : value
    }

    func required(_ name: String) throws(Problem) -> JSONValue {
        guard let value = self[name] else { throw .transaction("There is no '\(name)'.", "\(path).\(name)") }
        return value
    }

    func text(_ name: String) throws(Problem) -> String? {
        guard let json = self[name] else { return nil }
        guard case .string(let text) = json else {
            throw .transaction("'\(name)' is a string, not \(json.inWords).", "\(path).\(name)")
        }
        return text
    }

    func flag(_ name: String) throws(Problem) -> Bool? {
        guard let json = self[name] else { return nil }
        guard case .bool(let value) = json else {
            throw .transaction("'\(name)' is true or false, not \(json.inWords).", "\(path).\(name)")
        }
        return value
    }

    /// Parses a version number or a mark.
    func state(_ name: String) throws(Problem) -> ExpectedState? {
        guard case .string(let text)? = self[name] else {
            return try position(name).map { .version(Version(UInt64($0))) }
        }
        guard let mark = Mark(text) else {
            throw .transaction(
                "'\(name)' is a version, such as 41, or better the mark of an answer, such as \"41-0a1b2c3d\", not '\(text)'.",
                "\(path).\(name)")
        }
        return .mark(mark)
    }

    func position(_ name: String) throws(Problem) -> Int? {
        guard let json = self[name] else { return nil }
        let given: Int64? =
            switch json {
            case .int(let number): number
            // In JSON 3.0 is the number 3, and some writers know no other form.
            case .double(let number): Int64(exactly: number)
            default: nil
            }
        guard let number = given, number >= 0, number < Int64.max else {
            throw .transaction("'\(name)' is a whole number from 0 on, not \(json.inWords).", "\(path).\(name)")
        }
        return Int(number)
    }

    func requiredPosition(_ name: String) throws(Problem) -> Int {
        guard let position = try position(name) else {
            throw .transaction("There is no '\(name)'.", "\(path).\(name)")
        }
        return position
    }
}
