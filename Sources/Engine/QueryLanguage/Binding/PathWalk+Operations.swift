import QuerySyntax
package import ObjectModel

/// An operation after an `@` in a path.
enum PathOperation: Hashable {
    case links
    case count
    case keys
    case values
    case type
    case aggregate(AggregateRequest.Function)

    /// The operation of that name, without its `@`; nil for an unknown one. `@size` is another spelling of `@count`.
    init?(_ name: String) {
        switch name {
        case "links": self = .links
        case "count", "size": self = .count
        case "keys": self = .keys
        case "values": self = .values
        case "type": self = .type
        default:
            guard let function = AggregateRequest.Function.allCases.first(where: { $0.pathName == name }) else {
                return nil
            }
            self = .aggregate(function)
        }
    }
}

extension AggregateRequest.Function {
    /// The name in a path, without the `@`.
    var pathName: String {
        switch self {
        case .minimum: "min"
        case .maximum: "max"
        case .sum: "sum"
        case .average: "avg"
        }
    }
}

extension PathWalk {
    mutating func apply(_ operation: PathOperation) throws(QueryError) {
        guard meaning == nil else { throw nothingFollows() }
        if let element = binding.element, case .object = destination {
            return try enter(element.property(operation), of: element)
        }
        switch operation {
        case .links: try followBack()
        case .count: try count()
        case .keys: try keys()
        case .values: try values()
        case .type: try typeName()
        case .aggregate(let function): try aggregate(function)
        }
    }

    // MARK: Links to an object

    private mutating func followBack() throws(QueryError) {
        if case .links(let property, let target) = destination { followElements(.all, of: property, target) }
        guard case .object(let current) = destination else { throw nothingFollows() }
        guard index + 1 < path.components.count else { throw incompleteLinks() }
        if case .atName(let name) = path.components[index + 1] {
            guard PathOperation(name) == .count else { throw incompleteLinks() }
            index += 1
            guard isLast else { throw nothingFollows() }
            meaning = .total(
                binding.schema.linkOrigins(of: current).map { origin in
                    BoundPath(links: links + [origin], end: .count)
                })
            type = .scalar(.int)
            return
        }
        guard index + 2 < path.components.count, case .name(let className) = path.components[index + 1],
            case .name(let name) = path.components[index + 2]
        else { throw incompleteLinks() }
        let whole = path.ranges.value[index].joined(path.ranges.value[index + 2])
        guard let origin = binding.schema[className] else {
            throw source.error(
                .unknownClass, "No class '\(className.clipped)' in the schema", whole,
                hint: binding.schema.classes.map(\.name).hint(for: className))
        }
        guard let link = origin[name], link.canLink(to: current) else {
            let candidates = origin.properties.filter { $0.canLink(to: current) }.map(\.name)
            throw source.error(
                .unknownProperty,
                "No property '\(name.clipped)' found in type '\(className)' which links to type '\(current.name)'",
                whole,
                hint: candidates.hint(for: name))
        }
        links.append(.backward(origin: origin.id, property: link.id))
        property = (link, origin)
        destination = .object(origin)
        index += 2
    }

    private func incompleteLinks() -> QueryError {
        source.error(
            .invalid, "@links is followed by a class and its property, as in @links.Person.dogs, or by @count.", range)
    }

    // MARK: Sizes

    /// `@count`, `@size` and `[SIZE]`.
    mutating func count() throws(QueryError) {
        guard meaning == nil else { throw nothingFollows() }
        if case .links(let property, let target) = destination {
            // A map may hold null links, which count as elements although they lead to no object.
            if property.type.collection == .map, !links.contains(where: \.isToMany) {
                end = .property(property.id, property.type)
                steps.append(.size)
                destination = .size
                return
            }
            followElements(.all, of: property, target)
        }
        switch destination {
        case .object:
            guard !links.isEmpty else {
                throw source.error(
                    .invalid, "\(source.shown(range)) counts what a link leads to; name the link before it.", range)
            }
            meaning = .path(BoundPath(links: links, end: .count))
            type = .scalar(.int)
        case .values, .allValues, .mixed, .value(.string), .value(.data): steps.append(.size)
        // There is a key for each element.
        case .keys: steps[steps.count - 1] = .size
        case .value(let base):
            throw source.error(
                .invalid, "Operation '\(source.shown(range))' is not supported on property of type '\(base.queryName)'",
                range)
        case .links, .size, .typeName: throw nothingFollows()
        }
        if meaning == nil { destination = .size }
    }

    // MARK: Maps

    private mutating func keys() throws(QueryError) {
        switch destination {
        case .links(let property, _) where property.type.collection == .map,
            .values(let property) where property.type.collection == .map:
            end = .property(property.id, property.type)
            steps.append(.keys)
        case .mixed: steps.append(.keys)
        default: throw noMap()
        }
        destination = .keys
    }

    private mutating func values() throws(QueryError) {
        switch destination {
        case .links(let property, let target) where property.type.collection == .map:
            followElements(.all, of: property, target)
        case .values(let property) where property.type.collection == .map: try choose(.all, of: property)
        case .mixed: steps.append(.elements(.all))
        default: throw noMap()
        }
    }

    private func noMap() -> QueryError {
        source.error(
            .invalid,
            "Operation '\(source.shown(range))' cannot apply to property '\(propertyName)' because it is not a map",
            range)
    }

    // MARK: Types

    private mutating func typeName() throws(QueryError) {
        let fixed: String
        switch destination {
        case .mixed:
            steps.append(.typeName)
            destination = .typeName
            return
        case .values(let property) where property.type.isMixed:
            steps += [.elements(.all), .typeName]
            destination = .typeName
            return
        case .values(let property), .allValues(let property): fixed = property.type.base.typeAttribute
        case .value(let base): fixed = base.typeAttribute
        case .keys: fixed = BaseType.string.typeAttribute
        case .links, .object:
            guard property != nil else { throw nothingFollows() }
            fixed = TypeNames.link
        case .size, .typeName: throw nothingFollows()
        }
        meaning = .typeName(fixed)
        type = .typeName
    }

    // MARK: Aggregates

    private mutating func aggregate(_ function: AggregateRequest.Function) throws(QueryError) {
        if case .links(let property, let target) = destination { followElements(.all, of: property, target) }
        let operation = "@" + function.pathName
        switch destination {
        case .object(let target):
            guard links.last?.isToMany == true else { throw noList(operation) }
            guard index + 1 < path.components.count, case .name(let name) = path.components[index + 1] else {
                throw source.error(
                    .invalid, "An aggregate over objects needs one of their properties, as in \(text).price", range)
            }
            index += 1
            guard let value = target[name] else { throw binding.unknownProperty(name, in: target, range) }
            property = (value, target)
            guard isLast else {
                throw source.error(.invalid, "Exactly one property can follow '\(operation)'.", range)
            }
            guard value.type.collection == .single, value.type.supports(function) else {
                throw source.error(
                    .invalid, "Cannot use aggregate '.\(operation)' for this type of property", range)
            }
            bind(function, BoundPath(links: links, end: .property(value.id, value.type)), value.type.base)
        case .values(let value), .allValues(let value):
            guard isLast else {
                index += 1
                throw source.error(
                    .invalid, "Nothing can follow '\(operation)' of a collection of values.", range)
            }
            guard value.type.supports(function) else { throw noAggregate(value.type.base) }
            bind(
                function,
                BoundPath(links: links, end: .property(value.id, value.type), steps: steps + [.elements(.all)]),
                value.type.base)
        case .mixed:
            guard let end, steps.contains(where: \.isToMany) else { throw noList(operation) }
            guard isLast else { throw nothingFollows() }
            bind(function, BoundPath(links: links, end: end, steps: steps), .mixed)
        case .keys: throw noAggregate(.string)
        case .value: throw noList(operation)
        case .links, .size, .typeName: throw nothingFollows()
        }
    }

    private mutating func bind(_ function: AggregateRequest.Function, _ path: BoundPath, _ base: BaseType) {
        meaning = .aggregate(BoundAggregate(function, path, isChecked: binding.checksSums))
        type = .scalar(function.result(of: base))
    }

    private func noList(_ operation: String) -> QueryError {
        source.error(
            .invalid,
            "Operation '.\(operation)' cannot apply to property '\(property?.schema.name ?? text)' because it is not a list",
            range)
    }

    private func noAggregate(_ base: BaseType) -> QueryError {
        source.error(.invalid, "collection aggregate not supported for type '\(base.queryName)'", range)
    }
}

extension PropertyType {
    /// Whether the aggregate is defined for values of the type: numbers have all, dates a minimum and a maximum.
    package func supports(_ function: AggregateRequest.Function) -> Bool {
        switch base {
        case .int, .float, .double, .decimal128, .mixed: true
        case .date: function == .minimum || function == .maximum
        default: false
        }
    }
}

extension AggregateRequest.Function {
    /// The type of the aggregate of values of a type.
    func result(of base: BaseType) -> BaseType {
        switch (self, base) {
        case (.minimum, _), (.maximum, _): base
        case (_, .decimal128), (_, .mixed): .decimal128
        case (.sum, .int): .int
        default: .double
        }
    }
}
