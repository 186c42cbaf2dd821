import Basics

/// The entries of a map or dictionary, ascending by the bytes of their keys, each key once.
///
/// Keys are compared by their UTF-8 bytes, as in Realm, and not by canonical equivalence, as in Swift's `Dictionary`.
package struct ValueMap: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package var key: String
        package var value: Value

        package init(key: String, value: Value) {
            self.key = key
            self.value = value
        }

        package static func == (a: Entry, b: Entry) -> Bool {
            a.key.utf8.elementsEqual(b.key.utf8) && a.value == b.value
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(Value.string(key))
            hasher.combine(value)
        }
    }

    package private(set) var entries: [Entry]

    package init() { entries = [] }

    /// Keeps the last one of several entries with the same key.
    package init(_ pairs: some Sequence<(String, Value)>) {
        self.init(entries: pairs.map { Entry(key: $0.0, value: $0.1) })
    }

    /// The same; entries that are in order already are not copied.
    package init(entries: [Entry]) {
        self.entries = entries
        let isOrdered = entries.indices.dropFirst().allSatisfy {
            Value.orderBytes(entries[$0 - 1].key, entries[$0].key) < 0
        }
        if !isOrdered { sortEntries() }
    }

    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }

    /// Cost: logarithmic to read; setting moves the later entries. Setting nil removes the entry.
    package subscript(key: String) -> Value? {
        get {
            let index = position(of: key)
            guard index < entries.count, Value.orderBytes(entries[index].key, key) == 0 else { return nil }
            return entries[index].value
        }
        set {
            let index = position(of: key)
            let exists = index < entries.count && Value.orderBytes(entries[index].key, key) == 0
            switch (newValue, exists) {
            case (let value?, true): entries[index].value = value
            case (let value?, false): entries.insert(Entry(key: key, value: value), at: index)
            case (nil, true): entries.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// The transformed values under the same keys.
    package func mapValues<E: Error>(_ transform: (Value) throws(E) -> Value) throws(E) -> ValueMap {
        var result = self
        for index in result.entries.indices { result.entries[index].value = try transform(result.entries[index].value) }
        return result
    }

    /// The position of the first entry whose key is not below `key`.
    package func position(of key: String) -> Int {
        entries.partitioningIndex { Value.orderBytes($0.key, key) >= 0 }
    }

    private mutating func sortEntries() {
        // Most keys differ in their first bytes, which are compared without reading the texts.
        let ordered = entries.indices.map { (prefix: Self.prefix(of: entries[$0].key), index: $0) }.sorted { a, b in
            if a.prefix != b.prefix { return a.prefix < b.prefix }
            let order = Value.orderBytes(entries[a.index].key, entries[b.index].key)
            return order != 0 ? order < 0 : a.index < b.index
        }
        var sorted: [Entry] = []
        sorted.reserveCapacity(entries.count)
        for (_, index) in ordered {
            if let last = sorted.last, Value.orderBytes(last.key, entries[index].key) == 0 { sorted.removeLast() }
            sorted.append(entries[index])
        }
        entries = sorted
    }

    /// The first eight bytes as a number with the same order.
    private static func prefix(of key: String) -> UInt64 {
        var (number, count): (UInt64, Int) = (0, 0)
        for byte in key.utf8 {
            number = number << 8 | UInt64(byte)
            count += 1
            if count == 8 { return number }
        }
        return count == 0 ? 0 : number << UInt64(8 * (8 - count))
    }
}
