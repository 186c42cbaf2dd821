import Basics

/// What an edit of a set or map may name: the elements of a set, the keys of a map.
package protocol EditedElement: Hashable, Sendable {
    /// The order in which collections keep them: negative, zero or positive.
    static func order(_ a: Self, _ b: Self) -> Int
}

extension Value: EditedElement {}

/// The elements of a set, or the keys of a map, that an edit adds, removes or assigns; each once, by structural
/// equality.
///
/// Those of a whole assignment stay in the collection's order, which takes 24 bytes for an element and 16 for a key, or
/// nothing where all elements of a set are meant, whose memory is shared then. The first single change makes a hash
/// table of them.
package struct EditedElements<Element: EditedElement>: Sendable {
    private enum Storage: Sendable {
        /// In the order of `Element.order`, strictly.
        case ordered([Element])
        case hashed(Set<Element>)
    }

    private var storage: Storage

    package init() { storage = .hashed([]) }

    /// Cost: one pass; a hash table only where they are in another order than the collection's.
    package init(_ values: some Sequence<Element>) {
        let values = Array(values)
        storage = Self.isOrdered(values) ? .ordered(values) : .hashed(Set(values))
    }

    /// The values must be in the order of a collection.
    init(ordered values: [Element]) { storage = .ordered(values) }

    /// Whether each is above the one before.
    static func isOrdered(_ values: [Element]) -> Bool {
        values.indices.dropFirst().allSatisfy { Element.order(values[$0 - 1], values[$0]) < 0 }
    }

    package var count: Int {
        switch storage {
        case .ordered(let values): values.count
        case .hashed(let values): values.count
        }
    }

    package var isEmpty: Bool { count == 0 }

    /// In the order of the collection. Cost: sorts them, unless they come from a whole assignment.
    package var ascending: [Element] {
        switch storage {
        case .ordered(let values): values
        case .hashed(let values): values.sorted { Element.order($0, $1) < 0 }
        }
    }

    package func contains(_ value: Element) -> Bool {
        switch storage {
        case .ordered(let values):
            let index = values.partitioningIndex { Element.order($0, value) >= 0 }
            return index < values.count && values[index] == value
        case .hashed(let values): return values.contains(value)
        }
    }

    mutating func insert(_ value: Element) {
        var values = takeTable()
        values.insert(value)
        storage = .hashed(values)
    }

    /// Returns whether it was there.
    mutating func remove(_ value: Element) -> Bool {
        guard contains(value) else { return false }
        var values = takeTable()
        values.remove(value)
        storage = .hashed(values)
        return true
    }

    /// The table, which nothing else holds then.
    private mutating func takeTable() -> Set<Element> {
        defer { storage = .hashed([]) }
        switch storage {
        case .ordered(let values): return Set(values)
        case .hashed(let values): return values
        }
    }
}

extension EditedElements: Sequence {
    package func makeIterator() -> AnyIterator<Element> {
        switch storage {
        case .ordered(let values): AnyIterator(values.makeIterator())
        case .hashed(let values): AnyIterator(values.makeIterator())
        }
    }
}

extension EditedElements: Hashable {
    package static func == (a: EditedElements, b: EditedElements) -> Bool {
        a.count == b.count && a.allSatisfy { b.contains($0) }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension EditedElements: ExpressibleByArrayLiteral {
    package init(arrayLiteral values: Element...) { self.init(values) }
}

extension Value {
    /// Whether these are the elements of a set as it is stored: in order, and each once.
    package static func isSet(_ values: [Value]) -> Bool { EditedElements.isOrdered(values) }
}
