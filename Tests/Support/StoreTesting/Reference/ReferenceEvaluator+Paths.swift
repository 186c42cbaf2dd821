package import ObjectModel
package import QueryLanguage

extension ReferenceEvaluator {
    /// The value of a path without to-many steps: nil when a link on the path is null. The last link of a path that
    /// ends in an object is the value, so null is then a value.
    package func singleValue(of path: BoundPath, from key: ObjectKey, in classID: ClassID) throws -> Value? {
        let end = try objects(along: path.links[...], from: key, in: classID)
        switch path.end {
        case .count: return .int(Int64(end.objects.count))
        case .object:
            if let object = end.objects.first { return .reference(ObjectReference(end.classID, object)) }
            let holders = try objects(along: path.linksBeforeLast, from: key, in: classID)
            return holders.objects.isEmpty ? nil : .null
        case .property(let property, let type):
            guard let holder = end.objects.first else { return nil }
            let value = try source.value(end.classID, holder, property)
            // A value of another shape gives null, unlike a null link.
            return try values(of: value, type, path.steps).first ?? .null
        }
    }

    /// The values of a path, those of each object that the links lead to in turn. A null link leads to no object, so it
    /// adds no value.
    package func values(of path: BoundPath, from key: ObjectKey, in classID: ClassID) throws -> [Value] {
        let end = try objects(along: path.links[...], from: key, in: classID)
        switch path.end {
        case .property(let property, let type):
            return try end.objects.flatMap {
                try values(of: try source.value(end.classID, $0, property), type, path.steps)
            }
        case .object: return end.objects.map { .reference(ObjectReference(end.classID, $0)) }
        case .count: return [.int(Int64(end.objects.count))]
        }
    }

    /// The targets of links, in the order in which they are found; an object occurs as often as paths lead to it.
    func objects(
        along links: ArraySlice<LinkStep>, from key: ObjectKey, in classID: ClassID
    ) throws -> (classID: ClassID, objects: [ObjectKey]) {
        var classID = classID
        var objects = [key]
        for (index, link) in zip(links.indices, links) {
            let next = index + 1 < links.endIndex ? links[index + 1] : nil
            switch link {
            case .forward(let property, let target):
                objects = try objects.flatMap { try source.value(classID, $0, property).linkedKeys }
                classID = target
            case .elements(let property, let target, let selector):
                objects = try objects.flatMap {
                    var value = try source.value(classID, $0, property)
                    if case .list(let elements) = value, case .rowSecurity(let predicate, let target)? = next {
                        value = .list(
                            try elements.filter {
                                try $0.linkedKeys.allSatisfy { try holds(predicate, for: $0, in: target) }
                            })
                    }
                    return Self.elements(of: value, selector).flatMap(\.linkedKeys)
                }
                classID = target
            case .backward(let origin, let property):
                objects = try objects.flatMap {
                    try incoming.origins(to: $0, of: classID, from: origin, property, in: source)
                }
                classID = origin
            case .rowSecurity(let predicate, _):
                objects = try objects.filter { try holds(predicate, for: $0, in: classID) }
            }
        }
        return (classID, objects)
    }

    /// The results of the steps in a property's value: none where it has another shape.
    private func values(of value: Value, _ type: PropertyType, _ steps: [ValueStep]) throws -> [Value] {
        var values = [value]
        var steps = steps[...]
        if case .rowSecurity(let objects)? = steps.first {
            values = [try shown(value, objects)]
            steps.removeFirst()
        }
        for (index, step) in steps.enumerated() {
            values = values.flatMap { value in
                // A map property returns null for every key that it does not have, unlike a dictionary in a mixed
                // value.
                if index == 0, type.collection == .map, case .elements(.key(let key)) = step,
                    case .dictionary(let map) = value
                {
                    return [map.entries.first { Value.orderBytes($0.key, key) == 0 }?.value ?? .null]
                }
                return Self.values(of: value, step)
            }
        }
        return values
    }

    private func shown(_ value: Value, _ objects: RowSecurityPredicates) throws -> Value {
        switch value {
        case .reference(let target):
            guard let predicate = objects.predicates[target.classID] else { return .null }
            return try holds(predicate, for: target.key, in: target.classID) ? value : .null
        case .set(let elements):
            return .set(try elements.filter { try $0.isNull || !shown($0, objects).isNull })
        case .list(let elements): return .list(try elements.map { try shown($0, objects) })
        case .dictionary(let map): return .dictionary(try map.mapValues { try shown($0, objects) })
        default: return value
        }
    }

    private static func values(of value: Value, _ step: ValueStep) -> [Value] {
        switch step {
        case .rowSecurity: return [value]
        case .elements(let selector): return elements(of: value, selector)
        case .keys:
            guard case .dictionary(let map) = value else { return [] }
            return map.entries.map { .string($0.key) }
        case .size: return [size(of: value)]
        case .length: return [value.isNull ? .int(0) : size(of: value)]
        case .typeName: return [.string(typeName(of: value))]
        }
    }

    private static func elements(of value: Value, _ selector: ElementSelector) -> [Value] {
        switch (selector, value) {
        case (.all, _): return value.elements
        case (.position(let position), .list(let list)):
            return list.indices.contains(position) ? [list[position]] : []
        case (.last, .list(let list)): return Array(list.suffix(1))
        case (.key(let key), .dictionary(let map)):
            return map.entries.filter { Value.orderBytes($0.key, key) == 0 }.map(\.value)
        default: return []
        }
    }

    private static func size(of value: Value) -> Value {
        switch value {
        case .string(let text): .int(Int64(text.utf8.count))
        case .data(let bytes): .int(Int64(bytes.count))
        case .list(let elements), .set(let elements): .int(Int64(elements.count))
        case .dictionary(let map): .int(Int64(map.count))
        default: .null
        }
    }

    private static func typeName(of value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .double: "double"
        case .decimal: "decimal"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .objectId: "objectid"
        case .uuid: "uuid"
        case .link, .reference, .embedded: "link"
        case .list, .set: "list"
        case .dictionary: "dictionary"
        }
    }
}

extension BoundPath {
    /// The links to the object that holds the last link to another object.
    fileprivate var linksBeforeLast: ArraySlice<LinkStep> {
        var links = self.links[...]
        while case .rowSecurity? = links.last { links.removeLast() }
        return links.dropLast()
    }
}
