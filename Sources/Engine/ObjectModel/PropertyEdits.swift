import Basics

/// The edits of the lists, sets and maps of one object, by property, ascending. A write of many objects makes one of
/// these for each, mostly with one edit, for which a dictionary would take more than twice the memory.
package struct PropertyEdits: Hashable, Sendable, Sequence, ExpressibleByDictionaryLiteral {
    package typealias Element = (key: PropertyID, value: CollectionEdit)

    private struct Entry: Hashable, Sendable {
        let property: PropertyID
        var edit: CollectionEdit
    }

    private var entries: [Entry] = []

    package init() {}

    /// The properties must differ.
    package init(dictionaryLiteral elements: (PropertyID, CollectionEdit)...) {
        for (property, edit) in elements { self[property] = edit }
    }

    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.count }
    package var keys: [PropertyID] { entries.map(\.property) }

    /// Cost: linear in the number of edits.
    package subscript(property: PropertyID) -> CollectionEdit? {
        get { entries.first { $0.property == property }?.edit }
        set {
            let index = entries.partitioningIndex { $0.property >= property }
            let isKnown = index < entries.count && entries[index].property == property
            switch (newValue, isKnown) {
            case (let edit?, true): entries[index].edit = edit
            case (let edit?, false): entries.insert(Entry(property: property, edit: edit), at: index)
            case (nil, true): entries.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// Removes and returns an edit.
    package mutating func removeValue(forKey property: PropertyID) -> CollectionEdit? {
        entries.firstIndex { $0.property == property }.map { entries.remove(at: $0).edit }
    }

    package func mapValues(_ transform: (CollectionEdit) -> CollectionEdit) -> PropertyEdits {
        var mapped = self
        for index in mapped.entries.indices { mapped.entries[index].edit = transform(entries[index].edit) }
        return mapped
    }

    package func makeIterator() -> some IteratorProtocol<Element> {
        entries.lazy.map { (key: $0.property, value: $0.edit) }.makeIterator()
    }
}
