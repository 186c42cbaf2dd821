import HTTPServer
import JSONCoding
import ObjectModel
import StoreContract

/// What `{Class}/{key}/{property}` and deeper paths name, as it is written: it has not been looked up yet.
///
/// Behind a to-one link comes a property of the object there. Behind a list, a set or linking objects comes a position,
/// behind a map a key; behind one whose element is an object, a property of that. A mixed value that holds a list or a
/// map is walked the same way, through as many levels as it has.
struct PropertyPath: Sendable {
    /// The object that the path begins with.
    let root: AddressedObject
    /// The first is the name of a property.
    let steps: [String]

    /// Reads the parameters `class`, `key` and `property` and those of a final `*steps`. Throws 404 for an unknown
    /// class and 400 for what cannot be a key.
    init(_ path: PathParameters, _ schema: Schema) throws(Problem) {
        root = try AddressedObject(path, schema)
        steps = [path["property"] ?? ""] + (path["steps"] == nil ? [] : path.rest)
    }

    init(_ root: AddressedObject, _ steps: [String]) {
        self.root = root
        self.steps = steps
    }

    /// The path without its last step; nil when that is the property.
    var parent: PropertyPath? { steps.count > 1 ? PropertyPath(root, steps.dropLast()) : nil }

    /// As a client writes it behind the object: `owner/dogs/3`.
    var text: String { steps.joined(separator: "/") }

    /// Looks the path up. Everything before the last step must be there; the last step itself need not.
    ///
    /// Throws 404 for an object, a property, an element or a link's target that does not exist, 400 for a position that
    /// is no number, and what the store does. Cost: a look-up per step; a step through a map or a mixed value reads it
    /// as a whole.
    func resolve(in source: ObjectSource) throws -> PropertyPlace {
        guard let key = try source.find(root.address, root.objectClass) else {
            throw root.address.notFound(root.objectClass)
        }
        return try PathWalk(source, ObjectReference(root.objectClass.id, key), root.objectClass).run(steps[...])
    }
}

/// Where a path leads: a property of an object, an element of it, or something inside a mixed value of it.
struct PropertyPlace: Sendable {
    /// Which element of a collection property.
    enum Element: Hashable, Sendable {
        /// Of a list, of a set in ascending order, or of linking objects.
        case position(Int)
        case mapKey(String)
    }

    /// The object that has the property.
    let holder: ObjectReference
    let holderClass: ClassSchema
    let property: PropertySchema
    /// Nil for the property as a whole.
    let element: Element?
    /// The way through lists and maps in a mixed value, from the property or its element on.
    let inner: [ValueStep]
    /// The holder, or, when that is embedded, the object that owns it in the end: the one that has a path and an ETag
    /// of its own.
    let owner: ObjectReference
    /// From object to object, from the one that the path begins with to the holder.
    var hops: [PathHop] = []

    /// What the place is called in sentences: `Person.dogs[3]`.
    var name: String {
        var name = "\(holderClass.name).\(property.name)"
        switch element {
        case .position(let index): name += JSONPath.element(index)
        case .mapKey(let key): name += JSONPath.member(key)
        case nil: break
        }
        for step in inner { name += step.text }
        return name
    }

    /// Whether the place is a list, set, map or linking objects as a whole, by its declaration.
    var isCollection: Bool {
        element == nil && inner.isEmpty && (property.type.isCollection || property.type.isComputed)
    }

    /// What is there; nil for an element that does not exist. Linking objects are a list of links. Throws what the
    /// store does.
    func value(in source: ObjectSource) throws -> Value? {
        guard var value = try outerValue(in: source) else { return nil }
        for step in inner {
            guard let next = value[step] else { return nil }
            value = next
        }
        return value
    }

    /// The property's value, or the element's.
    func outerValue(in source: ObjectSource) throws -> Value? {
        if let origin = property.originProperty, let target = property.targetClass {
            let links = try source.backlinks(to: holder, from: target, origin)
            guard case .position(let index) = element else { return .list(links.map { .link($0) }) }
            return links.indices.contains(index) ? .link(links[index]) : nil
        }
        switch element {
        case nil: return try source.value(holder, property.id)
        case .position(let index): return try source.element(holder, property.id, at: index)
        case .mapKey(let key):
            guard case .dictionary(let map) = try source.value(holder, property.id) else { return nil }
            return map[key]
        }
    }

    /// 404 for a place whose last step leads to nothing.
    func missing(in source: ObjectSource) throws -> Problem {
        if let last = inner.last {
            let parent = PropertyPlace(
                holder: holder, holderClass: holderClass, property: property, element: element,
                inner: inner.dropLast(), owner: owner, hops: hops)
            return last.missing(in: try parent.value(in: source), called: parent.name)
        }
        let whole = "\(holderClass.name).\(property.name)"
        switch element {
        case .mapKey(let key): return ValueStep.key(key).missing(in: nil, called: whole)
        case .position(let index):
            let count =
                property.type.isComputed
                ? try outerCount(in: source) : try source.elementCount(holder, property.id)
            return ValueStep.outOfBounds(index, count, whole, status: 404)
        case nil: return Problem(404, StoreError.Code.notFound.rawValue, "There is no '\(whole)'.")
        }
    }

    private func outerCount(in source: ObjectSource) throws -> Int {
        guard let origin = property.originProperty, let target = property.targetClass else { return 0 }
        return try source.backlinks(to: holder, from: target, origin).count
    }
}

/// A step into a list or a map in a mixed value.
enum ValueStep: Hashable, Sendable {
    case index(Int)
    case key(String)

    var text: String {
        switch self {
        case .index(let index): JSONPath.element(index)
        case .key(let key): JSONPath.member(key)
        }
    }

    /// 404 for a step that leads to nothing in `value`.
    func missing(in value: Value?, called name: String) -> Problem {
        switch self {
        case .key(let key):
            return Problem(
                404, "object.unknown_map_key", "'\(name)' has no key \(keyText(of: .string(key))).")
        case .index(let index):
            guard case .list(let elements)? = value else {
                return Problem(404, StoreError.Code.notACollection.rawValue, "'\(name)' is no list any more.")
            }
            return Self.outOfBounds(index, elements.count, name, status: 404)
        }
    }

    /// - Parameter status: 404 for an index in a path, 422 for one in a body or a parameter.
    static func outOfBounds(_ index: Int, _ count: Int, _ name: String, status: Int) -> Problem {
        let rest =
            switch count {
            case 0: "it is empty."
            case 1: "it has one element, at 0."
            default: "it has \(count) elements, from 0 to \(count - 1)."
            }
        return Problem(
            status, StoreError.Code.indexOutOfBounds.rawValue, "There is no position \(index) in '\(name)': \(rest)")
    }

    /// Reads a position in a path. Throws 400 for what is none.
    static func position(_ text: String, in name: String) throws(Problem) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let index = Int(text), index < Int.max
        else {
            throw Problem(
                400, "object.invalid_index",
                "'\(name)' has positions, counted from 0; '\(text)' is none.")
        }
        return index
    }
}

extension Value {
    /// The element of a list or map in a mixed value.
    subscript(step: ValueStep) -> Value? {
        switch (self, step) {
        case (.list(let elements), .index(let index)): elements.indices.contains(index) ? elements[index] : nil
        case (.dictionary(let map), .key(let key)): map[key]
        default: nil
        }
    }
}
