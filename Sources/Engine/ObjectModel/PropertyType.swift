/// The type of one value of a property.
package enum BaseType: Hashable, Sendable {
    case bool
    case int
    case float
    case double
    case string
    case data
    case date
    case decimal128
    case objectId
    case uuid
    case mixed
    /// A link to an object of the named class.
    case link(String)
    /// The objects of `fromClass` whose `property` links here. Computed, never stored.
    case linkingObjects(fromClass: String, property: String)

    /// As written in a schema: `int`, `Dog`, `linkingObjects(Person.dogs)`.
    package var name: String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .double: "double"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .decimal128: "decimal128"
        case .objectId: "objectId"
        case .uuid: "uuid"
        case .mixed: "mixed"
        case .link(let target): target
        case .linkingObjects(let fromClass, let property): "linkingObjects(\(fromClass).\(property))"
        }
    }

    /// Whether `sum` and `average` are defined.
    package var isNumeric: Bool {
        switch self {
        case .int, .float, .double, .decimal128: true
        default: false
        }
    }

    /// Whether a schema uses that name for a base type, so that no class can have it.
    static func isScalarName(_ name: String) -> Bool { scalars[name] != nil }

    /// The names of the types that are not classes.
    package static var names: [String] { scalars.keys.sorted() }

    fileprivate static let scalars: [String: BaseType] = [
        "bool": .bool, "int": .int, "float": .float, "double": .double, "string": .string, "data": .data,
        "date": .date, "decimal128": .decimal128, "objectId": .objectId, "uuid": .uuid, "mixed": .mixed,
    ]
}

/// How many values a property holds.
package enum CollectionKind: String, Hashable, Sendable {
    case single = ""
    case list = "[]"
    case set = "<>"
    case map = "{}"
}

/// The type of a property, as written in a schema: a base type, `?` when it may be null, then `[]`, `<>` or `{}`.
package struct PropertyType: Hashable, Sendable, CustomStringConvertible {
    package var base: BaseType
    package var isOptional: Bool
    package var collection: CollectionKind

    package init(_ base: BaseType, isOptional: Bool = false, collection: CollectionKind = .single) {
        self.base = base
        self.isOptional = isOptional
        self.collection = collection
    }

    /// Parses the schema's text form, such as `int`, `double?{}`, `Dog?`, `linkingObjects(Person.dogs)`. A text
    /// that can name a class and is no base type names one. Returns nil when the text has no such form.
    package init?(text: String) {
        var rest = Substring(text)
        var collection = CollectionKind.single
        for kind in [CollectionKind.list, .set, .map] where rest.hasSuffix(kind.rawValue) {
            collection = kind
            rest = rest.dropLast(2)
            break
        }
        var isOptional = false
        if rest.hasSuffix("?") {
            isOptional = true
            rest = rest.dropLast()
        }
        let base: BaseType
        if rest.hasPrefix("linkingObjects("), rest.hasSuffix(")") {
            let parts = rest.dropFirst("linkingObjects(".count).dropLast().split(
                separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, !isOptional, collection == .single else {
                return nil
            }
            base = .linkingObjects(fromClass: String(parts[0]), property: String(parts[1]))
        } else if let scalar = BaseType.scalars[String(rest)] {
            base = scalar
        } else {
            guard Self.isClassName(rest) else { return nil }
            base = .link(String(rest))
        }
        self.init(base, isOptional: isOptional, collection: collection)
    }

    /// Whether the text can name a class: words as in `isName`, with one space between two of them. Words after the
    /// first may begin with a digit.
    package static func isClassName(_ text: some StringProtocol) -> Bool {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        return words.allSatisfy { !$0.isEmpty } && isName(words.joined())
    }

    /// Whether the text is an identifier: a letter, underscore or non-ASCII character, then also digits.
    package static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        func letter(_ scalar: Unicode.Scalar) -> Bool {
            scalar == "_" || scalar.value >= 0x80 || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
        }
        return letter(first) && text.unicodeScalars.allSatisfy { letter($0) || ("0"..."9").contains($0) }
    }

    package var description: String { base.name + (isOptional ? "?" : "") + collection.rawValue }

    /// Whether the property is computed from links of others and has no column.
    package var isComputed: Bool {
        if case .linkingObjects = base { return true }
        return false
    }

    /// Whether the property's values are objects of a class that the schema names, singly or in a collection.
    package var isLink: Bool {
        if case .link = base { return true }
        return false
    }

    /// Whether values can hold links to objects of any class.
    package var isMixed: Bool { base == .mixed }

    package var isCollection: Bool { collection != .single }

    /// The type of one element of a collection.
    package var element: PropertyType { PropertyType(base, isOptional: isOptional) }

    /// Whether one value, or one element, may be null. Mixed values always may, links in lists and sets never.
    package var acceptsNull: Bool {
        switch base {
        case .mixed: true
        case .link where collection == .list || collection == .set: false
        default: isOptional
        }
    }

    /// Whether the property is a single link to another object.
    package var isToOneLink: Bool {
        if case .link = base { return collection == .single }
        return false
    }
}
