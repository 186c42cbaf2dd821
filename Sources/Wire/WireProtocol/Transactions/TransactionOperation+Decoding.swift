import Basics
package import JSONCoding
import ObjectModel
import StoreContract

extension TransactionOperation {
    /// Throws if the value is not an operation. The error's path starts at the operation.
    package init(_ json: JSONValue) throws(TransactionError) {
        guard case .string(let text)? = json[Field.op], let name = Name(rawValue: text) else {
            let names = Name.allCases.map(\.rawValue)
            throw TransactionError(
                "An operation's 'op' is one of \(names.joined(separator: ", ")).", "$.op",
                hint: json.text(Field.op).flatMap { names.nearest(to: $0) })
        }
        let members = try TransactionMembers(json, "'\(text)'", name.members, isOperation: true, at: "$")
        switch name {
        case .create: self = .create(try Creation(members))
        case .set: self = .set(try Subject(members), value: try members.required(Field.value))
        case .delete: self = .delete(try Target(try members.required(Field.object)))
        case .require: self = .require(try Requirement(members))
        case .insert, .replace, .move, .remove, .append, .add, .put, .clear:
            let subject = try Subject(members)
            guard let property = try members.text(Field.property) else {
                throw TransactionError("'\(text)' needs a 'property'.", "$.property")
            }
            self = .edit(Edit(subject, property, try Change(name, members)))
        }
    }
}

extension TransactionOperation.Creation {
    fileprivate init(_ members: TransactionMembers) throws(TransactionError) {
        typealias Field = TransactionOperation.Field
        guard let className = try members.text(Field.class) else { throw .withoutClass }
        self.init(className: className, value: members[Field.value], policy: .error)
        if let text = try members.text(Field.update) {
            guard let given = UpdatePolicy(rawValue: text) else {
                let names = UpdatePolicy.allCases.map(\.rawValue)
                throw TransactionError(
                    "'update' must be \(names.joined(separator: " or ")), not '\(text)'.", "$.update",
                    hint: names.nearest(to: text))
            }
            policy = given
        }
        name = try members.text(Field.name)
    }
}

extension TransactionOperation.Requirement {
    fileprivate init(_ members: TransactionMembers) throws(TransactionError) {
        typealias Field = TransactionOperation.Field
        let exists = try members.flag(Field.exists)
        if members[Field.object] != nil {
            for name in [Field.class, Field.filter, Field.arguments, Field.count] where members[name] != nil {
                throw TransactionError("'require' can have an object or a class, not both.", "$.\(name)")
            }
            self = .object(try TransactionOperation.Subject(members), exists: exists ?? true)
            return
        }
        guard let className = try members.text(Field.class) else { throw .withoutClass }
        let count = try members.position(Field.count)
        self = .objects(
            className: className, filter: try members.text(Field.filter), arguments: members[Field.arguments],
            exists: exists ?? (count == nil ? true : nil), count: count)
    }
}

extension TransactionOperation.Change {
    fileprivate init(
        _ name: TransactionOperation.Name, _ members: TransactionMembers
    ) throws(TransactionError) {
        typealias Field = TransactionOperation.Field
        switch name {
        case .insert:
            let index = try members.requiredPosition(Field.index)
            let behind = members[Field.behind]
            let orAtIndex = try members.flag(Field.orAtIndex)
            guard orAtIndex == nil || behind != nil else {
                throw TransactionError(
                    "'orAtIndex' says what to do if the element in 'behind' was removed. Give 'behind', too.",
                    "$.orAtIndex")
            }
            self = .insert(
                at: index, behind: behind, orAtIndex: orAtIndex ?? false, try members.required(Field.value))
        case .replace:
            self = .replace(
                at: try members.requiredPosition(Field.index), was: members[Field.was],
                try members.required(Field.value))
        case .move:
            self = .move(
                from: try members.requiredPosition(Field.index), to: try members.requiredPosition(Field.to),
                was: members[Field.was])
        case .remove: try self.init(removing: members)
        case .put:
            guard let key = try members.text(Field.mapKey) else {
                throw TransactionError("'put' needs a 'mapKey'.", "$.mapKey")
            }
            self = .put(key: key, try members.required(Field.value))
        case .append: self = .append(try members.required(Field.value))
        case .add: self = .add(try members.required(Field.value))
        default: self = .clear
        }
    }

    private init(removing members: TransactionMembers) throws(TransactionError) {
        typealias Field = TransactionOperation.Field
        let given = [Field.index, Field.mapKey, Field.value].filter { members[$0] != nil }
        guard given.count == 1 else {
            throw TransactionError(
                "'remove' needs the 'index' of a list's element, a 'mapKey', or the 'value' of a set's element.", "$")
        }
        if let index = try members.position(Field.index) {
            self = .removeAt(index, was: members[Field.was])
            return
        }
        guard members[Field.was] == nil else {
            throw TransactionError("'was' identifies an element of a list, together with its 'index'.", "$.was")
        }
        if let key = try members.text(Field.mapKey) {
            self = .removeKey(key)
        } else {
            self = .removeValue(try members.required(Field.value))
        }
    }
}

extension TransactionOperation.Subject {
    fileprivate init(_ members: TransactionMembers) throws(TransactionError) {
        typealias Field = TransactionOperation.Field
        object = try TransactionOperation.Target(try members.required(Field.object))
        path = []
        guard let json = members[Field.path] else { return }
        guard case .array(let parts) = json, !parts.isEmpty else {
            throw TransactionError(
                "'in' is the path to an embedded object, such as [\"address\"], or [\"phones\", 0] in a list.", "$.in")
        }
        for (index, part) in parts.enumerated() {
            path.append(try TransactionOperation.PathPart(part, at: "$.in" + JSONPath.element(index)))
        }
    }
}

extension TransactionOperation.PathPart {
    fileprivate init(_ json: JSONValue, at path: String) throws(TransactionError) {
        typealias Field = TransactionOperation.Field
        switch json {
        case .string(let name): self = .name(name)
        case .int(let index) where index >= 0: self = .position(Int(index), was: nil)
        case .object:
            let members = try TransactionMembers(json, "A position", [Field.index, Field.was], at: path)
            self = .position(try members.requiredPosition(Field.index), was: members[Field.was])
        default:
            throw TransactionError(
                "Give the name of a property, the key of a map, a position in a list, counted from 0, or {\"index\": 0, \"was\": …}.",
                path)
        }
    }
}

extension TransactionOperation.Target {
    fileprivate init(_ json: JSONValue) throws(TransactionError) {
        typealias Field = TransactionOperation.Field
        if case .string(let name)? = json[Field.ref], case .object(let object) = json, object.members.count == 1 {
            self = .made(name)
        } else if let name = CreatedReference.name(in: json) {
            self = .made(name)
        } else if case .object(let object) = json, object.members.count == 2,
            case .string(let name)? = json[Field.class],
            let key = json[Field.key]
        {
            self = .object(className: name, key: key)
        } else {
            throw TransactionError(
                "An object is written as {\"class\": \"Dog\", \"key\": 1}, or as {\"ref\": \"a\"} for one that an earlier operation creates.",
                "$.object")
        }
    }
}

extension TransactionError {
    fileprivate static let withoutClass = TransactionError("Give 'class', the name of the class.", "$.class")
}
