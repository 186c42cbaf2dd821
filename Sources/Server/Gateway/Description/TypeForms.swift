import JSONCoding
import ObjectModel

/// JSON Schemas of single values, as the wire has them.
enum TypeForms {
    static let int: JSONValue = [
        "type": "integer", "format": "int64", "minimum": .int(.min), "maximum": .int(.max),
    ]
    /// What a mixed property holds.
    static func mixed(in collection: CollectionKind) -> JSONValue { collection == .set ? simple : value }

    static let value = Reference(.schemas, "Value").json
    /// Without lists and dictionaries, which sets do not hold.
    private static let simple = Reference(.schemas, "SimpleValue").json

    private static let base64 =
        "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$"
    private static let decimal =
        "^(?:[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]{1,4})?|[+-]?(?:[nN][aA][nN]|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?))$"

    /// As `types=plain` writes it. Not for links and mixed values.
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

    /// All forms in which a value is taken.
    static func written(_ base: BaseType) -> [JSONValue] {
        let plain = read(base)
        guard let typed = typed[base] else { return [plain] }
        let reference = Reference(.schemas, typed).json
        return base == .decimal128 ? [plain, ["type": "number"], reference] : [plain, reference]
    }

    /// The components with the typed objects.
    private static let typed: [BaseType: String] = [
        .date: "TypedDate", .objectId: "TypedObjectId", .uuid: "TypedUUID", .decimal128: "TypedDecimal",
        .data: "TypedBinary",
    ]

    /// Numbers. What JSON numbers cannot say has names, which stand beside the type: as an alternative to it they would
    /// make a class of its own of each number in generated clients.
    private static func number(_ format: String) -> JSONValue {
        var number: JSONValue = ["type": "number", "format": .string(format)]
        if format == "float" {
            number = number.with("minimum", .double(-3.4028235677973362e38)).with(
                "maximum", .double(3.4028235677973362e38))
        }
        return number.with("x-nonFinite", ["NaN", "Infinity", "-Infinity"])
    }

    /// The primary key of a class as it is read, or its object key.
    static func key(of objectClass: ClassSchema) -> JSONValue {
        guard let key = objectClass.primaryKeyProperty else { return int }
        return union([read(key.type.base)], isNullable: key.type.isOptional)
    }

    /// The key in a path, which has no empty parts.
    static func pathKey(of objectClass: ClassSchema) -> JSONValue {
        let form = queryKey(of: objectClass)
        return objectClass.primaryKeyProperty?.type.base == .string ? form.with("minLength", 1) : form
    }

    /// The key as text. A primary key that may be null is written as `null` there.
    static func queryKey(of objectClass: ClassSchema) -> JSONValue {
        guard let key = objectClass.primaryKeyProperty else { return int }
        let form = read(key.type.base)
        if key.type.base == .string { return form }
        return key.type.isOptional ? ["anyOf": [form, ["type": "string", "const": "null"]]] : form
    }

    /// The primary key of a class where it stands for a link: null would be no link.
    static func writtenKey(of objectClass: ClassSchema) -> [JSONValue] {
        objectClass.primaryKeyProperty.map { written($0.type.base) } ?? [int]
    }

    /// One of several forms, which are simplified: types that differ in null alone become an array of types.
    static func union(_ forms: [JSONValue], isNullable: Bool) -> JSONValue {
        guard isNullable else { return forms.count == 1 ? forms[0] : ["anyOf": .array(forms)] }
        if forms.count == 1, let type = forms[0]["type"], forms[0]["enum"] == nil {
            return forms[0].with("type", [type, "null"])
        }
        let alternatives = forms.count == 1 ? forms[0]["anyOf"]?.elements ?? forms : forms
        return ["anyOf": .array(alternatives + [["type": "null"]])]
    }

    /// A stored value as it is written, without links.
    static func json(_ value: Value, _ type: PropertyType) -> JSONValue {
        let writer = JSONWriter(capacity: 64)
        writer.value(value, isMixed: type.isMixed)
        // What a writer writes can be read.
        return (try? JSONValue.parse(writer.bytes)) ?? .null
    }
}
