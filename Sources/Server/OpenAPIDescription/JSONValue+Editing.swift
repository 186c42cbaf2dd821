import JSONCoding

extension JSONObject {
    /// Sets a member, at its present position or else at the end. Nil removes it.
    mutating func set(_ name: String, _ value: JSONValue?) {
        let index = members.firstIndex { $0.name == name }
        switch (index, value) {
        case (let index?, let value?): members[index].value = value
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append(Member(name: name, value: value))
        case (nil, nil): break
        }
    }
}

extension JSONValue {
    /// The members of an object in order; empty for other values.
    var members: [JSONObject.Member] {
        if case .object(let object) = self { return object.members }
        return []
    }

    /// The elements of an array; empty for other values.
    var elements: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    /// The content of a string; nil for other values.
    var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// Returns an object with a member set, or removed by nil; returns other values unchanged.
    func with(_ name: String, _ value: JSONValue?) -> JSONValue {
        guard case .object(var object) = self else { return self }
        object.set(name, value)
        return .object(object)
    }

    /// Creates an object with these members.
    init(members: [(String, JSONValue)]) {
        self = .object(JSONObject(members.map { JSONObject.Member(name: $0.0, value: $0.1) }))
    }

    /// Creates an array of strings.
    init(names: [String]) { self = .array(names.map { .string($0) }) }
}
