package import JSONCoding

/// A reference to an object that an earlier operation created, in place of a link. No other value or object has its
/// form.
package enum CreatedReference {
    package static let name = "$ref"

    /// Returns the name in `{"$ref": "a"}`; nil for any other value.
    package static func name(in json: JSONValue) -> String? {
        guard case .object(let object) = json, object.members.count == 1, case .string(let name)? = object[name] else {
            return nil
        }
        return name
    }

    /// Returns all names that the value refers to, with their locations.
    package static func names(in json: JSONValue, at path: String = "$") -> [(name: String, path: String)] {
        if let name = name(in: json) { return [(name, path)] }
        switch json {
        case .array(let elements):
            return elements.enumerated().flatMap { names(in: $1, at: path + JSONPath.element($0)) }
        case .object(let object):
            return object.members.flatMap { names(in: $0.value, at: path + JSONPath.member($0.name)) }
        default: return []
        }
    }

    /// Returns the value with each reference replaced.
    package static func resolved(
        _ json: JSONValue, by link: (String) throws -> JSONValue
    ) rethrows -> JSONValue {
        if let name = name(in: json) { return try link(name) }
        switch json {
        case .array(let elements): return .array(try elements.map { try resolved($0, by: link) })
        case .object(var object):
            for index in object.members.indices {
                object.members[index].value = try resolved(object.members[index].value, by: link)
            }
            return .object(object)
        default: return json
        }
    }
}
