import LMDBStorage
import RepositoryFiles
import TestBasics
import Testing

/// The model of a tree is a dictionary: what a transaction reads is what was put and not deleted, in the order of the
/// keys' bytes, whether the same transaction wrote it or one before it.
@Suite("Transactions and cursors")
struct LMDBTransactionTests {
    /// Few letters, so that keys repeat and are prefixes of others.
    private static func key(_ random: inout SeededRandom) -> [UInt8] {
        (0...random.below(4)).map { _ in [0, 1, 127, 255][random.below(4)] }
    }

    private static func entries(
        _ transaction: LMDBTransaction, _ tree: LMDBDatabase, prefix: [UInt8], from start: [UInt8]? = nil,
        upTo limit: Int = .max
    ) throws -> [[[UInt8]]] {
        var found: [[[UInt8]]] = []
        try transaction.scan(tree, prefix: prefix, from: start) { key, value in
            found.append([Array(key), Array(value)])
            return found.count < limit
        }
        return found
    }

    private static func environment(_ path: String) throws -> LMDBEnvironment {
        try LMDBEnvironment(path: path, try FilePresence.acquireDraft(path), mapSize: 16 << 20, maximumReaders: 4)
    }

    private static func compare(
        _ transaction: LMDBTransaction, _ tree: LMDBDatabase, _ model: [[UInt8]: [UInt8]], _ random: inout SeededRandom
    ) throws {
        let sorted = model.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        #expect(try transaction.entryCount(tree) == model.count)
        #expect(try Self.entries(transaction, tree, prefix: []) == sorted.map { [$0.key, $0.value] })
        let cursor = try LMDBCursor(transaction, tree)
        for _ in 0..<20 {
            let key = Self.key(&random)
            #expect(try transaction.get(tree, key).map { Array($0) } == model[key])
            #expect(try cursor.value(key).map { Array($0) } == model[key])
            let below = sorted.filter { $0.key.starts(with: key) }
            #expect(try cursor.first(prefix: key).map { Array($0) } == below.first?.key)
            #expect(try Self.entries(transaction, tree, prefix: key) == below.map { [$0.key, $0.value] })
            let start = key + [127]
            let behind = below.filter { !$0.key.lexicographicallyPrecedes(start) }
            let limit = 1 + random.below(3)
            #expect(
                try Self.entries(transaction, tree, prefix: key, from: start, upTo: limit)
                    == behind.prefix(limit).map { [$0.key, $0.value] })
        }
    }

    @Test("reads give what was written, within a transaction and after it", arguments: 0..<4)
    func model(round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let directory = try TestDirectory()
        let environment = try Self.environment(directory.file("tree"))
        var model: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<12 {
            let transaction = try environment.begin(readOnly: false)
            let tree = try #require(try transaction.database("tree", create: true))
            var changed = model
            for _ in 0..<random.below(60) {
                let key = Self.key(&random)
                switch random.below(8) {
                case 0: #expect(try transaction.delete(tree, key) == (changed.removeValue(forKey: key) != nil))
                case 1:
                    try transaction.deleteAll(tree, prefix: key)
                    changed = changed.filter { !$0.key.starts(with: key) }
                default:
                    // Some do not fit one page.
                    let value = random.bytes(random.oneIn(10) ? 9000 : random.below(100))
                    try transaction.put(tree, key, value)
                    changed[key] = value
                }
            }
            try Self.compare(transaction, tree, changed, &random)
            if random.oneIn(3) {
                transaction.abort()
            } else {
                try transaction.commit()
                model = changed
            }
            let reader = try environment.begin(readOnly: true)
            if let tree = try reader.database("tree", create: false) {
                try Self.compare(reader, tree, model, &random)
            } else {
                #expect(model.isEmpty)
            }
        }
    }

    @Test("a reader keeps its version while a writer commits")
    func isolation() throws {
        let directory = try TestDirectory()
        let environment = try Self.environment(directory.file("tree"))
        func write(_ value: UInt8) throws -> LMDBDatabase {
            let transaction = try environment.begin(readOnly: false)
            let tree = try #require(try transaction.database("tree", create: true))
            try transaction.put(tree, [1], [value])
            try transaction.commit()
            return tree
        }
        let tree = try write(1)
        let reader = try environment.begin(readOnly: true)
        _ = try write(2)
        let later = try environment.begin(readOnly: true)
        #expect(try reader.get(tree, [1]).map { Array($0) } == [1])
        #expect(try later.get(tree, [1]).map { Array($0) } == [2])
        #expect(reader.number < later.number)
        #expect(environment.lastTransaction == later.number)
    }

    @Test("a tree is emptied with all its pages")
    func clear() throws {
        let directory = try TestDirectory()
        let environment = try Self.environment(directory.file("tree"))
        let transaction = try environment.begin(readOnly: false)
        let tree = try #require(try transaction.database("tree", create: true))
        for number in 0..<1000 { try transaction.put(tree, [UInt8(number / 256), UInt8(number % 256)], [0]) }
        #expect(try transaction.pageCount(tree) > 1)
        try transaction.clear(tree)
        #expect(try transaction.entryCount(tree) == 0)
        #expect(try transaction.pageCount(tree) == 0)
        #expect(try LMDBCursor(transaction, tree).first(prefix: [0]) == nil)
    }
}
