import ObjectModel

/// Masks values as if hidden objects had been deleted: links and references to them are null, and are omitted from
/// lists of links and from sets.
struct ValueRedaction {
    let isVisible: (ObjectReference) throws -> Bool

    /// Returns the masked value of a property.
    func shown(_ value: Value, of property: PropertySchema) throws -> Value {
        switch value {
        case .list(let elements) where property.type.isLink, .set(let elements):
            let visible = try elements.filter { try $0.isNull || !shownElement($0, property).isNull }
            if case .set = value { return .set(visible) }
            return .list(visible)
        default:
            return try shownElement(value, property)
        }
    }

    /// Returns one masked value, or one element of a collection; null if it is hidden.
    func shownElement(_ value: Value, _ property: PropertySchema) throws -> Value {
        try value.clearingLinks(in: property.targetClass) { try !isVisible($0) }
    }
}

extension Value {
    /// Calls `body` with each object that the value of such a property refers to.
    func forEachTarget(_ property: PropertySchema, _ body: (ObjectReference) throws -> Void) rethrows {
        switch self {
        case .link(let key):
            if let target = property.targetClass { try body(ObjectReference(target, key)) }
        case .reference(let target): try body(target)
        case .list(let elements), .set(let elements):
            for element in elements { try element.forEachTarget(property, body) }
        case .dictionary(let map): for entry in map.entries { try entry.value.forEachTarget(property, body) }
        default: break
        }
    }
}

extension BoundAccess {
    /// Whether values of the property can refer to hidden objects.
    func hides(_ property: PropertySchema) -> Bool {
        if property.type.isMixed { return references != nil }
        guard property.type.isLink, let target = property.targetClass else { return false }
        return restricted.contains(target)
    }

    /// Whether hidden elements of such a collection are omitted, which changes positions.
    func leavesElementsOut(_ property: PropertySchema) -> Bool {
        guard hides(property) else { return false }
        switch property.type.collection {
        case .list: return property.type.isLink
        case .set: return true
        case .map, .single: return false
        }
    }
}
