package import ObjectModel
import StoreContract

/// Objects that count as modified, of one class or, for mixed values, of several.
package struct ModifiedLinks {
    private var keys: [ClassID: Set<ObjectKey>]
    /// The class that plain links lead to; nil for mixed values, whose links name their class.
    private let target: ClassID?

    package init() { self.init(mixed: [:]) }

    package init(of target: ClassID, _ keys: Set<ObjectKey>) {
        self.target = target
        self.keys = keys.isEmpty ? [:] : [target: keys]
    }

    package init(mixed keys: [ClassID: Set<ObjectKey>]) {
        target = nil
        self.keys = keys.filter { !$0.value.isEmpty }
    }

    /// Adds objects of the class that plain links lead to.
    package mutating func add(_ others: Set<ObjectKey>) {
        guard let target, !others.isEmpty else { return }
        keys[target, default: []].formUnion(others)
    }

    package var isEmpty: Bool { keys.isEmpty }

    package var count: Int { keys.values.reduce(0) { $0 + $1.count } }

    package var references: [ObjectReference] {
        keys.flatMap { classID, keys in keys.map { ObjectReference(classID, $0) } }
    }

    /// The links as elements.
    package var values: [Value] {
        references.map { target == nil ? .reference($0) : .link($0.key) }
    }

    /// Whether a value is a link to one of the objects, or a list or dictionary with such a link at any depth.
    package func contains(_ value: Value) -> Bool {
        switch value {
        case .link(let key): target.map { keys[$0]?.contains(key) == true } ?? false
        case .reference(let object): keys[object.classID]?.contains(object.key) == true
        case .list(let elements): elements.contains { contains($0) }
        case .dictionary(let map): map.entries.contains { contains($0.value) }
        default: false
        }
    }
}

/// Finds the objects linked to by a collection's elements that count as modified without key paths: those that reach a
/// change within three links, counted from the element.
package struct ElementDeepChangeChecker {
    /// The class that all elements link to; nil for values and for mixed ones.
    package let target: ClassID?
    private let reaches: [ClassID: DeepChangeChecker]

    package init(_ property: PropertySchema, _ schema: Schema) {
        target = property.targetClass
        let roots: [ClassID] =
            if let target {
                [target]
            } else if property.type.isMixed {
                schema.classes.filter { !$0.isEmbedded }.map(\.id)
            } else {
                []
            }
        reaches = Dictionary(
            uniqueKeysWithValues: roots.map { ($0, DeepChangeChecker(from: $0, schema: schema)) })
    }

    /// What counts as a modification of a linked object of the class; nil if no element links to one.
    package func reach(from classID: ClassID) -> DeepChangeChecker? { reaches[classID] }

    /// The classes whose changes can matter.
    package var classes: Set<ClassID> { reaches.values.reduce(into: []) { $0.formUnion($1.classes) } }

    /// The objects of these classes that count as modified.
    package func modified(by step: VersionDelta, among linked: Set<ClassID>) throws -> ModifiedLinks {
        if let target { return ModifiedLinks(of: target, try reaches[target]?.modifiedRoots(by: step) ?? []) }
        var keys: [ClassID: Set<ObjectKey>] = [:]
        for classID in linked { keys[classID] = try reaches[classID]?.modifiedRoots(by: step) }
        return ModifiedLinks(mixed: keys)
    }
}

extension Value {
    /// The classes that links in a mixed value lead to, at any depth.
    package func collectLinkedClasses(into classes: inout Set<ClassID>) {
        switch self {
        case .reference(let object): classes.insert(object.classID)
        case .list(let elements): for element in elements { element.collectLinkedClasses(into: &classes) }
        case .dictionary(let map): for entry in map.entries { entry.value.collectLinkedClasses(into: &classes) }
        default: break
        }
    }
}
