/// The elements that an edit of a set adds, or removes; each once, by structural equality.
///
/// Those of a whole assignment stay in the set's order, which takes 24 bytes for each, or nothing where all elements of
/// a value are meant, whose memory is shared then. The first single change makes a hash table of them.
package struct EditedElements: Sendable {
    private enum Storage: Sendable {
        /// In the order of `Value.order`, strictly.
        case ordered([Value])
        case hashed(Set<Value>)
    }

    private var storage: Storage

    package init() { storage = .hashed([]) }

    package init(_ values: some Sequence<Value>) { storage = .hashed(Set(values)) }

    /// The values must be in the order of a set.
    init(ordered values: [Value]) { storage = .ordered(values) }

    package var count: Int {
        switch storage {
        case .ordered(let values): values.count
        case .hashed(let values): values.count
        }
    }

    package var isEmpty: Bool { count == 0 }

    /// In the order of a set. Cost: sorts them, unless they come from a whole assignment.
    package var ascending: [Value] {
        switch storage {
        case .ordered(let values): values
        case .hashed(let values): values.sorted { Value.order($0, $1) < 0 }
        }
    }

    package func contains(_ value: Value) -> Bool {
        switch storage {
        case .ordered(let values):
            let place = values.partitioningIndex { Value.order($0, value) >= 0 }
            return place < values.count && values[place] == value
        case .hashed(let values): return values.contains(value)
        }
    }

    mutating func insert(_ value: Value) {
        var values = takeTable()
        values.insert(value)
        storage = .hashed(values)
    }

    /// Returns whether it was there.
    mutating func remove(_ value: Value) -> Bool {
        guard contains(value) else { return false }
        var values = takeTable()
        values.remove(value)
        storage = .hashed(values)
        return true
    }

    /// The table, which nothing else holds then.
    private mutating func takeTable() -> Set<Value> {
        defer { storage = .hashed([]) }
        switch storage {
        case .ordered(let values): return Set(values)
        case .hashed(let values): return values
        }
    }
}

extension EditedElements: Sequence {
    package func makeIterator() -> AnyIterator<Value> {
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
    package init(arrayLiteral values: Value...) { self.init(values) }
}

extension Value {
    /// Whether these are the elements of a set as it is stored: in order, and each once.
    package static func isSet(_ values: [Value]) -> Bool {
        values.indices.dropFirst().allSatisfy { order(values[$0 - 1], values[$0]) < 0 }
    }
}
