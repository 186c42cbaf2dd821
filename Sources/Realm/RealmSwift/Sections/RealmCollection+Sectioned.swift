extension RealmCollection {
    /// Returns the elements sorted and divided into sections by the keys that the block returns. The first descriptor
    /// should sort by the values that determine the keys, because an element joins the section of its key wherever it
    /// is in the order. Traps without a descriptor, for keys that are links, and for unmanaged collections.
    public func sectioned<Key: _Persistable>(
        sortDescriptors: [SortDescriptor], _ keyBlock: @escaping (Element) -> Key
    ) -> SectionedResults<Key, Element> {
        trapOnError {
            guard !sortDescriptors.isEmpty else {
                throw RealmException("There must be at least one SortDescriptor when using SectionedResults.")
            }
            return SectionedResults(try SectionedAccessor(_source.sorted(by: sortDescriptors), keyBlock))
        }
    }

    /// Returns plain values sorted and divided into sections by the keys that the block returns. Traps for objects.
    public func sectioned<Key: _Persistable>(
        by block: @escaping (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(sortDescriptors: [SortDescriptor(keyPath: "self", ascending: ascending)], block)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Returns the objects sorted by a property, with a section for each of its values. See
    /// `sectioned(sortDescriptors:_:)`.
    public func sectioned<Key: _Persistable>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        let descriptor = SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)
        return sectioned(sortDescriptors: [descriptor]) { $0[keyPath: keyPath] }
    }

    /// Returns the objects sorted, with a section for each value of a property, by which the first descriptor must
    /// sort.
    public func sectioned<Key: _Persistable>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        checkPrimary(sortDescriptors, is: _name(for: keyPath))
        return sectioned(sortDescriptors: sortDescriptors) { $0[keyPath: keyPath] }
    }

    /// See `sectioned(sortDescriptors:_:)`.
    public func sectioned<Key: _Persistable>(
        by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> { sectioned(sortDescriptors: sortDescriptors, block) }
}

extension RealmCollection {
    /// Returns the projections sorted by a projected property, with a section for each of its values. See
    /// `sectioned(sortDescriptors:_:)`.
    public func sectioned<Key: _Persistable, O: ObjectBase>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> where Element: Projection<O> {
        let descriptor = SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)
        return sectioned(sortDescriptors: [descriptor]) { $0[keyPath: keyPath] }
    }

    /// Returns the projections sorted, with a section for each value of a projected property, by which the first
    /// descriptor must sort. Descriptors name properties of the projected class.
    public func sectioned<Key: _Persistable, O: ObjectBase>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> where Element: Projection<O> {
        checkPrimary(sortDescriptors, is: _name(for: keyPath))
        return sectioned(sortDescriptors: sortDescriptors) { $0[keyPath: keyPath] }
    }

    /// See `sectioned(sortDescriptors:_:)`.
    public func sectioned<Key: _Persistable, O: ObjectBase>(
        by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> where Element: Projection<O> {
        sectioned(sortDescriptors: sortDescriptors, block)
    }
}

/// Traps unless the first descriptor sorts by the property of the sections.
private func checkPrimary(_ descriptors: [SortDescriptor], is name: String) {
    trapOnError {
        guard let first = descriptors.first else {
            throw RealmException("Can not section Results with empty sortDescriptor parameter.")
        }
        guard first.keyPath == name else {
            throw RealmException("The section key path must match the primary sort descriptor.")
        }
    }
}
