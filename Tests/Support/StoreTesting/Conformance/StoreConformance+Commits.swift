import Dispatch
package import ObjectModel
import QueryLanguage
package import StoreContract
import Synchronization
import TestBasics

extension StoreConformance {
    /// A store starts at version 1 and counts up by one for each piece of work, also one that changes nothing.
    package static func versions(_ make: (Schema) throws -> any Store) throws {
        try with(make) { store in
            try requireEqual(try store.snapshot().version, Version(1), "version of a new store")
            let seen = try store.write { $0.version }
            try requireEqual(seen, Version(2), "version that the first work makes")
            try requireEqual(try store.snapshot().version, Version(2), "version after work without changes")
            let reported = Mutex<Version?>(nil)
            let done = Countdown(1)
            store.submit(
                { _ = try $0.author("a") },
                completion: { result in
                    let version = try? result.get()
                    reported.withLock { $0 = version }
                    done.countDown()
                })
            done.wait()
            try requireEqual(reported.withLock { $0?.rawValue }, 3, "version that a completion gets")
        }
    }

    /// Listeners get one change set for each version, in order, before the completions, with exactly the changes of the
    /// work; the change log returns them again.
    package static func changeSets(_ make: (Schema) throws -> any Store) throws {
        try with(make) { store in
            let heard = Mutex<[ChangeSet]>([])
            store.onCommit { sets in heard.withLock { $0 += sets } }
            let ann = try store.write { try $0.author("ann") }
            let book = try store.write {
                try $0.book("1", [BooksFixture.author: .link(ann), BooksFixture.pages: .int(1)])
            }
            try requireEqual(heard.withLock { $0.count }, 2, "change sets heard when the second write returned")
            // The present value; then several at once; then nothing.
            try store.write { try $0.set(BooksFixture.book, book, [BooksFixture.pages: .int(1)]) }
            try store.write {
                try $0.set(BooksFixture.book, book, [BooksFixture.pages: .int(2), BooksFixture.title: .string("t")])
            }
            try store.write { _ in }
            // Created and changed; created and deleted; changed and deleted with a link nulled.
            try store.write { transaction in
                let other = try transaction.book("2")
                try transaction.set(BooksFixture.book, other, [BooksFixture.pages: .int(3)])
                let third = try transaction.book("3")
                try transaction.delete(BooksFixture.book, third)
                try transaction.set(BooksFixture.writer, ann, [BooksFixture.name: .string("x")])
                try transaction.delete(BooksFixture.writer, ann)
            }
            // Deleted and created again with the same primary key.
            try store.write { transaction in
                try transaction.delete(BooksFixture.book, book)
                try transaction.book("1")
            }
            let expected: [[ClassID: ClassChanges]] = [
                [BooksFixture.writer: ClassChanges(insertions: [ann])],
                [BooksFixture.book: ClassChanges(insertions: [book])],
                [BooksFixture.book: ClassChanges(modifications: [book: PropertySet([BooksFixture.pages])])],
                [
                    BooksFixture.book: ClassChanges(modifications: [
                        book: PropertySet([BooksFixture.pages, BooksFixture.title])
                    ])
                ],
                [:],
                [
                    BooksFixture.book: ClassChanges(
                        insertions: [ObjectKey(1)], modifications: [book: PropertySet([BooksFixture.author])]),
                    BooksFixture.writer: ClassChanges(deletions: [ann]),
                ],
                [BooksFixture.book: ClassChanges(insertions: [ObjectKey(3)], deletions: [book])],
            ]
            let sets = heard.withLock { $0 }
            try requireEqual(sets.count, expected.count, "the number of change sets")
            for (index, (set, classes)) in zip(sets, expected).enumerated() {
                try requireEqual(set.version, Version(UInt64(index) + 2), "version of change set \(index)")
                try requireEqual(set.classes, classes, "changes of version \(index + 2)")
                try require(!set.schemaChanged, "the schema was not replaced in version \(index + 2)")
            }
            try requireEqual(try store.changes(after: Version(1)), sets, "the change log from the start")
            try requireEqual(try store.changes(after: Version(6)), Array(sets.suffix(2)), "the end of the change log")
            try requireEqual(try store.changes(after: Version(8)), [], "the change log after the newest version")
        }
    }

    /// Many threads submit at once: every version belongs to one piece of work, in the order in which each thread
    /// submitted, and nothing is lost.
    package static func concurrentSubmitters(_ make: (Schema) throws -> any Store, threads: Int = 4, each: Int = 50)
        throws
    {
        try with(make) { store in
            let author = try store.write { try $0.author("counter") }
            let made = Mutex<[Int: [Version]]>([:])
            let heard = Mutex<[Version]>([])
            store.onCommit { sets in heard.withLock { $0 += sets.map(\.version) } }
            let done = Countdown(threads * each)
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                for index in 0..<each {
                    store.submit(
                        { transaction in
                            try transaction.book("\(thread)/\(index)", [BooksFixture.author: .link(author)])
                            let count = transaction.count(of: BooksFixture.book)
                            try transaction.set(BooksFixture.writer, author, [BooksFixture.name: .string("\(count)")])
                        },
                        completion: { result in
                            if let version = try? result.get() {
                                made.withLock { $0[thread, default: []].append(version) }
                            }
                            done.countDown()
                        })
                }
            }
            done.wait()
            let versions = made.withLock { $0 }
            for (thread, list) in versions {
                try require(
                    zip(list, list.dropFirst()).allSatisfy { $0 < $1 }, "versions of thread \(thread) ascend: \(list)")
            }
            let all = versions.values.joined().sorted()
            try requireEqual(all, (0..<threads * each).map { Version(UInt64($0) + 3) }, "versions of all threads")
            try requireEqual(heard.withLock { $0 }, all, "versions that the listener heard")
            let snapshot = try store.snapshot()
            try requireEqual(snapshot.count(of: BooksFixture.book), threads * each, "the number of books")
            try requireEqual(
                try snapshot.value(BooksFixture.writer, author, BooksFixture.name), .string("\(threads * each)"),
                "what the last work saw")
            let books = try snapshot.select(BoundQuery(classID: BooksFixture.book), .all)
            var positions: [Int: [Int]] = [:]
            for book in books {
                guard case .string(let isbn) = try snapshot.value(BooksFixture.book, book, BooksFixture.isbn) else {
                    continue
                }
                let parts = isbn.split(separator: "/").compactMap { Int($0) }
                positions[parts[0], default: []].append(parts[1])
            }
            for (thread, order) in positions {
                try requireEqual(order, Array(0..<each), "the order of thread \(thread)'s books")
            }
        }
    }

    /// Rows come through a sink in the order of the keys, without those that do not exist, as `value` gives them.
    package static func rows(_ make: (Schema) throws -> any Store, seed: UInt64) throws {
        try seeded(seed) { random in
            guard let everything = BooksFixture.schema[BooksFixture.everything] else { return }
            var rows: [[PropertyID: Value]] = []
            for _ in 0..<300 {
                var row: [PropertyID: Value] = [:]
                for property in everything.storedProperties {
                    row[property.id] =
                        property.type.isToOneLink
                        ? (random.oneIn(2) ? .null : .link(ObjectKey(Int64(random.below(3)))))
                        : RandomValues.value(of: property.type, &random)
                }
                rows.append(row)
            }
            try with(make) { store in
                let given = rows
                try store.write { transaction in
                    for name in ["a", "b", "c"] { try transaction.author(name) }
                    for row in given { _ = try transaction.create(BooksFixture.everything, row) }
                    try transaction.delete(BooksFixture.everything, ObjectKey(5))
                }
                let snapshot = try store.snapshot()
                let keys = (0..<120).map { _ in ObjectKey(Int64(random.below(310))) } + [ObjectKey(5)]
                let properties = everything.storedProperties.map(\.id).shuffled(using: &random)
                var sink = ValueSink()
                try snapshot.read(BooksFixture.everything, keys, properties, into: &sink)
                let existing = keys.filter { $0.rawValue < 300 && $0.rawValue != 5 }
                try requireEqual(sink.rows.map(\.key), existing, "keys of the rows")
                for (row, key) in zip(sink.rows, existing) {
                    let expected = properties.map { rows[Int(key.rawValue)][$0] ?? .null }
                    try requireEqual(row.values, expected, "row of object \(key.rawValue)")
                }
            }
        }
    }
}

/// Collects rows as values.
package struct ValueSink: RowSink {
    package private(set) var rows: [(key: ObjectKey, values: [Value])] = []

    package init() {}

    package mutating func beginObject(_ key: ObjectKey) { rows.append((key, [])) }
    package mutating func null(_ column: Int) { append(column, .null) }
    package mutating func bool(_ column: Int, _ value: Bool) { append(column, .bool(value)) }
    package mutating func int(_ column: Int, _ value: Int64) { append(column, .int(value)) }
    package mutating func float(_ column: Int, _ value: Float) { append(column, .float(value)) }
    package mutating func double(_ column: Int, _ value: Double) { append(column, .double(value)) }
    package mutating func string(_ column: Int, _ utf8: UnsafeBufferPointer<UInt8>) {
        append(column, .string(String(decoding: utf8, as: UTF8.self)))
    }
    package mutating func date(_ column: Int, _ value: Timestamp) { append(column, .date(value)) }
    package mutating func objectId(_ column: Int, _ value: ObjectId) { append(column, .objectId(value)) }
    package mutating func uuid(_ column: Int, _ value: UUIDValue) { append(column, .uuid(value)) }
    package mutating func link(_ column: Int, _ target: ObjectKey) { append(column, .link(target)) }
    package mutating func data(_ column: Int, _ bytes: UnsafeBufferPointer<UInt8>) {
        append(column, .data(Array(bytes)))
    }
    package mutating func decimal(_ column: Int, _ value: Decimal128) { append(column, .decimal(value)) }
    package mutating func value(_ column: Int, _ value: Value) { append(column, value) }
    package mutating func endObject() {}

    /// Columns arrive in order; a value for another one shows as a row of the wrong length.
    private mutating func append(_ column: Int, _ value: Value) {
        guard let last = rows.indices.last, rows[last].values.count == column else { return }
        rows[last].values.append(value)
    }
}
