import QuerySyntax
import ObjectModel

/// Resolves a key path against the schema, component by component.
struct PathWalk {
    /// The target of the components so far.
    enum Destination {
        case object(ClassSchema)
        /// A list, set or map of links whose elements have not been selected yet.
        case links(PropertySchema, target: ClassSchema)
        /// A list, set or map of values whose elements have not been selected yet.
        case values(PropertySchema)
        /// All elements of one, by `[*]` or `@values`.
        case allValues(PropertySchema)
        case value(BaseType)
        /// A mixed value, or a part of one.
        case mixed
        case keys
        case size
        case typeName
    }

    let binding: Binding
    let path: ParsedPath
    var index = 0
    var destination: Destination
    var links: [LinkStep] = []
    var end: PathEnd?
    var steps: [ValueStep] = []
    var property: (schema: PropertySchema, owner: ClassSchema)?
    /// Set by the components that end a path.
    var meaning: ResolvedPath.Meaning?
    var type: OperandType?

    init(_ path: ParsedPath, _ binding: Binding) {
        self.path = path
        self.binding = binding
        destination = .object(binding.root)
    }

    var source: SourceText { binding.source }
    var text: String { source.shown(binding.wholeRange(path)) }
    var range: SourceRange { path.ranges.value[min(index, path.ranges.value.count - 1)] }
    var isLast: Bool { index == path.components.count - 1 }

    /// The last property of the path, as `Person.dogs`.
    var propertyName: String {
        binding.element?.objectClass.name ?? property.map { "\($0.owner.name).\($0.schema.name)" } ?? binding.root.name
    }

    mutating func resolve() throws(QueryError) -> ResolvedPath {
        try skipVariable()
        while index < path.components.count {
            guard meaning == nil else { throw nothingFollows() }
            switch path.components[index] {
            case .name(let name): try follow(name)
            case .atName(let name):
                guard let operation = PathOperation(name) else {
                    throw source.error(.syntax, "There is no operation '@\(name)' on key paths.", range)
                }
                try apply(operation)
            case .index(let selector): try select(try binding.selector(selector, range))
            case .argument:
                throw source.error(.syntax, "Key path argument cannot be mixed with other elements.", range)
            }
            index += 1
        }
        if let meaning, let type {
            return ResolvedPath(meaning: meaning, type: type, text: text, property: property)
        }
        return finished()
    }

    /// A path that begins with a subquery's variable begins at its element, as does one without it.
    private mutating func skipVariable() throws(QueryError) {
        guard case .name(let name) = path.components.first, let variable = binding.variables.last else { return }
        if name == variable.name {
            index = 1
        } else if binding.variables.contains(where: { $0.name == name }), binding.root[name] == nil {
            throw source.error(
                .invalid,
                "The variable '\(name)' belongs to an outer subquery; here paths begin at '\(variable.name)'.", range,
                hint: variable.name)
        }
    }

    private mutating func finished() -> ResolvedPath {
        var isValueCollection = false
        let type: OperandType
        switch destination {
        case .links(let property, let target):
            followElements(.all, of: property, target)
            type = .object(target)
        case .object(let objectClass): type = .object(objectClass)
        case .values(let property), .allValues(let property):
            steps.append(.elements(.all))
            isValueCollection = true
            type = .scalar(property.type.base)
        case .value(let base): type = .scalar(base)
        case .mixed: type = .scalar(.mixed)
        case .keys: type = .scalar(.string)
        case .size: type = .scalar(.int)
        case .typeName: type = .typeName
        }
        let bound: BoundPath
        if case .object(let objectClass) = destination {
            bound = BoundPath(links: links, end: .object(objectClass.id))
        } else {
            bound = BoundPath(links: links, end: end ?? .object(binding.root.id), steps: steps)
        }
        return ResolvedPath(
            meaning: .path(bound), type: type, text: text, property: property, isValueCollection: isValueCollection)
    }

    /// Continues at the objects that a list, set or map of links leads to.
    mutating func followElements(_ selector: ElementSelector, of property: PropertySchema, _ target: ClassSchema) {
        links.append(.elements(property.id, target: target.id, selector))
        destination = .object(target)
    }

    // MARK: Names

    private mutating func follow(_ name: String) throws(QueryError) {
        switch destination {
        case .object(let objectClass): try follow(name, in: objectClass)
        case .links(let property, let target):
            // A property of the linked class has precedence over a key of the same name.
            if target[name] != nil || property.type.collection != .map {
                followElements(.all, of: property, target)
                try follow(name, in: target)
            } else {
                followElements(.key(name), of: property, target)
            }
        case .values(let property), .allValues(let property):
            if property.type.collection == .map, case .values = destination {
                try choose(.key(name), of: property)
            } else if name.lowercased() == "length", property.type.collection != .map, property.type.base.hasBytes {
                steps += [.elements(.all), .length]
                destination = .size
            } else {
                throw noProperty(name)
            }
        case .value(let base):
            guard name.lowercased() == "length", !steps.isEmpty || binding.element != nil, base.hasBytes else {
                throw noProperty(name)
            }
            steps.append(.length)
            destination = .size
        case .mixed: steps.append(.elements(.key(name)))
        case .keys, .size, .typeName: throw nothingFollows()
        }
    }

    private func noProperty(_ name: String) -> QueryError {
        switch binding.clause {
        case .sort?, .distinct?: source.error(.invalid, "All but last property must be a link", range)
        case .some:
            source.error(
                .invalid,
                "property '\(propertyName)' of type '\(property?.schema.type.base.name ?? "")' may only be the final property in the key path.",
                range)
        case nil where binding.dialect == .format:
            source.error(
                .invalid,
                "Property '\(property?.schema.name ?? propertyName)' is not a link in object of type '\(propertyName.prefix { $0 != "." })'",
                range)
        case nil: source.error(.invalid, "Property '\(propertyName)' has no property '\(name.clipped)'", range)
        }
    }

    func nothingFollows() -> QueryError {
        source.error(.invalid, "The key path '\(text)' cannot continue with '\(source.shown(range))'.", range)
    }

    private mutating func follow(_ name: String, in objectClass: ClassSchema) throws(QueryError) {
        if let element = binding.element { return try enter(element.property(named: name), of: element) }
        guard let property = objectClass[name] else { throw binding.unknownProperty(name, in: objectClass, range) }
        self.property = (property, objectClass)
        switch property.type.base {
        case .link:
            guard let id = property.targetClass, let target = binding.schema[id] else {
                throw binding.unknownProperty(name, in: objectClass, range)
            }
            guard !property.type.isCollection else {
                destination = .links(property, target: target)
                return
            }
            links.append(.forward(property.id, target: id))
            destination = .object(target)
        case .linkingObjects:
            guard let id = property.targetClass, let link = property.originProperty, let origin = binding.schema[id]
            else { throw binding.unknownProperty(name, in: objectClass, range) }
            links.append(.backward(origin: id, property: link))
            destination = .object(origin)
        default:
            end = .property(property.id, property.type)
            destination =
                property.type.isCollection
                ? .values(property) : property.type.isMixed ? .mixed : .value(property.type.base)
        }
    }

    /// Begins at an element of a collection of values.
    ///
    /// - Parameter property: nil for a name that refers to nothing.
    mutating func enter(_ property: PropertySchema?, of element: ElementClass) throws(QueryError) {
        guard let property else {
            throw source.error(.invalid, element.refusal(of: source.shown(range)), range, hint: "SELF")
        }
        self.property = (property, element.objectClass)
        end = .property(property.id, property.type)
        destination = property.type.isMixed ? .mixed : .value(property.type.base)
    }

    // MARK: Indexes and keys

    private mutating func select(_ selector: PathSelector) throws(QueryError) {
        if case .size = selector { return try count() }
        switch destination {
        case .links(let property, let target):
            guard let selector = selector.elements(of: property.type.collection) else { throw badIndex() }
            followElements(selector, of: property, target)
        case .values(let property):
            guard let selector = selector.elements(of: property.type.collection) else { throw badIndex() }
            try choose(selector, of: property)
        case .mixed:
            switch selector {
            case .position(let position): steps.append(.elements(.position(position)))
            case .last: steps.append(.elements(.last))
            case .all: steps.append(.elements(.all))
            case .key(let key): steps.append(.elements(.key(key)))
            case .size: break
            }
        case .object:
            if case .elements? = links.last { throw nothingNested() }
            throw badIndex()
        case .allValues: throw nothingNested()
        case .value: throw steps.isEmpty ? badIndex() : nothingNested()
        case .keys, .size, .typeName: throw nothingFollows()
        }
    }

    /// Selects elements of a collection of values.
    mutating func choose(_ selector: ElementSelector, of property: PropertySchema) throws(QueryError) {
        if property.type.isMixed {
            steps.append(.elements(selector))
            destination = .mixed
        } else if selector == .all {
            destination = .allValues(property)
        } else {
            steps.append(.elements(selector))
            destination = .value(property.type.base)
        }
    }

    private func badIndex() -> QueryError {
        source.error(.invalid, "Property '\(propertyName)' does not support index \(indexText)", range)
    }

    private var indexText: String {
        var inner = source.shown(range)
        if inner.hasPrefix("["), inner.hasSuffix("]") { inner = String(inner.dropFirst().dropLast()) }
        return inner.hasPrefix("'") ? inner : "'\(inner)'"
    }

    private func nothingNested() -> QueryError {
        source.error(.invalid, "Only Property of type 'any' can have nested collections", range)
    }
}

/// An index of a path with its argument filled in.
enum PathSelector {
    case position(Int)
    case last
    case all
    case size
    case key(String)

    /// The elements of such a collection that it selects; nil when it does not apply to the collection.
    func elements(of collection: CollectionKind) -> ElementSelector? {
        switch (self, collection) {
        case (.all, _): .all
        case (.position(let position), .list): .position(position)
        case (.last, .list): .last
        case (.key(let key), .map): .key(key)
        default: nil
        }
    }
}
