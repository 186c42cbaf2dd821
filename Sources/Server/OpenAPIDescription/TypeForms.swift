import JSONCoding
import ObjectModel

/// The JSON Schemas of single values in requests and responses.
enum TypeForms {
    static let int: JSONValue = [
        "type": "integer", "format": "int64", "minimum": .int(.min), "maximum": .int(.max),
    ]
    /// Describes the content of a mixed property.
    static func mixed(in collection: CollectionKind) -> JSONValue { collection == .set ? simple : value }

    static let value = Reference(.schemas, "Value").json
    /// Without lists and dictionaries, which sets cannot contain.
    private static let simple = Reference(.schemas, "SimpleValue").json

    private static let base64 =
        "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$"
    private static let decimal =
        "^(?:[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]{1,4})?|[+-]?(?:[nN][aA][nN]|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?))$"

    /// Describes values as `types=plain` writes them, except links and mixed values.
    static func read(_ base: BaseType) -> JSONValue {
        switch base {
        case .bool: ["type": "boolean"]
        case .int: int
        case .float: number("float")
        case .double: number("double")
        case .string: ["type": "string"]
        case .data: ["type": "string", "contentEncoding": "base64", "pattern": .string(base64)]
        case .date: ["type": "string", "format": "date-time"]
        case .decimal128: ["type": "string", "format": "decimal128", "pattern": .string(decimal)]
        case .objectId: ["type": "string", "pattern": "^[0-9a-fA-F]{24}$"]
        case .uuid: ["type": "string", "format": "uuid"]
        case .mixed, .link, .linkingObjects: value
        }
    }

    /// Returns all accepted forms of a value.
    static func written(_ base: BaseType) -> [JSONValue] {
        let plain = read(base)
        guard let typed = typed[base] else { return [plain] }
        let reference = Reference(.schemas, typed).json
        return base == .decimal128 ? [plain, ["type": "number"], reference] : [plain, reference]
    }

    /// The components of the typed forms.
    private static let typed: [BaseType: String] = [
        .date: "TypedDate", .objectId: "TypedObjectId", .uuid: "TypedUUID", .decimal128: "TypedDecimal",
        .data: "TypedBinary",
    ]

    /// Describes numbers. Values that JSON numbers cannot represent have names, which are listed next to the type: as
    /// an alternative to it, generated clients would create a class for each number.
    private static func number(_ format: String) -> JSONValue {
        var number: JSONValue = ["type": "number", "format": .string(format)]
        if format == "float" {
            number = number.with("minimum", .double(-3.4028235677973362e38)).with(
                "maximum", .double(3.4028235677973362e38))
        }
        return number.with("x-nonFinite", ["NaN", "Infinity", "-Infinity"])
    }

    /// Describes the primary key of a class as it is read, or its object key.
    static func key(of objectClass: ClassSchema) -> JSONValue {
        guard let key = objectClass.primaryKeyProperty else { return int }
        return union([read(key.type.base)], isNullable: key.type.isOptional)
    }

    /// Describes the key in a path, which has no empty segments.
    static func pathKey(of objectClass: ClassSchema) -> JSONValue {
        let form = queryKey(of: objectClass)
        return objectClass.primaryKeyProperty?.type.base == .string ? form.with("minLength", 1) : form
    }

    /// Describes the key as text. A null primary key is written as `null` there.
    static func queryKey(of objectClass: ClassSchema) -> JSONValue {
        guard let key = objectClass.primaryKeyProperty else { return int }
        let form = read(key.type.base)
        if key.type.base == .string { return form }
        return key.type.isOptional ? ["anyOf": [form, ["type": "string", "const": "null"]]] : form
    }

    /// Describes the primary key of a class in place of a link: null would mean no link.
    static func writtenKey(of objectClass: ClassSchema) -> [JSONValue] {
        objectClass.primaryKeyProperty.map { written($0.type.base) } ?? [int]
    }

    /// Returns a union of forms, simplified: types that differ only in null become an array of types.
    static func union(_ forms: [JSONValue], isNullable: Bool) -> JSONValue {
        guard isNullable else { return forms.count == 1 ? forms[0] : ["anyOf": .array(forms)] }
        if forms.count == 1, let type = forms[0]["type"], forms[0]["enum"] == nil {
            return forms[0].with("type", [type, "null"])
        }
        let alternatives = forms.count == 1 ? forms[0]["anyOf"]?.elements ?? forms : forms
        return ["anyOf": .array(alternatives + [["type": "null"]])]
    }

    /// Returns a stored value in the form in which it is written, without links.
    static func json(_ value: Value, _ type: PropertyType) -> JSONValue {
        let writer = JSONWriter(capacity: 64)
        writer.value(value, isMixed: type.isMixed)
        // The writer's output is always valid JSON.
        return (try? JSONValue.parse(writer.bytes)) ?? .null
    }
}
