package import ObjectModel
import StoreContract

/// The position of a list or dictionary within a mixed value: the property, and the steps from its value or, if the
/// property is a list or map, from its elements. After elements before it were inserted or removed, the steps may lead
/// to another collection.
package struct NestedCollectionPath: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        case index(Int)
        case key(String)
    }

    package let object: ObjectReference
    package let property: PropertyID
    package let steps: [Step]
    /// Whether it is a list; else it is a dictionary.
    package let isList: Bool

    package init(_ object: ObjectReference, _ property: PropertyID, _ steps: [Step], isList: Bool) {
        self.object = object
        self.property = property
        self.steps = steps
        self.isList = isList
    }

    /// The collection; nil if the steps lead to none of its kind. The object must exist.
    func contents(_ reads: any ObjectReads) throws -> Value? {
        guard let type = reads.schema[object.classID]?[property]?.type else { return nil }
        let top: Value?
        var rest = steps[...]
        switch (type.collection, steps.first) {
        case (.list, .index(let index)?):
            guard try index < reads.elementCount(object.classID, object.key, property) else { return nil }
            top = try reads.elements(object.classID, object.key, property, index..<index + 1).first
            rest = rest.dropFirst()
        case (.map, .key?), (.single, _): top = try reads.value(object.classID, object.key, property)
        default: return nil
        }
        let value = rest.reduce(top) { value, step in value?[step] }
        switch value {
        case .list? where isList, .dictionary? where !isList: return value
        default: return nil
        }
    }
}

extension Value {
    /// The part of a list or dictionary that a step leads to; nil if there is none.
    package subscript(step: NestedCollectionPath.Step) -> Value? {
        switch (self, step) {
        case (.list(let elements), .index(let index)): elements.indices.contains(index) ? elements[index] : nil
        case (.dictionary(let map), .key(let key)): map[key]
        default: nil
        }
    }
}
