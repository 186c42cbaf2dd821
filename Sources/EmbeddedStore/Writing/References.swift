import Columnar
import ObjectModel

/// What is kept in step with values outside the leaves: indexes, full-text words and backlinks.
struct References {
    private let transaction: LMDBTransaction
    private let trees: Trees
    private let keyIndex: OpenKeyIndex

    init(_ transaction: LMDBTransaction, _ trees: Trees, _ keyIndex: OpenKeyIndex) {
        self.transaction = transaction
        self.trees = trees
        self.keyIndex = keyIndex
    }

    /// Adds the entries of a value as a whole.
    func add(_ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        if column.holdsLinks { try value.forEachLink(column) { try addLink(objectClass, key, column, $0) } }
        if column.isFullTextIndexed { try addWords(objectClass, key, column, value) }
        try addIndex(objectClass, key, column, value)
    }

    /// Adds the entries of the value's words only.
    func addWords(_ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        try Self.words(of: value, objectClass, key, column) { try transaction.put(trees.words, $0, []) }
    }

    /// Adds the value's entry in the index only.
    func addIndex(_ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        guard column.isIndexed else { return }
        if column.usesKeyBlocks { return try keyIndex.insert(value, key, objectClass.schema.id, column.id) }
        guard let entry = Self.indexEntry(objectClass, key, column, value) else { return }
        try transaction.put(trees.index, entry, [])
    }

    /// Takes the entries of a value as a whole out.
    func remove(_ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        if column.holdsLinks { try value.forEachLink(column) { try removeLink(objectClass, key, column, $0) } }
        if column.isFullTextIndexed {
            try Self.words(of: value, objectClass, key, column) { try transaction.delete(trees.words, $0) }
        }
        guard column.isIndexed else { return }
        if column.usesKeyBlocks { return try keyIndex.remove(value, key, objectClass.schema.id, column.id) }
        guard let entry = Self.indexEntry(objectClass, key, column, value) else { return }
        try transaction.delete(trees.index, entry)
    }

    /// Adds the backlinks of one element of a collection.
    func addElement(_ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ element: Value) throws {
        try element.forEachLink(column) { try addLink(objectClass, key, column, $0) }
    }

    func removeElement(_ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ element: Value) throws {
        try element.forEachLink(column) { try removeLink(objectClass, key, column, $0) }
    }

    private func addLink(
        _ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ target: ObjectReference
    ) throws {
        let entry = Self.backlinkEntry(objectClass, key, column, target)
        // Only a collection or a mixed value can link to an object more than once.
        if column.isMixed || column.kind.collection != .single, let count = try count(entry) {
            try transaction.put(trees.backlinks, entry, record(count + 1))
        } else {
            try transaction.put(trees.backlinks, entry, [])
        }
    }

    private func removeLink(
        _ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ target: ObjectReference
    ) throws {
        let entry = Self.backlinkEntry(objectClass, key, column, target)
        if column.isMixed || column.kind.collection != .single, let count = try count(entry), count > 1 {
            try transaction.put(trees.backlinks, entry, count == 2 ? [] : record(count - 1))
        } else {
            try transaction.delete(trees.backlinks, entry)
        }
    }

    private func count(_ entry: [UInt8]) throws -> Int? { try transaction.get(trees.backlinks, entry)?.linkCount }

    private func record(_ count: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.count(count)
        return writer.bytes
    }

    /// The key of the backlink from an object to one that it links to.
    static func backlinkEntry(
        _ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ target: ObjectReference
    ) -> [UInt8] {
        var entry = TreeKey.backlinks(
            from: objectClass.schema.id, column.id, to: target.key, targetClass: column.isMixed ? target.classID : nil)
        entry.append(key)
        return entry.bytes
    }

    /// The key that a value has in the index, unless that holds blocks of integers; nil for what is not indexed.
    static func indexEntry(
        _ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value
    ) -> [UInt8]? {
        guard let encoded = IndexKey.encode(value, isMixed: column.isMixed) else { return nil }
        var entry = TreeKey.entries(of: objectClass.schema.id, column.id)
        entry.append(contentsOf: encoded)
        entry.append(key)
        return entry.bytes
    }

    /// The keys that a value has in the tree of words.
    static func words(
        of value: Value, _ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout,
        _ body: ([UInt8]) throws -> Void
    ) throws {
        guard case .string(let text) = value else { return }
        for word in SearchWords.words(of: text) {
            var entry = TreeKey.word(word, of: objectClass.schema.id, column.id)
            entry.append(key)
            try body(entry.bytes)
        }
    }
}

extension Value {
    /// The objects that a value links to, each as often as it does.
    func forEachLink(_ column: ColumnLayout, _ body: (ObjectReference) throws -> Void) rethrows {
        switch self {
        case .link(let key):
            if let target = column.targetClass { try body(ObjectReference(target, key)) }
        case .reference(let target): try body(target)
        case .list(let elements), .set(let elements):
            for element in elements { try element.forEachLink(column, body) }
        case .dictionary(let map):
            for entry in map.entries { try entry.value.forEachLink(column, body) }
        default: break
        }
    }
}
