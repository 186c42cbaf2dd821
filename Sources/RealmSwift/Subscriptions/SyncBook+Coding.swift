import JSONCoding
import ObjectModel

extension JSONValue {
    /// The elements of an array; none of anything else.
    var elements: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    func array(_ name: String) -> [JSONValue] { self[name]?.elements ?? [] }

    func int(_ name: String) -> Int {
        if case .int(let number)? = self[name] { return Int(number) }
        return 0
    }

    func text(_ name: String) -> String? {
        if case .string(let text)? = self[name] { return text }
        return nil
    }

    /// The text as it is sent.
    var bytes: [UInt8] {
        let json = JSONWriter(capacity: 256)
        json.value(self)
        return json.bytes
    }
}

extension SyncQuery {
    init?(_ json: JSONValue) {
        guard let className = json.text("class"), let filter = json.text("filter"),
            let created = json.text("createdAt").flatMap({ Timestamp(rfc3339: $0) }),
            let updated = json.text("updatedAt").flatMap({ Timestamp(rfc3339: $0) })
        else { return nil }
        self.init(
            id: json.int("id"), number: json.int("number"), name: json.text("name"), className: className,
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
    init?(_ json: JSONValue, _ number: Int, _ schema: StoredSchema) {
        guard let key = json.text("key") else { return nil }
        self.number = number
        idempotencyKey = key
        operations = json.array("operations").compactMap { entry in
            guard let object = SyncObject(kept: entry, in: schema), let json = entry[2] else { return nil }
            return Operation(object: object, json: json)
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
            [.string($0.object.className), $0.object.keyJSON, $0.json]
        }
        return ["key": .string(idempotencyKey), "touched": .array(touched), "operations": .array(operations)]
    }

    /// What is sent.
    var body: [UInt8] {
        let body: JSONValue = ["operations": .array(operations.map(\.json))]
        return body.bytes
    }
}

extension SyncObject {
    fileprivate init?(kept entry: JSONValue, in schema: StoredSchema) {
        guard case .string(let className)? = entry[0], let key = entry[1] else { return nil }
        self.init(className, json: key, in: schema)
    }
}
