import ObjectModel
import StoreContract

/// One thing that is done to a property, to an element of it, or to what a mixed value holds. Links in its values have
/// not been looked up.
enum PropertyEdit: Sendable {
    // Lists.
    /// At a position, or at the end.
    case insert([ObjectInput.Content], at: Int?)
    case move(from: Int, to: Int)

    // Sets.
    case add([ObjectInput.Content])
    case discard(ObjectInput.Content)

    // The element or map key that the place names, or the property as a whole.
    case assign(ObjectInput.Content)
    /// Takes an element out, empties a collection, sets a single value to null.
    case remove
}

/// What an edit did.
struct EditOutcome: Hashable {
    /// How many elements, or values, were put in, assigned or taken out.
    var modified: Int
    /// How many elements the collection has now; nil for a single value.
    var count: Int?
}

extension PropertyPlace {
    /// What edits take the place for: by its declaration, or, within a mixed value, by what it holds.
    func kind(in source: ObjectSource) throws -> CollectionKind {
        if element == nil, inner.isEmpty, !property.type.isMixed || property.type.isCollection {
            return property.type.collection
        }
        guard property.type.isMixed else { return .single }
        return switch try value(in: source) {
        case .list: .list
        case .dictionary: .map
        default: .single
        }
    }

    /// The collection that the place is an element of; nil for a property as a whole.
    var collection: PropertyPlace? {
        guard !inner.isEmpty || element != nil else { return nil }
        return PropertyPlace(
            holder: holder, holderClass: holderClass, property: property, element: inner.isEmpty ? nil : element,
            inner: inner.dropLast(), owner: owner)
    }

    /// The number of elements there; nil for a single value.
    func count(in source: ObjectSource) throws -> Int? {
        if isCollection, !property.type.isComputed { return try source.elementCount(holder, property.id) }
        return switch try value(in: source) {
        case .list(let elements), .set(let elements): elements.count
        case .dictionary(let map): map.count
        default: nil
        }
    }
}
