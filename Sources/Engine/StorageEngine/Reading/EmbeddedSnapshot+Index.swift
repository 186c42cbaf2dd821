package import LMDBStorage
import Columnar
package import ObjectModel
import StoreContract

/// Look-ups in indexes.
extension EmbeddedSnapshot {
    package func lookUp(_ value: Value, in classID: ClassID, _ property: PropertyID) throws -> [ObjectKey]? {
        try lookUp(value, in: classID, property, atMost: .max)
    }

    package func lookUp(
        _ values: [Value], in classID: ClassID, _ property: PropertyID, limit: Int
    ) throws -> [ObjectKey]? {
        guard let index = index(property, of: classID) else { return nil }
        if index.isIntegerKey {
            return values.count <= limit ? try integerKeys(values, in: classID, property) : nil
        }
        let most = min(max(0, limit), .max - 1)
        var keys: [ObjectKey] = []
        for value in values {
            guard let found = try lookUp(value, in: classID, property, atMost: most - keys.count + 1),
                found.count <= most - keys.count
            else { return nil }
            keys += found
        }
        return keys
    }

    /// The first entries, at most `most`; entries that do not match the value exactly are removed afterwards.
    private func lookUp(
        _ value: Value, in classID: ClassID, _ property: PropertyID, atMost most: Int
    ) throws -> [ObjectKey]? {
        guard let index = index(property, of: classID) else { return nil }
        if index.isIntegerKey {
            guard case .int(let number) = value else { return try integerKeys([value], in: classID, property) }
            return try integerKey(number, in: classID, property).map { [$0] } ?? []
        }
        guard let encoded = IndexKey.encode(value, isMixed: index.isMixed) else { return nil }
        var prefix = TreeKey.entries(of: classID, property)
        prefix.append(contentsOf: encoded)
        let keys = try keys(in: trees.index, prefix: prefix.bytes, atMost: most)
        // Not all were read: the caller does not use them then.
        if IndexKey.isExact(value) || keys.count >= most { return keys }
        return try keys.filter { try self.value(classID, $0, property) == value }
    }

    /// The layout of a property's index; nil when it has none.
    private func index(
        _ property: PropertyID, of classID: ClassID
    ) -> (isIntegerKey: Bool, isMixed: Bool)? {
        guard let objectClass = schema[classID], let declared = objectClass[property] else { return nil }
        let isKey = objectClass.primaryKey == declared.name
        guard isKey || declared.isIndexed else { return nil }
        return (isKey && declared.type.base == .int, declared.type.isMixed)
    }

    /// The objects with those Int primary keys. Many are looked up in ascending order with one cursor, so that
    /// neighbours take no descent of their own.
    private func integerKeys(
        _ values: [Value], in classID: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        var numbers: [Int64] = []
        for value in values {
            switch value {
            case .int(let number): numbers.append(number)
            case .null:
                let null = TreeKey.nullKey(of: classID, property).bytes
                if let key = try reading({ try $0.get(trees.index, null)?.trailingObjectKey }) { keys.append(key) }
            default: continue
            }
        }
        if numbers.count <= 2 {
            for number in numbers {
                if let key = try integerKey(number, in: classID, property) { keys.append(key) }
            }
            return keys
        }
        numbers.sort()
        return try reading { [numbers, keys] transaction in
            var keys = keys
            let cursor = try LMDBCursor(transaction, trees.index)
            var current: (block: Int64, bytes: UnsafeRawBufferPointer?)?
            for number in numbers {
                let block = KeyBlock.location(of: number).block
                if current?.block != block {
                    current = (block, try cursor.value(TreeKey.keyBlock(of: classID, property, block).bytes))
                }
                if let bytes = current?.bytes, let key = try KeyBlock.find(number, in: bytes) { keys.append(key) }
            }
            return keys
        }
    }

    private func integerKey(
        _ number: Int64, in classID: ClassID, _ property: PropertyID
    ) throws -> ObjectKey? {
        let block = TreeKey.keyBlock(of: classID, property, KeyBlock.location(of: number).block).bytes
        return try reading { try $0.get(trees.index, block).flatMap { try KeyBlock.find(number, in: $0) } }
    }

    package func keys(in tree: LMDBDatabase, prefix: [UInt8], atMost most: Int = .max) throws -> [ObjectKey] {
        try reading { transaction in
            var keys: [ObjectKey] = []
            try transaction.scan(tree, prefix: prefix) { key, _ in
                keys.append(key.trailingObjectKey)
                return keys.count < most
            }
            return keys
        }
    }
}

extension EmbeddedSnapshot {
    /// The objects whose full-text indexed property contains a word, or one that begins with it, ascending; the word is
    /// folded like the text. Empty for text that is not a single word; nil when the property has no such index. Cost:
    /// the entries of the words found.
    package func lookUp(
        word: String, isPrefix: Bool, in classID: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey]? {
        guard schema[classID]?[property]?.isFullTextIndexed == true else { return nil }
        let words = SearchWords.words(of: word)
        guard words.count == 1, let word = words.first else { return [] }
        var prefix = TreeKey.entries(of: classID, property)
        prefix.append(contentsOf: word)
        if !isPrefix { prefix = TreeKey.word(word, of: classID, property) }
        let keys = try keys(in: trees.words, prefix: prefix.bytes)
        return isPrefix ? Set(keys).sorted() : keys
    }
}
