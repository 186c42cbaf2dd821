import ObjectModel

extension RealmCollection {
    /// The elements in another order, live: by the first descriptor, where that says nothing by the second and so on,
    /// and then as they are. Of sorted results the new descriptors are the primary ones. Nulls come first ascending, and
    /// null links on the way last. Traps for what cannot be sorted by.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element> where S.Element == SortDescriptor {
        raising { Results(try _source.sorted(by: Array(sortDescriptors))) }
    }

    /// The first of the elements each that agree in all the properties, in the order in which they are, live. Elements
    /// with a null link on the way are left out.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == String {
        raising { Results(try _source.distinct(by: Array(keyPaths))) }
    }
}

extension RealmCollection where Element: KeypathSortable {
    /// See `sorted(by:)`.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }
}

extension RealmCollection where Element: ObjectBase {
    /// See `sorted(by:)`.
    public func sorted<T: _HasPersistedType>(
        by keyPath: KeyPath<Element, T>, ascending: Bool = true
    ) -> Results<Element> where T.PersistedType: SortableType {
        sorted(by: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
    }

    /// See `distinct(by:)`.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == PartialKeyPath<Element> {
        distinct(by: keyPaths.map { _name(for: $0) })
    }
}

extension RealmCollection where Element: _HasPersistedType, Element.PersistedType: SortableType {
    /// The values in their order, live.
    public func sorted(ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: "self", ascending: ascending)])
    }

    /// The values without those that were there before, live.
    public func distinct() -> Results<Element> { distinct(by: ["self"]) }
}

/// A type whose values can be sorted by a key path: objects, and projections of them.
public protocol KeypathSortable {}

extension ObjectBase: KeypathSortable {}
extension Optional: KeypathSortable where Wrapped: KeypathSortable {}

extension _QuerySource {
    func sorted(by descriptors: [SortDescriptor]) throws -> any CollectionAccessor {
        guard let values = try values() else { return try objects().sorted(by: descriptors) }
        guard let first = descriptors.first else { return values }
        let type = PropertyKind(values.source.property.type.base).text
        for descriptor in descriptors where descriptor.keyPath != "self" {
            throw RealmException(
                "Cannot sort on key path '\(descriptor.keyPath)': \(kind.plural.lowercased()) of '\(type)' can only be sorted on 'self'"
            )
        }
        guard descriptors.count == 1 else {
            throw RealmException("Cannot sort \(kind.singular) of '\(type)' on more than one key path")
        }
        return try values.followed(by: .sort(ascending: first.ascending))
    }

    func distinct(by keyPaths: [String]) throws -> any CollectionAccessor {
        guard let values = try values() else { return try objects().distinct(by: keyPaths) }
        guard !keyPaths.isEmpty else { return values }
        for path in keyPaths where path != "self" {
            let type = PropertyKind(values.source.property.type.base).text
            throw RealmException(
                "Cannot get distinct values of key path '\(path)': \(kind.plural.lowercased()) of '\(type)' can only be made distinct on 'self'"
            )
        }
        return try values.followed(by: .distinct)
    }
}

extension CollectionKind {
    fileprivate var singular: String {
        switch self {
        case .single, .list: "array"
        case .set: "set"
        case .map: "dictionary"
        }
    }
}

extension RealmCollection {
    /// The projections sorted by a projected property: see `sorted(by:)`.
    public func sorted<T: _HasPersistedType, O: ObjectBase>(
        by keyPath: KeyPath<Element, T>, ascending: Bool = true
    ) -> Results<Element> where Element: Projection<O>, T.PersistedType: SortableType {
        sorted(by: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
    }

    /// The projections without those that agree in projected properties with one before them: see `distinct(by:)`.
    public func distinct<S: Sequence, O: ObjectBase>(by keyPaths: S) -> Results<Element>
    where Element: Projection<O>, S.Element == PartialKeyPath<Element> {
        distinct(by: keyPaths.map { _name(for: $0) })
    }
}
