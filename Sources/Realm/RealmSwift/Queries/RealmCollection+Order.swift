import ObjectModel

extension RealmCollection {
    /// Returns the elements sorted, as live results: by the first descriptor, then among equals by the second and so
    /// on, and finally by their present order. For sorted results the new descriptors take precedence. Ascending sorts
    /// put nulls first, but objects with a null link on the path last. Traps for properties that cannot be sorted.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element> where S.Element == SortDescriptor {
        trapOnError { try _source.results { try $0.sorted(by: Array(sortDescriptors)) } }
    }

    /// Returns the first of all elements with equal values of all the properties, in the present order, as live
    /// results. Omits elements with a null link on a path.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == String {
        trapOnError { try _source.results { try $0.distinct(by: Array(keyPaths)) } }
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
    /// Returns the values sorted, as live results.
    public func sorted(ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: "self", ascending: ascending)])
    }

    /// Returns the values without duplicates, as live results.
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
        let type = PropertyKind(values.source.valuesType.base).text
        for descriptor in descriptors where descriptor.keyPath != "self" {
            throw RealmException(
                "Cannot sort on key path '\(descriptor.keyPath)': \(kind.plural.lowercased()) of '\(type)' can only be sorted on 'self'"
            )
        }
        guard descriptors.count == 1 else {
            throw RealmException("Cannot sort \(kind.singular) of '\(type)' on more than one key path")
        }
        return values.followed(by: .sort(ascending: first.ascending))
    }

    func distinct(by keyPaths: [String]) throws -> any CollectionAccessor {
        guard let values = try values() else { return try objects().distinct(by: keyPaths) }
        guard !keyPaths.isEmpty else { return values }
        for path in keyPaths where path != "self" {
            let type = PropertyKind(values.source.valuesType.base).text
            throw RealmException(
                "Cannot get distinct values of key path '\(path)': \(kind.plural.lowercased()) of '\(type)' can only be made distinct on 'self'"
            )
        }
        return values.followed(by: .distinct)
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
    /// Returns the projections sorted by a projected property: see `sorted(by:)`.
    public func sorted<T: _HasPersistedType, O: ObjectBase>(
        by keyPath: KeyPath<Element, T>, ascending: Bool = true
    ) -> Results<Element> where Element: Projection<O>, T.PersistedType: SortableType {
        sorted(by: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
    }

    /// Returns the first of all projections with equal projected properties: see `distinct(by:)`.
    public func distinct<S: Sequence, O: ObjectBase>(by keyPaths: S) -> Results<Element>
    where Element: Projection<O>, S.Element == PartialKeyPath<Element> {
        distinct(by: keyPaths.map { _name(for: $0) })
    }
}
