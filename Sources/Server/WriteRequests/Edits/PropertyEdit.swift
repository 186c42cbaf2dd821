package import ObjectCoding
package import ObjectModel
package import StoreContract

/// An edit of a property, of one of its elements, or of the content of a mixed value. Links in its values are not yet
/// resolved.
package enum PropertyEdit: Sendable {
    // Lists.
    /// At a position, or at the end.
    case insert(GivenElements, at: Int?)
    case move(from: Int, to: Int)

    // Sets.
    case add(GivenElements)
    case discard(ObjectInput.Content)

    // The element or map key at the end of the path, or the whole property.
    case assign(ObjectInput.Content)
    /// Removes an element, empties a collection, or sets a single value to null.
    case remove
}

/// The result of an edit.
package struct EditOutcome: Hashable {
    /// The number of elements or values that were inserted, assigned or removed.
    package let modified: Int
    /// The number of elements that the collection has now; nil for a single value.
    package let count: Int?

    package init(modified: Int, count: Int? = nil) {
        self.modified = modified
        self.count = count
    }
}

extension ResolvedPropertyPath {
    /// Returns the kind of collection that edits apply to: by declaration or, within a mixed value, by its content.
    package func kind(in context: any ReadContext) throws -> CollectionKind {
        if element == nil, inner.isEmpty, !property.type.isMixed || property.type.isCollection {
            return property.type.collection
        }
        guard property.type.isMixed else { return .single }
        return switch try value(in: context) {
        case .list: .list
        case .dictionary: .map
        default: .single
        }
    }

    /// The collection that contains the element; nil for a whole property.
    var collection: ResolvedPropertyPath? {
        guard !inner.isEmpty || element != nil else { return nil }
        return ResolvedPropertyPath(
            holder: holder, holderClass: holderClass, property: property, element: inner.isEmpty ? nil : element,
            inner: inner.dropLast(), owner: owner)
    }

    /// Returns the number of elements; nil for a single value.
    func count(in context: any ReadContext) throws -> Int? {
        if isCollection, !property.type.isComputed { return try context.elementCount(holder, property.id) }
        return switch try value(in: context) {
        case .list(let elements), .set(let elements): elements.count
        case .dictionary(let map): map.count
        default: nil
        }
    }
}

extension Problem {
    package init(computed resolved: ResolvedPropertyPath) {
        self.init(
            StoreError.Code.notACollection,
            "'\(resolved.name)' is computed from links. Edit the property that links.", property: resolved.property.name
        )
    }

    /// The error for a path that led to another property at the time of the write.
    package init(changedMeanwhile resolved: ResolvedPropertyPath) {
        self.init(
            .objectChanged, "The path now leads to '\(resolved.name)', because another request changed it. Try again."
        )
    }
}
