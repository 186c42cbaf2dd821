import Basics
package import JSONCoding
package import ObjectCoding
package import ObjectModel
package import QueryLanguage
import StoreContract
import WireProtocol

/// Parses a transaction. All errors name the operation and the location.
package struct TransactionReader {
    private let schema: Schema
    /// The maximum number of operations.
    private let maximum: Int
    private let filter: Filter
    private let reader: ObjectInputReader
    /// The classes of the objects that earlier operations create.
    private var made: [String: ClassSchema] = [:]

    /// Parses the filter of a class with its arguments, as `GET` does.
    package typealias Filter = @Sendable (String?, JSONValue?, ClassSchema) throws(Problem) -> BoundQuery

    package init(_ schema: Schema, maximum: Int, filter: @escaping Filter) {
        self.schema = schema
        self.maximum = maximum
        self.filter = filter
        reader = ObjectInputReader(schema: schema)
    }

    package consuming func read(_ body: JSONValue) throws(Problem) -> TransactionInput {
        let form = try Self.form(body)
        var input = TransactionInput()
        input.expected = form.expected
        guard form.operations.count <= maximum else {
            throw Problem(
                .transactionTooLarge,
                "A transaction has at most \(maximum) operations; this one has \(form.operations.count)."
            )
        }
        input.operations.reserveCapacity(form.operations.count)
        for (index, json) in form.operations.enumerated() {
            do throws(Problem) {
                input.operations.append(BoundOperation(action: try action(try Self.operation(json))))
            } catch {
                throw error.inOperation(index)
            }
        }
        return input
    }

    private static func form(_ body: JSONValue) throws(Problem) -> TransactionForm {
        do throws(TransactionError) {
            return try TransactionForm(body)
        } catch {
            throw Problem(error)
        }
    }

    private static func operation(_ json: JSONValue) throws(Problem) -> TransactionOperation {
        do throws(TransactionError) {
            return try TransactionOperation(json)
        } catch {
            throw Problem(error)
        }
    }

    private mutating func action(_ operation: TransactionOperation) throws(Problem) -> BoundOperation.Action {
        switch operation {
        case .create(let creation): return try create(creation)
        case .set(let subject, let value):
            let subject = try self.subject(subject)
            return .set(subject, try input(value, subject.objectClass))
        case .delete(let target): return .delete(try object(target))
        case .edit(let edit): return .edit(try bound(edit))
        case .require(.object(let subject, let exists)):
            return .requireObject(try self.subject(subject), exists: exists)
        case .require(.objects(let className, let filter, let arguments, let exists, let count)):
            let objectClass = try objectClass(className)
            return .requireObjects(
                objectClass, try query(filter, arguments, objectClass), exists: exists, count: count)
        }
    }

    // MARK: Operations

    private mutating func create(
        _ creation: TransactionOperation.Creation
    ) throws(Problem) -> BoundOperation.Action {
        let objectClass = try objectClass(creation.className)
        guard creation.policy == .error || objectClass.primaryKey != nil else {
            throw Problem.transaction(
                "'\(objectClass.name)' does not have a primary key and can not be updated. Leave 'update' out.",
                "$.update"
            ).with(StoreError.Code.noPrimaryKey)
        }
        let value = try input(creation.value ?? [:], objectClass)
        if let name = creation.name {
            guard made.updateValue(objectClass, forKey: name) == nil else {
                throw .transaction("Two operations create an object with the name '\(name)'.", "$.as")
            }
        }
        return .create(objectClass, value, creation.policy, name: creation.name)
    }

    /// Returns the query of a requirement.
    private func query(
        _ filter: String?, _ arguments: JSONValue?, _ objectClass: ClassSchema
    ) throws(Problem) -> BoundQuery {
        do throws(Problem) {
            return try self.filter(filter, arguments, objectClass)
        } catch {
            var problem = error
            problem.path = problem.parameter.map { "$.\($0)" }
            problem.parameter = nil
            throw problem
        }
    }

    private func bound(_ edit: TransactionOperation.Edit) throws(Problem) -> BoundOperation.Edit {
        let subject = try subject(edit.subject)
        let objectClass = subject.objectClass
        let property = try property(edit.property, of: objectClass, "$.property")
        var bound = BoundOperation.Edit(name: edit.change.name, subject: subject, property: property)
        func expected(_ json: JSONValue?, _ path: String) throws(Problem) -> ObjectInput.Content? {
            guard let json else { return nil }
            return try self.expected(json, property, of: objectClass, at: path)
        }
        switch edit.change {
        case .insert(let index, let behind, let orAtIndex, let value):
            bound.index = index
            bound.expected = try expected(behind, "$.behind")
            bound.isPlacedAnyway = orAtIndex
            bound.value = try contents(value, bound)
        case .replace(let index, let was, let value):
            bound.element = String(index)
            bound.expected = try expected(was, "$.was")
            bound.value = try contents(value, bound)
        case .move(let index, let target, let was):
            bound.index = index
            bound.target = target
            bound.expected = try expected(was, "$.was")
        case .removeAt(let index, let was):
            bound.element = String(index)
            bound.expected = try expected(was, "$.was")
        case .removeKey(let key): bound.element = key
        case .put(let key, let value):
            bound.element = key
            bound.value = try contents(value, bound)
        case .removeValue(let value), .append(let value), .add(let value): bound.value = try contents(value, bound)
        case .clear: break
        }
        return bound
    }

    private func property(
        _ name: String, of objectClass: ClassSchema, _ path: String
    ) throws(Problem) -> PropertySchema {
        if let property = objectClass[name] { return property }
        var problem = Problem(
            StoreError.Code.unknownProperty, "'\(objectClass.name)' has no property '\(name)'.",
            property: name, hint: objectClass.properties.map(\.name).nearest(to: name))
        problem.path = path
        throw problem
    }

    // MARK: Values

    /// Parses an element that the client expects.
    private func expected(
        _ json: JSONValue, _ property: PropertySchema, of objectClass: ClassSchema, at path: String
    ) throws(Problem) -> ObjectInput.Content {
        guard property.type.collection == .list else {
            var problem = Problem.transaction("Only elements of lists have a position that may have changed.", path)
            problem.property = property.name
            throw problem
        }
        let name = "\(objectClass.name).\(property.name)"
        let content = try reader.content(json, property, isElement: true, called: name, at: path)
        if case .link(.embedded(let input)) = content, input.isEmpty {
            throw Problem.transaction(
                "This names no property, so that every element would be meant. Name what you last saw of it, or leave it out.",
                path)
        }
        return content
    }

    private func input(
        _ json: JSONValue, _ objectClass: ClassSchema
    ) throws(Problem) -> BoundOperation.Input<ObjectInput> {
        if try refersToCreated(json) { return .waiting(json) }
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
        _ json: JSONValue, _ edit: BoundOperation.Edit
    ) throws(Problem) -> BoundOperation.Input<GivenElements> {
        if try refersToCreated(json) { return .waiting(json) }
        return .ready(try elements(json, edit))
    }

    /// Parses the elements of an edit, without references to created objects; a single one if the operation accepts
    /// one.
    func elements(_ json: JSONValue, _ edit: BoundOperation.Edit) throws(Problem) -> GivenElements {
        let name = "\(edit.subject.objectClass.name).\(edit.property.name)"
        func element(_ json: JSONValue, at path: String) throws(Problem) -> ObjectInput.Content {
            try reader.content(json, edit.property, isElement: true, called: name, at: path)
        }
        switch json {
        case .array where [.insert, .append, .add].contains(edit.name),
            .long where [.insert, .append, .add].contains(edit.name):
            return try GivenElements(json) { (json, index) throws(Problem) in
                try element(json, at: "$.value" + JSONPath.element(index))
            }
        default: return GivenElements(try element(json, at: "$.value"))
        }
    }

    /// Whether the value refers to created objects; throws for one that is not created before.
    private func refersToCreated(_ json: JSONValue) throws(Problem) -> Bool {
        let names = CreatedReference.names(in: json)
        for (name, path) in names where made[name] == nil {
            throw Problem.transaction(
                "No earlier operation creates an object with the name '\(name)' with 'as'.", path,
                hint: Array(made.keys).nearest(to: name)
            ).inMember("value")
        }
        return !names.isEmpty
    }

    // MARK: Objects

    private func objectClass(
        _ name: String, _ path: String = "$.class"
    ) throws(Problem) -> ClassSchema {
        do throws(Problem) {
            return try schema.named(name)
        } catch {
            var problem = error.with(Problem.Code.transactionUnknownClass)
            problem.path = path
            throw problem
        }
    }

    private func subject(_ subject: TransactionOperation.Subject) throws(Problem) -> BoundOperation.Subject {
        let object = try object(subject.object)
        if subject.path.isEmpty { return object }
        var rest = Array(subject.path.enumerated())[...]
        var steps: [BoundOperation.Step] = []
        var objectClass = object.objectClass
        while let (index, part) = rest.popFirst() {
            let path = "$.in" + JSONPath.element(index)
            guard case .name(let name) = part else {
                throw .transaction("This must be the name of a property of '\(objectClass.name)'.", path)
            }
            let property = try property(name, of: objectClass, path)
            guard property.ownsTarget, let target = property.targetClass.flatMap({ schema[$0] }) else {
                throw .transaction(
                    "'\(objectClass.name).\(name)' does not contain embedded objects. Give another object as 'object'.",
                    path)
            }
            var element: BoundOperation.Step.Element?
            if property.type.isCollection {
                guard let (index, part) = rest.popFirst() else {
                    throw .transaction("Behind '\(name)' comes which of its objects is meant.", path)
                }
                element = try step(part, property, objectClass, "$.in" + JSONPath.element(index))
            }
            steps.append(BoundOperation.Step(property: property, element: element))
            objectClass = target
        }
        return .part(object, steps, objectClass)
    }

    /// Parses the position or key of an embedded object.
    private func step(
        _ part: TransactionOperation.PathPart, _ property: PropertySchema, _ objectClass: ClassSchema, _ path: String
    ) throws(Problem) -> BoundOperation.Step.Element {
        let isMap = property.type.collection == .map
        switch part {
        case .name(let key) where isMap: return .mapKey(key)
        case .position(let index, nil) where !isMap: return .position(index, was: nil)
        case .position(let index, let was?) where !isMap:
            return .position(index, was: try expected(was, property, of: objectClass, at: path + ".was"))
        default:
            throw .transaction(
                isMap
                    ? "'\(property.name)' is a map: this must be a key."
                    : "'\(property.name)' is a list: this must be a position, counted from 0, or {\"index\": 0, \"was\": …}.",
                path)
        }
    }

    private func object(_ target: TransactionOperation.Target) throws(Problem) -> BoundOperation.Subject {
        let (className, json): (String, JSONValue)
        switch target {
        case .made(let name):
            guard let objectClass = made[name] else {
                throw .transaction(
                    "No earlier operation creates an object with the name '\(name)' with 'as'.", "$.object",
                    hint: Array(made.keys).nearest(to: name))
            }
            return .made(name, objectClass)
        case .object(let name, let key): (className, json) = (name, key)
        }
        let objectClass = try objectClass(className, "$.object.class")
        do {
            let key = try ValueCoding.decode(json, as: objectClass.primaryKeyProperty?.type ?? PropertyType(.int))
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
