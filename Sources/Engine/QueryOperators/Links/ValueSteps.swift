import Columnar
import ObjectModel
import QueryLanguage

/// The path from a stored value to values inside it.
struct ValueSteps {
    private enum Step {
        case element(ElementSelector, key: StableBytes?)
        case elements
        case keys
        case size
        case length
        case typeName
        case rowSecurity(RowSecurityFilter)
    }

    private let steps: [Step]

    init(_ steps: [ValueStep], in source: any ColumnSource) {
        self.steps = steps.map { step in
            switch step {
            case .rowSecurity(let objects): return .rowSecurity(RowSecurityFilter(objects, in: source))
            case .elements(.all): return .elements
            case .elements(let selector):
                var key: StableBytes?
                if case .key(let text) = selector { key = StableBytes(text.utf8) }
                return .element(selector, key: key)
            case .keys: return .keys
            case .size: return .size
            case .length: return .length
            case .typeName: return .typeName
            }
        }
    }

    @inline(__always)
    var isEmpty: Bool { steps.isEmpty }

    /// The one value that single-valued steps lead to; nil where there is none.
    func single(in value: ValueView) throws -> ValueView? { try follow(value, from: 0) }

    /// The one value, starting at a collection property. An absent key of a map is a null there.
    func single(in collection: StoredCollection) throws -> ValueView? {
        let (visible, first) = visibility
        guard first < steps.count else { return nil }
        switch steps[first] {
        case .size:
            return try follow(.int(Int64(try visible?.count(collection) ?? collection.count)), from: first + 1)
        case .element(let selector, let key):
            let element = try collection.element(selector, key)
            if case .key = selector, element == nil, collection.isMap { return try follow(.null, from: first + 1) }
            return try element.flatMap { try follow(try visible?.shown($0) ?? $0, from: first + 1) }
        case .elements, .keys, .length, .typeName, .rowSecurity: return nil
        }
    }

    /// The filter that hides elements of a collection, and the first step after it.
    private var visibility: (RowSecurityFilter?, first: Int) {
        if case .rowSecurity(let values)? = steps.first { return (values, 1) }
        return (nil, 0)
    }

    /// Calls `body` with each existing value until it returns false; returns whether it reached the end.
    func forEach(in value: ValueView, _ body: (ValueView) throws -> Bool) throws -> Bool {
        try forEach(in: value, from: 0, body)
    }

    /// Calls `body` with each value, starting at a collection property. An absent key of a map is a null there.
    func forEach(in collection: StoredCollection, _ body: (ValueView) throws -> Bool) throws -> Bool {
        let (visible, first) = visibility
        let rest = first + 1
        guard first < steps.count else { return true }
        switch steps[first] {
        case .elements:
            if let visible {
                return try collection.forEach { element in
                    if try visible.leavesOut(element) { return true }
                    return try forEach(in: try visible.shown(element), from: rest, body)
                }
            }
            if steps.count == 1 { return try collection.forEach(body) }
            return try collection.forEach { try forEach(in: $0, from: rest, body) }
        case .keys: return try collection.forEachKey { try forEach(in: .string($0), from: rest, body) }
        case .size:
            return try forEach(in: .int(Int64(try visible?.count(collection) ?? collection.count)), from: rest, body)
        case .element(let selector, let key):
            let element = try collection.element(selector, key)
            if case .key = selector, element == nil, collection.isMap {
                return try forEach(in: .null, from: rest, body)
            }
            return try element.map { try forEach(in: try visible?.shown($0) ?? $0, from: rest, body) } ?? true
        case .length, .typeName, .rowSecurity: return true
        }
    }

    /// Recurses at most as deep as the value is nested.
    private func forEach(in value: ValueView, from index: Int, _ body: (ValueView) throws -> Bool) throws -> Bool {
        var current = value
        for index in index..<steps.count {
            switch (steps[index], current) {
            case (.elements, .list(let list)):
                return try list.forEach { try forEach(in: $0, from: index + 1, body) }
            case (.elements, .dictionary(let dictionary)):
                return try dictionary.forEach { try forEach(in: $1, from: index + 1, body) }
            case (.keys, .dictionary(let dictionary)):
                return try dictionary.forEach { key, _ in try forEach(in: .string(key), from: index + 1, body) }
            default:
                guard let next = try Self.next(steps[index], current) else { return true }
                current = next
            }
        }
        return try body(current)
    }

    private func follow(_ value: ValueView, from index: Int) throws -> ValueView? {
        var current = value
        for step in steps[min(index, steps.count)...] {
            guard let next = try Self.next(step, current) else { return nil }
            current = next
        }
        return current
    }

    /// One step to a single value; nil where the value has another shape.
    private static func next(_ step: Step, _ value: ValueView) throws -> ValueView? {
        switch (step, value) {
        case (.element(.position(let index), _), .list(let list)): list.element(at: index)
        case (.element(.last, _), .list(let list)): list.element(at: list.count - 1)
        case (.element(.key, let key?), .dictionary(let dictionary)): dictionary[key.bytes]
        case (.rowSecurity(let values), _): try values.shown(value)
        case (.element, _), (.elements, _), (.keys, _): nil
        case (.size, _): size(of: value).map { .int($0) } ?? .null
        case (.length, .null): .int(0)
        case (.length, _): size(of: value).map { .int($0) } ?? .null
        case (.typeName, _): .string(typeName(of: value))
        }
    }

    private static func size(of value: ValueView) -> Int64? {
        switch value {
        case .string(let bytes), .data(let bytes): Int64(bytes.count)
        case .list(let list): Int64(list.count)
        case .dictionary(let dictionary): Int64(dictionary.count)
        default: nil
        }
    }

    private static func typeName(of value: ValueView) -> ValueView.Bytes {
        let name: StaticString =
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
            case .link, .reference: "link"
            case .list: "list"
            case .dictionary: "dictionary"
            }
        return ValueView.Bytes(start: name.utf8Start, count: name.utf8CodeUnitCount)
    }
}
