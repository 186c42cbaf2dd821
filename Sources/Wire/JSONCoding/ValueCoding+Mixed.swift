import ObjectModel

extension ValueCoding {
    /// Decodes a value whose type no schema gives, as in mixed properties and arguments of queries: plain JSON, arrays
    /// as lists, objects as dictionaries, and typed objects: `{"$date": …}`, `{"$oid": …}`, `{"$uuid": …}`,
    /// `{"$decimal": …}`, `{"$binary": …}`, `{"$float": …}`, `{"$double": …}`, `{"$link": …}`, and those of Extended
    /// JSON (``TypedObject``). `{"$dictionary": {…}}` is the dictionary within, whatever its keys are.
    package static func mixed(_ json: JSONValue, _ path: String = "") throws(ValueError) -> ValueDraft<WrittenLink> {
        switch json {
        case .null: return .value(.null)
        case .bool(let value): return .value(.bool(value))
        case .int(let value): return .value(.int(value))
        case .double(let value), .precise(_, nearest: let value): return .value(.double(value))
        case .string(let value): return .value(.string(value))
        case .array(let elements):
            var list = ListDraft<WrittenLink>(count: elements.count)
            for element in elements { list.add(try mixed(element, path + JSONPath.element(list.count))) }
            return list.draft
        case .long(let elements): return try list(elements, PropertyType(.mixed), path)
        case .object(let object): return try mixed(object, path)
        }
    }

    private static func mixed(_ object: JSONObject, _ path: String) throws(ValueError) -> ValueDraft<WrittenLink> {
        guard object.members.count == 1, let member = object.members.first, member.name.hasPrefix("$") else {
            return try dictionary(object, path)
        }
        let memberPath = path + JSONPath.member(member.name)
        guard let type = TypeName(member.name) else {
            throw ValueError(
                expected: "a typed object such as {\"$date\": …}, or a dictionary whose keys do not start with '$'",
                got: "the key \"\(member.name)\"", path: path)
        }
        if let typed = TypedObject(object) {
            guard let value = typed.value(as: typed.base) else {
                throw ValueError(
                    expected: PropertyType(typed.base).elementInWords, got: member.value.inWords, path: memberPath)
            }
            return .value(value)
        }
        guard case .object(let content) = member.value else {
            throw ValueError(
                expected: type == .link ? LinkForm.inWords : "an object", got: member.value.inWords, path: memberPath)
        }
        guard type == .link else { return try dictionary(content, memberPath) }
        guard let link = LinkForm(content) else {
            throw ValueError(expected: LinkForm.inWords, got: "another object", path: memberPath)
        }
        return .link(.typed(className: link.className, key: link.key, path: path))
    }

    private static func dictionary(_ object: JSONObject, _ path: String) throws(ValueError) -> ValueDraft<WrittenLink> {
        var map = MapDraft<WrittenLink>(count: object.members.count)
        for member in object.members {
            map.add(member.name, try mixed(member.value, path + JSONPath.member(member.name)))
        }
        return map.draft
    }
}

/// The content of `{"$link": {"class": "Dog", "key": 7}}`. The key is the primary key, or the object key where the
/// class has none.
package struct LinkForm: Hashable, Sendable {
    package var className: String
    package var key: JSONValue

    package static let inWords = "a link such as {\"class\": \"Dog\", \"key\": 7}"

    /// Reads the members of the inner object; nil for any others.
    init?(_ content: JSONObject) {
        guard content.members.count == 2, case .string(let name)? = content["class"], let key = content["key"] else {
            return nil
        }
        className = name
        self.key = key
    }

    /// Reads the whole object; nil for anything else.
    package init?(_ json: JSONValue) {
        guard case .object(let object) = json, object.members.count == 1,
            case .object(let content)? = object[TypeName.link.rawValue]
        else { return nil }
        self.init(content)
    }
}
