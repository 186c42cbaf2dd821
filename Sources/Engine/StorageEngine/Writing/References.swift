import LMDBStorage
import Columnar
package import ObjectModel

/// Maintains the data derived from values outside the leaves: indexes, full-text words and backlinks.
package final class References {
    private let transaction: LMDBTransaction
    private let trees: Trees
    private let keyIndex: MutableKeyIndex
    /// Where the last entries were added: those of new objects mostly follow each other.
    private let indexCursor: LMDBCursor
    private let linkCursor: LMDBCursor
    /// Entries whose removal is deferred until all of them are known.
    private let removals = Removals()

    /// Entries to remove, by tree.
    private final class Removals {
        var isCollecting = false
        var index: [[UInt8]] = []
        var words: [[UInt8]] = []
        /// Entries of collections and mixed values, which may link several times, and of single links.
        var countedLinks: [[UInt8]] = []
        var links: [[UInt8]] = []
    }

    init(
        _ transaction: LMDBTransaction, _ trees: Trees, _ keyIndex: MutableKeyIndex, index indexCursor: LMDBCursor,
        backlinks linkCursor: LMDBCursor
    ) {
        self.indexCursor = indexCursor
        self.linkCursor = linkCursor
        self.transaction = transaction
        self.trees = trees
        self.keyIndex = keyIndex
    }

    /// Removes the entries of many objects in their order in the trees: each page is visited once, and one that becomes
    /// empty is free for the next. Removed one by one, they would be all over the trees, which then have to be copied
    /// completely before any page of them is free. `body` must not look up entries that it removes.
    func removingMany(_ body: () throws -> Void) throws {
        removals.isCollecting = true
        // Also when it fails: the rollback expects them to be removed.
        let outcome = Result { try body() }
        removals.isCollecting = false
        for entry in Self.ordered(&removals.index) { try transaction.delete(trees.index, entry) }
        for entry in Self.ordered(&removals.words) { try transaction.delete(trees.words, entry) }
        for entry in Self.ordered(&removals.links) { try transaction.delete(trees.backlinks, entry) }
        for entry in Self.ordered(&removals.countedLinks) { try removeCountedLink(entry) }
        try outcome.get()
    }

    private static func ordered(_ entries: inout [[UInt8]]) -> [[UInt8]] {
        defer { entries = [] }
        entries.sort { Value.orderBytes($0, $1) < 0 }
        return entries
    }

    /// Adds the entries of a value as a whole.
    package func add(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        if column.holdsLinks { try value.forEachLink(column) { try addLink(objectClass, key, column, $0) } }
        if column.isFullTextIndexed { try addWords(objectClass, key, column, value) }
        try addIndex(objectClass, key, column, value)
    }

    /// Adds the entries of the value's words only.
    func addWords(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        try Self.words(of: value, objectClass, key, column) { try transaction.put(trees.words, $0, []) }
    }

    /// Adds the value's entry in the index only.
    func addIndex(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        guard column.isIndexed else { return }
        if column.usesKeyBlocks { return try keyIndex.insert(value, key, objectClass.schema.id, column.id) }
        guard let entry = Self.indexEntry(objectClass, key, column, value) else { return }
        try indexCursor.put(entry, [])
    }

    /// Removes the entries of a value as a whole.
    package func remove(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        if column.holdsLinks { try value.forEachLink(column) { try removeLink(objectClass, key, column, $0) } }
        if column.isFullTextIndexed {
            try Self.words(of: value, objectClass, key, column) { entry in
                if removals.isCollecting {
                    removals.words.append(entry)
                } else {
                    try transaction.delete(trees.words, entry)
                }
            }
        }
        guard column.isIndexed else { return }
        if column.usesKeyBlocks { return try keyIndex.remove(value, key, objectClass.schema.id, column.id) }
        guard let entry = Self.indexEntry(objectClass, key, column, value) else { return }
        if removals.isCollecting {
            removals.index.append(entry)
        } else {
            try transaction.delete(trees.index, entry)
        }
    }

    /// Adds the backlinks of one element of a collection.
    func addElement(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ element: Value) throws {
        try element.forEachLink(column) { try addLink(objectClass, key, column, $0) }
    }

    func removeElement(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ element: Value) throws {
        try element.forEachLink(column) { try removeLink(objectClass, key, column, $0) }
    }

    private func addLink(
        _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ target: ObjectReference
    ) throws {
        let entry = Self.backlinkEntry(objectClass, key, column, target)
        // Only a collection or a mixed value can link to an object more than once.
        if column.isMixed || column.kind.collection != .single, let count = try count(entry) {
            try linkCursor.put(entry, record(count + 1))
        } else {
            try linkCursor.put(entry, [])
        }
    }

    private func removeLink(
        _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ target: ObjectReference
    ) throws {
        let entry = Self.backlinkEntry(objectClass, key, column, target)
        let isCounted = column.isMixed || column.kind.collection != .single
        // Deleting an embedded object looks up its owner.
        switch (removals.isCollecting && !column.ownsTarget, isCounted) {
        case (true, true): removals.countedLinks.append(entry)
        case (true, false): removals.links.append(entry)
        case (false, true): try removeCountedLink(entry)
        case (false, false): try transaction.delete(trees.backlinks, entry)
        }
    }

    private func removeCountedLink(_ entry: [UInt8]) throws {
        if let count = try count(entry), count > 1 {
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
    package static func backlinkEntry(
        _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ target: ObjectReference
    ) -> [UInt8] {
        var entry = TreeKey.backlinks(
            from: objectClass.schema.id, column.id, to: target.key, targetClass: column.isMixed ? target.classID : nil)
        entry.append(key)
        return entry.bytes
    }

    /// The value's key in the index, unless the index has blocks of integers; nil for values that are not indexed.
    package static func indexEntry(
        _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value
    ) -> [UInt8]? {
        if case .string(let text) = value, !column.isMixed,
            let entry = IndexKey.entry(text, of: objectClass.schema.id, column.id, key)
        {
            return entry
        }
        guard let encoded = IndexKey.encode(value, isMixed: column.isMixed) else { return nil }
        var entry = TreeKey.entries(of: objectClass.schema.id, column.id)
        entry.append(contentsOf: encoded)
        entry.append(key)
        return entry.bytes
    }

    /// The value's keys in the tree of words.
    package static func words(
        of value: Value, _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout,
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
    package func forEachLink(_ column: ColumnLayout, _ body: (ObjectReference) throws -> Void) rethrows {
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
