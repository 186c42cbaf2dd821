package import JSONCoding
import StoreContract

extension TransactionOperation {
    /// The JSON that a follower sends and stores.
    package var json: JSONValue {
        var json = JSONObject()
        func put(_ name: String, _ value: JSONValue?) {
            if let value { json.members.append(.init(name: name, value: value)) }
        }
        func put(_ subject: Subject) {
            put(Field.object, subject.object.json)
            if !subject.path.isEmpty { put(Field.path, .array(subject.path.map(\.json))) }
        }
        put(Field.op, .string(name.rawValue))
        switch self {
        case .create(let creation):
            put(Field.class, .string(creation.className))
            put(Field.value, creation.value)
            if creation.policy != .error { put(Field.update, .string(creation.policy.rawValue)) }
            put(Field.name, creation.name.map { .string($0) })
        case .set(let subject, let value):
            put(subject)
            put(Field.value, value)
        case .delete(let target): put(Field.object, target.json)
        case .edit(let edit):
            put(edit.subject)
            put(Field.property, .string(edit.property))
            edit.change.write { put($0, $1) }
        case .require(.object(let subject, let exists)):
            put(subject)
            put(Field.exists, .bool(exists))
        case .require(.objects(let className, let filter, let arguments, let exists, let count)):
            put(Field.class, .string(className))
            put(Field.filter, filter.map { .string($0) })
            put(Field.arguments, arguments)
            put(Field.exists, exists.map { .bool($0) })
            put(Field.count, count.map { .int(Int64($0)) })
        }
        return .object(json)
    }
}

extension TransactionOperation.Change {
    fileprivate func write(_ put: (String, JSONValue?) -> Void) {
        typealias Field = TransactionOperation.Field
        switch self {
        case .insert(let index, let behind, let orAtIndex, let value):
            put(Field.index, .int(Int64(index)))
            put(Field.behind, behind)
            if orAtIndex { put(Field.orAtIndex, true) }
            put(Field.value, value)
        case .replace(let index, let was, let value):
            put(Field.index, .int(Int64(index)))
            put(Field.was, was)
            put(Field.value, value)
        case .move(let index, let target, let was):
            put(Field.index, .int(Int64(index)))
            put(Field.was, was)
            put(Field.to, .int(Int64(target)))
        case .removeAt(let index, let was):
            put(Field.index, .int(Int64(index)))
            put(Field.was, was)
        case .removeKey(let key): put(Field.mapKey, .string(key))
        case .put(let key, let value):
            put(Field.mapKey, .string(key))
            put(Field.value, value)
        case .removeValue(let value), .append(let value), .add(let value): put(Field.value, value)
        case .clear: break
        }
    }
}

extension TransactionOperation.Target {
    package var json: JSONValue {
        typealias Field = TransactionOperation.Field
        return switch self {
        case .object(let className, let key): [Field.class: .string(className), Field.key: key]
        case .made(let name): [Field.ref: .string(name)]
        }
    }
}

extension TransactionOperation.PathPart {
    fileprivate var json: JSONValue {
        typealias Field = TransactionOperation.Field
        return switch self {
        case .name(let name): .string(name)
        case .position(let index, nil): .int(Int64(index))
        case .position(let index, let was?): [Field.index: .int(Int64(index)), Field.was: was]
        }
    }
}
