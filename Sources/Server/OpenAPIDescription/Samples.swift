import JSONCoding
import ObjectModel

/// Creates examples from a schema.
struct Samples {
    private let schema: Schema

    init(_ schema: Schema) { self.schema = schema }

    /// Returns an object with a value for each property; links are null, lists of them empty.
    func object(_ objectClass: ClassSchema, _ form: ClassForms.Form, depth: Int = 0) -> JSONValue {
        var members: [(String, JSONValue)] = []
        if form == .read, objectClass.primaryKey == nil, depth == 0 { members.append(("$key", 1)) }
        for property in objectClass.properties {
            if property.type.isComputed { continue }
            if form == .change, property.name == objectClass.primaryKey { continue }
            members.append((property.name, value(property, form, depth)))
        }
        return JSONValue(members: members)
    }

    private func value(_ property: PropertySchema, _ form: ClassForms.Form, _ depth: Int) -> JSONValue {
        if let value = property.defaultValue { return TypeForms.json(value, property.type) }
        let element: JSONValue
        if case .link(let target) = property.type.base {
            // An embedded object is inline; schemas have no cycles of embedded classes.
            guard let targetClass = schema[target], targetClass.isEmbedded, depth < 8 else {
                return empty(property.type)
            }
            element = object(targetClass, form == .read ? .read : .create, depth: depth + 1)
        } else {
            element = Self.scalar(property.type.base, property.name)
        }
        switch property.type.collection {
        case .single: return element
        case .list, .set: return [element]
        case .map: return ["a": element]
        }
    }

    private func empty(_ type: PropertyType) -> JSONValue {
        switch type.collection {
        case .single: .null
        case .list, .set: []
        case .map: [:]
        }
    }

    private static func scalar(_ base: BaseType, _ name: String) -> JSONValue {
        switch base {
        case .bool: true
        case .int: 7
        case .float, .double: 2.5
        case .string: .string(name)
        case .data: "SGVsbG8="
        case .date: "2026-01-31T12:00:00Z"
        case .decimal128: "1.10"
        case .objectId: "65b9f0c2a1d3e4f5061728aa"
        case .uuid: "123e4567-e89b-12d3-a456-426614174000"
        case .mixed: .string(name)
        case .link, .linkingObjects: .null
        }
    }

    /// Returns the key of an object as it occurs in a path.
    func key(_ objectClass: ClassSchema) -> JSONValue {
        guard let key = objectClass.primaryKeyProperty else { return 1 }
        return key.defaultValue.map { TypeForms.json($0, key.type) } ?? Self.scalar(key.type.base, key.name)
    }

    func keyText(_ objectClass: ClassSchema) -> String {
        switch key(objectClass) {
        case .string(let text): text
        case .int(let number): String(number)
        default: "1"
        }
    }

    // MARK: Queries

    /// The parameters that name properties.
    static let parameters: Set<String> = [
        "key", "sort", "distinct", "keyPaths", "keyPath", "by", "fields", "expand", "min", "max", "sum", "average",
        "property",
    ]

    /// Returns example predicates for a class, with descriptions.
    func filters(_ objectClass: ClassSchema) -> [(name: String, summary: String, text: String)] {
        var filters: [(String, String, String)] = []
        if let number = first(objectClass, { $0.isNumeric && $0.collection == .single }) {
            filters.append(("compare", "Comparison", "\(number) > 5"))
        }
        if let text = first(objectClass, { $0.base == .string && $0.collection == .single }) {
            filters.append(("text", "Text, any case", "\(text) BEGINSWITH[c] 'a'"))
        }
        if let flag = first(objectClass, { $0.base == .bool && $0.collection == .single }) {
            filters.append(("flag", "Flag", "\(flag) == true"))
        }
        if let link = first(objectClass, \.isToOneLink) { filters.append(("link", "Link", "\(link) != NULL")) }
        if let list = first(objectClass, { $0.isCollection || $0.isComputed }) {
            filters.append(("count", "Collection", "\(list).@count > 0"))
        }
        return filters.isEmpty ? [("all", "Everything", "TRUEPREDICATE")] : filters
    }

    /// Returns examples of a query parameter by its name; nil if the class has none.
    func parameter(_ name: String, _ objectClass: ClassSchema) -> JSONValue? {
        let single = objectClass.storedProperties.filter { $0.type.collection == .single }
        let sortable = single.filter { $0.type.isSortable }
        let numbers = single.filter { $0.type.isNumeric }.map(\.name)
        switch name {
        case "sort": return sortable.last.map { .string("-" + $0.name) }
        case "key", "distinct", "keyPaths", "keyPath": return sortable.last.map { .string($0.name) }
        case "by": return sortable.last.map { .string($0.name) }
        case "fields": return single.first.map { .string($0.name) }
        case "expand":
            return objectClass.properties.first { $0.targetClass != nil && !$0.ownsTarget }.map { .string($0.name) }
        case "min", "max", "sum", "average": return numbers.first.map { [.string($0)] }
        case "property":
            return objectClass.properties.first { $0.type.isCollection || $0.type.isComputed }.map { .string($0.name) }
        default: return nil
        }
    }

    private func first(_ objectClass: ClassSchema, _ condition: (PropertyType) -> Bool) -> String? {
        objectClass.properties.first { condition($0.type) && $0.name != objectClass.primaryKey }?.name
    }
}

extension PropertyType {
    fileprivate var isNumeric: Bool { base.isNumeric }

    fileprivate var isSortable: Bool {
        switch base {
        case .link, .linkingObjects, .mixed, .data: false
        default: collection == .single
        }
    }
}
