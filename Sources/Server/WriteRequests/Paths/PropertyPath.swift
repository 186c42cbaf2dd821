package import HTTPServer
import JSONCoding
package import ObjectCoding
package import ObjectModel
package import StoreContract

/// The unresolved path `{Class}/{key}/{property}`, or a deeper one.
///
/// A to-one link is followed by a property of its target. A list, a set or linking objects are followed by a position,
/// a map by a key; an element that is an object is followed by one of its properties. A mixed value that contains a
/// list or a map is resolved in the same way, through any number of levels.
package struct PropertyPath: Sendable {
    /// The first object of the path.
    let root: AddressedObject
    /// The steps; the first is the name of a property.
    package let steps: [String]

    /// Parses the parameters `class`, `key` and `property` and those of a final `*steps`. Throws 404 for an unknown
    /// class, and 400 for an invalid key.
    package init(_ path: PathParameters, _ schema: Schema) throws(Problem) {
        root = try AddressedObject(path, schema)
        steps = [path["property"] ?? ""] + (path["steps"] == nil ? [] : path.rest)
    }

    init(_ root: AddressedObject, _ steps: [String]) {
        self.root = root
        self.steps = steps
    }

    /// The path without its last step; nil if that is the property.
    package var parent: PropertyPath? { steps.count > 1 ? PropertyPath(root, steps.dropLast()) : nil }

    /// The path after the object, as a client writes it: `owner/dogs/3`.
    var text: String { steps.joined(separator: "/") }

    /// Resolves the path. Everything before the last step must exist; the last step need not.
    ///
    /// Throws 404 for an object, a property, an element or a link's target that does not exist, 400 for a position that
    /// is not a number, and the errors of the store. Cost: a lookup per step; a step through a map or a mixed value
    /// reads it completely.
    package func resolve(in context: any ReadContext) throws -> ResolvedPropertyPath {
        guard let key = try root.address.find(root.objectClass, in: context) else {
            throw root.address.notFound(root.objectClass)
        }
        return try PropertyPathResolver(context, ObjectReference(root.objectClass.id, key), root.objectClass).run(
            steps[...])
    }
}

/// What a path leads to: a property of an object, one of its elements, or a part of its mixed value.
package struct ResolvedPropertyPath: Sendable {
    /// The element of a collection property.
    enum Element: Hashable, Sendable {
        /// A position in a list, in a set in ascending order, or in linking objects.
        case position(Int)
        case mapKey(String)
    }

    /// The object that has the property.
    package let holder: ObjectReference
    package let holderClass: ClassSchema
    package let property: PropertySchema
    /// Nil for the whole property.
    let element: Element?
    /// The steps through lists and maps in a mixed value, from the property or its element.
    let inner: [ValueStep]
    /// The holder or, if that is embedded, its top-level owner, which has a path and an ETag of its own.
    package let owner: ObjectReference
    /// The steps from the first object of the path to the holder.
    package var hops: [PathHop] = []

    /// The name in messages: `Person.dogs[3]`.
    package var name: String {
        var name = "\(holderClass.name).\(property.name)"
        switch element {
        case .position(let index): name += JSONPath.element(index)
        case .mapKey(let key): name += JSONPath.member(key)
        case nil: break
        }
        for step in inner { name += step.text }
        return name
    }

    /// Whether the end of the path is declared as a list, set or map, or is linking objects, as a whole.
    package var isCollection: Bool {
        element == nil && inner.isEmpty && (property.type.isCollection || property.type.isComputed)
    }

    /// Returns the value; nil for an element that does not exist. Linking objects are a list of links. Throws the
    /// errors of the store.
    package func value(in context: any ReadContext) throws -> Value? {
        guard var value = try outerValue(in: context) else { return nil }
        for step in inner {
            guard let next = value[step] else { return nil }
            value = next
        }
        return value
    }

    /// Returns the value of the property or element.
    func outerValue(in context: any ReadContext) throws -> Value? {
        if let origin = property.originProperty, let target = property.targetClass {
            let links = try context.backlinks(to: holder, from: target, origin)
            guard case .position(let index) = element else { return .list(links.map { .link($0) }) }
            return links.indices.contains(index) ? .link(links[index]) : nil
        }
        switch element {
        case nil: return try context.value(holder, property.id)
        case .position(let index): return try context.element(holder, property.id, at: index)
        case .mapKey(let key):
            guard case .dictionary(let map) = try context.value(holder, property.id) else { return nil }
            return map[key]
        }
    }

    /// Returns the 404 for a path whose last step does not exist.
    package func missing(in context: any ReadContext) throws -> Problem {
        if let last = inner.last {
            let parent = ResolvedPropertyPath(
                holder: holder, holderClass: holderClass, property: property, element: element,
                inner: inner.dropLast(), owner: owner, hops: hops)
            return last.missing(in: try parent.value(in: context), called: parent.name)
        }
        let whole = "\(holderClass.name).\(property.name)"
        switch element {
        case .mapKey(let key): return ValueStep.key(key).missing(in: nil, called: whole)
        case .position(let index):
            let count =
                property.type.isComputed
                ? try outerCount(in: context) : try context.elementCount(holder, property.id)
            return ValueStep.outOfBounds(index, count, whole, Problem.Code.objectUnknownIndex)
        case nil: return Problem(StoreError.Code.notFound, "There is no '\(whole)'.")
        }
    }

    private func outerCount(in context: any ReadContext) throws -> Int {
        guard let origin = property.originProperty, let target = property.targetClass else { return 0 }
        return try context.backlinks(to: holder, from: target, origin).count
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

    /// Returns the 404 for a step that does not exist in `value`.
    func missing(in value: Value?, called name: String) -> Problem {
        switch self {
        case .key(let key):
            return Problem(
                .objectUnknownMapKey, "'\(name)' has no key \(keyText(of: .string(key))).")
        case .index(let index):
            guard case .list(let elements)? = value else {
                return Problem(StoreError.Code.notFound, "'\(name)' is no longer a list.")
            }
            return Self.outOfBounds(index, elements.count, name, Problem.Code.objectUnknownIndex)
        }
    }

    /// - Parameter code: `objectUnknownIndex` for an index in a path; the store's code for one in a body or a
    ///   parameter.
    static func outOfBounds(_ index: Int, _ count: Int, _ name: String, _ code: some ErrorCode) -> Problem {
        let rest =
            switch count {
            case 0: "it is empty."
            case 1: "it has one element, at 0."
            default: "it has \(count) elements, from 0 to \(count - 1)."
            }
        return Problem(code, "There is no position \(index) in '\(name)': \(rest)")
    }

    /// Parses a position in a path, which has one spelling. Throws 400 for an invalid one.
    static func position(_ text: String, in name: String) throws(Problem) -> Int {
        guard let index = Int(text), 0..<Int.max ~= index, String(index) == text else {
            throw Problem(
                .objectInvalidIndex,
                "'\(name)' has positions, counted from 0; '\(text)' is not a position.")
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
