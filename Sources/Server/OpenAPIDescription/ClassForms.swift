import Basics
import JSONCoding
import ObjectModel

/// The JSON Schemas of the objects of each class: for reading, for creating, and for changing them.
struct ClassForms {
    /// The use of an object's schema.
    enum Form: Hashable {
        case read
        /// For POST, and for an object in place of a link: with its primary key.
        case create
        /// For PUT and PATCH, where all properties are optional.
        case change
    }

    private struct Names {
        let read: String
        let create: String
        let change: String
        let link: String
    }

    private let schema: Schema
    private var names: [String: Names] = [:]

    /// Reserves the names of the components.
    init(_ schema: Schema, _ allocator: inout ComponentNames) {
        self.schema = schema
        // Plain names come first, so that a class 'DogInput' always gets its own name.
        let plain = schema.classes.map { allocator.next($0.name) }
        for (objectClass, read) in zip(schema.classes, plain) {
            names[objectClass.name] = Names(
                read: read, create: allocator.next(read + "Input"), change: allocator.next(read + "Properties"),
                link: allocator.next(read + "Link"))
        }
    }

    /// Returns the component that describes an object of the class; nil if the schema does not have the class.
    func reference(_ className: String, _ form: Form) -> Reference? {
        guard let names = names[className] else { return nil }
        switch form {
        case .read: return Reference(.schemas, names.read)
        case .create: return Reference(.schemas, names.create)
        case .change: return Reference(.schemas, names.change)
        }
    }

    /// All components, with their names.
    var components: [(name: String, schema: JSONValue)] {
        schema.classes.flatMap { objectClass -> [(String, JSONValue)] in
            guard let names = names[objectClass.name] else { return [] }
            var components = [
                (names.read, read(objectClass, names)),
                (names.create, written(objectClass, .create, names)),
                (names.change, written(objectClass, .change, names)),
            ]
            if !objectClass.isEmbedded { components.append((names.link, link(objectClass, names))) }
            return components
        }
    }

    // MARK: Objects

    private func read(_ objectClass: ClassSchema, _ names: Names) -> JSONValue {
        var properties: [(String, JSONValue)] = []
        if objectClass.primaryKey == nil {
            properties.append(
                ("$key", TypeForms.int.with("readOnly", true).with("description", "The object key.")))
        }
        for property in objectClass.properties {
            var form = read(property)
            if property.type.isComputed { form = form.with("readOnly", true) }
            properties.append((property.name, form.with("description", words(property))))
        }
        var members: [(String, JSONValue)] = [
            ("type", "object"), ("title", .string(names.read)),
            (
                "description",
                .string(
                    "\(objectClass.name.withCapitalArticle) as it is read. A property is absent when `fields` leaves it out; "
                        + "a link is the object itself where `expand` names it.")
            ),
            ("properties", JSONValue(members: properties)), ("additionalProperties", false),
        ]
        // An embedded object within its owner has no key.
        if objectClass.primaryKey == nil, !objectClass.isEmbedded { members.append(("required", ["$key"])) }
        members.append(("examples", [Samples(schema).object(objectClass, .read)]))
        return JSONValue(members: members)
    }

    private func written(_ objectClass: ClassSchema, _ form: Form, _ names: Names) -> JSONValue {
        let properties = objectClass.storedProperties.map { property -> (String, JSONValue) in
            var json = written(property)
            if let value = property.defaultValue, form == .create {
                json = json.with("default", TypeForms.json(value, property.type))
            }
            return (property.name, json.with("description", words(property)))
        }
        let description =
            form == .create
            ? "\(objectClass.name.withCapitalArticle) to be created. Omitted properties get their defaults."
            : "Properties of \(objectClass.name.withArticle) to be set. The primary key cannot change."
        var members: [(String, JSONValue)] = [
            ("type", "object"), ("title", .string(form == .create ? names.create : names.change)),
            ("description", .string(description)), ("properties", JSONValue(members: properties)),
            ("additionalProperties", false),
        ]
        if form == .create, let key = objectClass.primaryKeyProperty, !key.type.isOptional {
            members.append(("required", [.string(key.name)]))
        }
        members.append(("examples", [Samples(schema).object(objectClass, form)]))
        return JSONValue(members: members)
    }

    /// Describes `{"$link": …}` to an object of the class.
    private func link(_ objectClass: ClassSchema, _ names: Names) -> JSONValue {
        [
            "type": "object", "title": .string(names.link), "required": ["$link"], "additionalProperties": false,
            "properties": [
                "$link": [
                    "type": "object", "required": ["class", "key"], "additionalProperties": false,
                    "properties": [
                        "class": ["type": "string", "const": .string(objectClass.name)],
                        "key": TypeForms.key(of: objectClass),
                    ],
                ]
            ],
        ]
    }

    // MARK: Properties

    private func read(_ property: PropertySchema) -> JSONValue {
        let type = property.type
        switch type.base {
        case .link(let target): return collected(type, linkRead(target, isNullable: type.acceptsNull))
        case .linkingObjects(let origin, _):
            return ["type": "array", "items": linkRead(origin, isNullable: false)]
        case .mixed: return collected(type, TypeForms.mixed(in: type.collection))
        default: return collected(type, TypeForms.union([TypeForms.read(type.base)], isNullable: type.acceptsNull))
        }
    }

    private func written(_ property: PropertySchema) -> JSONValue {
        let type = property.type
        let element: JSONValue
        switch type.base {
        case .link(let target): element = linkWritten(target, isNullable: type.acceptsNull)
        case .mixed: element = TypeForms.mixed(in: type.collection)
        default: element = TypeForms.union(TypeForms.written(type.base), isNullable: type.acceptsNull)
        }
        let form = collected(type, element)
        // Null empties a collection.
        guard type.isCollection, let kind = form["type"] else { return form }
        return form.with("type", [kind, "null"])
    }

    private func collected(_ type: PropertyType, _ element: JSONValue) -> JSONValue {
        switch type.collection {
        case .single: element
        case .list, .set: ["type": "array", "items": element]
        case .map: ["type": "object", "additionalProperties": element]
        }
    }

    private func linkRead(_ target: String, isNullable: Bool) -> JSONValue {
        guard let targetClass = schema[target], let names = names[target] else { return TypeForms.value }
        let object = Reference(.schemas, names.read).json
        // The owner of an embedded object is an object like any other; embedded objects themselves are written inline.
        if targetClass.isEmbedded { return TypeForms.union([object], isNullable: isNullable) }
        return TypeForms.union([key(of: targetClass, names), object], isNullable: isNullable)
    }

    private func linkWritten(_ target: String, isNullable: Bool) -> JSONValue {
        guard let targetClass = schema[target], let names = names[target] else { return TypeForms.value }
        var forms: [JSONValue] = []
        if !targetClass.isEmbedded {
            if targetClass.primaryKey != nil { forms += TypeForms.writtenKey(of: targetClass) }
            forms.append(Reference(.schemas, names.link).json)
        }
        forms.append(Reference(.schemas, names.create).json)
        return TypeForms.union(forms, isNullable: isNullable)
    }

    /// Describes the reference to a linked object.
    private func key(of target: ClassSchema, _ names: Names) -> JSONValue {
        target.primaryKey == nil ? Reference(.schemas, names.link).json : TypeForms.key(of: target)
    }

    // MARK: Descriptions

    private func words(_ property: PropertySchema) -> JSONValue {
        var words: String
        switch property.type.base {
        case .linkingObjects(let origin, let name):
            words = "The objects of \(origin) whose `\(name)` links here. Written when `fields` or `expand` names it."
        case .link(let target):
            let what = schema[target]?.isEmbedded == true ? "embedded object" : "link"
            switch property.type.collection {
            case .single: words = "\(what.capitalizedFirst): \(target)."
            case .list: words = "List of \(what)s: \(target)."
            case .set: words = "Set of \(what)s: \(target)."
            case .map: words = "Map of \(what)s: \(target)."
            }
        default: words = "`\(property.type)`"
        }
        if property.isIndexed { words += " Indexed." }
        if property.isFullTextIndexed { words += " Its words are indexed." }
        return .string(words)
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
