import JSONCoding
import ObjectModel
import WireProtocol

extension SyncQuery {
    init?(_ json: JSONValue) {
        guard let className = json.text("class"), let filter = json.text("filter"),
            let created = json.text("createdAt").flatMap({ Timestamp(rfc3339: $0) }),
            let updated = json.text("updatedAt").flatMap({ Timestamp(rfc3339: $0) })
        else { return nil }
        self.init(
            id: json.int("id") ?? 0, number: json.int("number") ?? 0, name: json.text("name"), className: className,
            filter: filter, createdAt: created, updatedAt: updated)
        switch json.text("state") {
        case "complete": state = .complete
        case "failed": state = .failed(code: json.text("code") ?? "", message: json.text("message") ?? "")
        default: state = .pending
        }
    }

    var kept: JSONValue {
        var object = JSONObject()
        func put(_ name: String, _ value: JSONValue) { object.members.append(.init(name: name, value: value)) }
        put("id", .int(Int64(id)))
        put("number", .int(Int64(number)))
        if let name { put("name", .string(name)) }
        put("class", .string(className))
        put("filter", .string(filter))
        put("createdAt", .string(createdAt.rfc3339))
        put("updatedAt", .string(updatedAt.rfc3339))
        switch state {
        case .pending: put("state", "pending")
        case .complete: put("state", "complete")
        case .failed(let code, let message):
            put("state", "failed")
            put("code", .string(code))
            put("message", .string(message))
        }
        return .object(object)
    }
}

extension Upload {
    init?(_ json: JSONValue, _ number: Int, _ schema: Schema) {
        guard let key = json.text("key") else { return nil }
        self.number = number
        order = json.int("order") ?? number
        idempotencyKey = key
        operations = json.array("operations").compactMap { entry in
            guard let object = SyncObject(kept: entry, in: schema), let json = entry[2],
                let sent = try? TransactionOperation(json)
            else { return nil }
            return Operation(object: object, sent: sent)
        }
        touched = [:]
        for entry in json.array("touched") {
            guard let object = SyncObject(kept: entry, in: schema) else { continue }
            switch entry[2] {
            case .array(let names)?:
                let names = names.compactMap { name in
                    if case .string(let name) = name { name } else { nil as String? }
                }
                touched[object] = .modified(Set(names))
            case .bool(true)?: touched[object] = .created
            default: touched[object] = .deleted
            }
        }
    }

    var kept: JSONValue {
        let touched: [JSONValue] = touched.map { object, touch in
            let what: JSONValue =
                switch touch {
                case .created: true
                case .deleted: false
                case .modified(let names): .array(names.sorted().map { .string($0) })
                }
            return [.string(object.className), object.keyJSON, what]
        }
        let operations: [JSONValue] = operations.map {
            [.string($0.object.className), $0.object.keyJSON, $0.sent.json]
        }
        return [
            "key": .string(idempotencyKey), "order": .int(Int64(order)), "touched": .array(touched),
            "operations": .array(operations),
        ]
    }

    /// Returns the objects that the operations have not changed, or may not have changed, according to the gateway: no
    /// event may come for them. Deleted objects are not included.
    ///
    /// - Parameter results: the results of the operations.
    func unaffected(_ results: [TransactionAnswer.Result], _ schema: Schema) -> [SyncObject] {
        var affected: Set<SyncObject> = []
        for (operation, result) in zip(operations, results) where operation.hasEffect(result, schema) {
            affected.insert(operation.object)
        }
        return touched.filter { $0.value != .deleted && !affected.contains($0.key) }.map(\.key)
    }

    /// The body of the request.
    var body: [UInt8] { TransactionForm.bytes(operations.map(\.sent)) }
}

extension Upload.Operation {
    /// Whether the gateway's result says that the object was changed.
    fileprivate func hasEffect(_ result: TransactionAnswer.Result, _ schema: Schema) -> Bool {
        if let created = result.created { return created }
        guard result.modified > 0 else { return false }
        guard case .set(let subject, .object(let values)) = sent else { return true }
        // Assigning an equal collection has no effect.
        return values.members.contains { member in
            if subject.path.isEmpty, let property = schema[object.className]?[member.name] {
                return !property.type.isCollection || property.ownsTarget
            }
            switch member.value {
            case .array, .object: return false
            default: return true
            }
        }
    }
}

extension SyncObject {
    init?(kept entry: JSONValue, in schema: Schema) {
        guard case .string(let className)? = entry[0], let key = entry[1] else { return nil }
        self.init(className, json: key, in: schema)
    }
}
