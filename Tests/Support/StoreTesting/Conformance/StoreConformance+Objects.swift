package import ObjectModel
import QueryLanguage
package import StoreContract
import Synchronization
import TestBasics

extension StoreConformance {
    /// Object keys count up from 0 for each class and are never used again.
    package static func objectKeys(_ make: (Schema) throws -> any Store) throws {
        try with(make) { store in
            let keys = try store.write { try [$0.author("a"), $0.author("b"), $0.author("c")] }
            try requireEqual(keys, [ObjectKey(0), ObjectKey(1), ObjectKey(2)], "keys of the first objects")
            try requireEqual(try store.write { try $0.book("x") }, ObjectKey(0), "first key of another class")
            try store.write { try $0.delete(BooksFixture.writer, ObjectKey(2)) }
            try requireEqual(try store.write { try $0.author("d") }, ObjectKey(3), "key after the last was deleted")
            try store.write { transaction in
                for key in [0, 1, 3] { try transaction.delete(BooksFixture.writer, ObjectKey(Int64(key))) }
            }
            try requireEqual(try store.write { try $0.author("e") }, ObjectKey(4), "key after all were deleted")
            try requireEqual(try store.snapshot().count(of: BooksFixture.writer), 1, "count")
            try requireEqual(try store.snapshot().count(of: ClassID(999)), 0, "count of no class")
        }
    }

    /// Primary keys of each type are unique, found, freed by deletion and never changed.
    package static func primaryKeys(_ make: (Schema) throws -> any Store) throws {
        let samples: [(ClassID, [Value])] = [
            (ClassID(1), [.string(""), .string("a"), .string("A"), .string("é"), .string("e\u{301}")]),
            (ClassID(3), [.int(0), .int(-1), .int(.max), .int(.min)]),
            (ClassID(4), [.null, .string(""), .string("null")]),
            (ClassID(5), [.objectId(ObjectId(high: 0, low: 0)), .objectId(ObjectId(high: .max, low: 1))]),
            (ClassID(6), [.uuid(UUIDValue(high: 0, low: 0)), .uuid(UUIDValue(high: 1, low: .max))]),
        ]
        for (classID, values) in samples {
            try with(make) { store in
                for (index, value) in values.enumerated() {
                    let key = try store.write { try $0.create(classID, [BooksFixture.id: value]) }
                    try requireEqual(key, ObjectKey(Int64(index)), "key of the object with primary key \(value)")
                    try requireError(.duplicateKey, "a second object with primary key \(value)") {
                        try store.write { _ = try $0.create(classID, [BooksFixture.id: value]) }
                    }
                    try store.write { try $0.set(classID, key, [BooksFixture.id: value]) }
                }
                let snapshot = try store.snapshot()
                for (index, value) in values.enumerated() {
                    let found = try snapshot.key(of: classID, primaryKey: value)
                    try requireEqual(found, ObjectKey(Int64(index)), "the object with primary key \(value)")
                }
                try requireError(.keyImmutable, "a different primary key") {
                    try store.write { try $0.set(classID, ObjectKey(0), [BooksFixture.id: values[1]]) }
                }
                try store.write { try $0.delete(classID, ObjectKey(0)) }
                try requireEqual(
                    try store.snapshot().key(of: classID, primaryKey: values[0]), nil, "a deleted object's key")
                let again = try store.write { transaction in
                    let key = try transaction.create(classID, [BooksFixture.id: values[0]])
                    try require(
                        try transaction.key(of: classID, primaryKey: values[0]) == key,
                        "a transaction finds what it created by its primary key")
                    return key
                }
                try requireEqual(again, ObjectKey(Int64(values.count)), "key of the object created anew")
            }
        }
        try with(make) { store in
            try requireError(.missingValue, "a book without isbn") {
                try store.write { _ = try $0.create(BooksFixture.book, [:]) }
            }
            let key = try store.write { try $0.create(BooksFixture.byOptional, [:]) }
            try requireEqual(
                try store.snapshot().value(BooksFixture.byOptional, key, BooksFixture.id), .null,
                "an optional key not given")
        }
    }

    /// Values are read as they were written, to the bit; values that are not given are the default, null or zero;
    /// invalid ones are rejected.
    package static func values(_ make: (Schema) throws -> any Store) throws {
        try with(make) { store in
            guard let everything = BooksFixture.schema[BooksFixture.everything] else { return }
            var random = SeededRandom(seed: 11)
            for _ in 0..<200 {
                var row: [PropertyID: Value] = [:]
                for property in everything.storedProperties where !random.oneIn(5) {
                    row[property.id] = RandomValues.value(of: property.type, &random)
                }
                let given = row
                let key = try store.write { try $0.create(BooksFixture.everything, given) }
                let snapshot = try store.snapshot()
                for property in everything.storedProperties {
                    try requireEqual(
                        try snapshot.value(BooksFixture.everything, key, property.id),
                        row[property.id] ?? property.initialValue,
                        "'\(property.name)' of object \(key.rawValue)")
                }
            }
            let book = try store.write { try $0.book("b") }
            try requireEqual(
                try store.snapshot().value(BooksFixture.book, book, BooksFixture.title), .string("untitled"),
                "the default")

            for property in everything.storedProperties {
                let wrong: Value = property.type.base == .string ? .int(1) : .string("1")
                try requireError(.invalidValue, "a value of another type for '\(property.name)'") {
                    try store.write { _ = try $0.create(BooksFixture.everything, [property.id: wrong]) }
                }
                if !property.type.isOptional {
                    try requireError(.invalidValue, "null for '\(property.name)'") {
                        try store.write { try $0.set(BooksFixture.everything, ObjectKey(0), [property.id: .null]) }
                    }
                }
            }
            try requireError(.unknownClass, "an object of no class") {
                try store.write { _ = try $0.create(ClassID(99), [:]) }
            }
            try requireError(.unknownProperty, "a value for no property") {
                try store.write { _ = try $0.book("c", [PropertyID(99): .int(1)]) }
            }
            try requireError(.notFound, "setting an object that does not exist") {
                try store.write { try $0.set(BooksFixture.book, ObjectKey(77), [BooksFixture.pages: .int(1)]) }
            }
            try requireError(.notFound, "deleting an object that does not exist") {
                try store.write { try $0.delete(BooksFixture.book, ObjectKey(77)) }
            }
            let snapshot = try store.snapshot()
            try requireError(.notFound, "reading an object that does not exist") {
                _ = try snapshot.value(BooksFixture.book, ObjectKey(77), BooksFixture.pages)
            }
            try requireError(.unknownProperty, "reading no property") {
                _ = try snapshot.value(BooksFixture.book, book, PropertyID(99))
            }
            try require(try !snapshot.exists(BooksFixture.book, ObjectKey(77)), "object 77 does not exist")
        }
    }

    /// Links lead only to existing objects, become null with them, and can be followed back in ascending order.
    package static func links(_ make: (Schema) throws -> any Store) throws {
        try with(make) { store in
            try requireError(.invalidValue, "a link to no object") {
                try store.write { _ = try $0.book("x", [BooksFixture.author: .link(ObjectKey(5))]) }
            }
            let (ann, bob) = try store.write { try ($0.author("ann"), $0.author("bob")) }
            let books = try store.write { transaction in
                try (0..<5).map { try transaction.book("\($0)", [BooksFixture.author: .link($0 == 3 ? bob : ann)]) }
            }
            var snapshot = try store.snapshot()
            try requireEqual(
                try snapshot.backlinks(to: ann, from: BooksFixture.book, BooksFixture.author),
                [0, 1, 2, 4].map { books[$0] },
                "books of ann")
            try store.write { transaction in
                try transaction.set(BooksFixture.book, books[4], [BooksFixture.author: .link(bob)])
                try transaction.set(BooksFixture.book, books[0], [BooksFixture.author: .null])
                try transaction.set(BooksFixture.book, books[1], [BooksFixture.author: .link(ann)])
                try transaction.delete(BooksFixture.book, books[2])
            }
            snapshot = try store.snapshot()
            try requireEqual(
                try snapshot.backlinks(to: ann, from: BooksFixture.book, BooksFixture.author), [books[1]],
                "books of ann, later")
            try requireEqual(
                try snapshot.backlinks(to: bob, from: BooksFixture.book, BooksFixture.author), [books[3], books[4]],
                "books of bob")
            // A link to itself, and one within the class, are removed with the object too.
            try store.write { transaction in
                try transaction.set(BooksFixture.book, books[0], [BooksFixture.sequel: .link(books[0])])
                try transaction.set(BooksFixture.book, books[1], [BooksFixture.sequel: .link(books[0])])
                try transaction.delete(BooksFixture.book, books[0])
                try require(
                    try transaction.value(BooksFixture.book, books[1], BooksFixture.sequel) == .null,
                    "a link is null for the transaction that deleted its target")
                try transaction.delete(BooksFixture.writer, bob)
            }
            snapshot = try store.snapshot()
            try requireEqual(
                try snapshot.value(BooksFixture.book, books[1], BooksFixture.sequel), .null, "link to the deleted")
            for book in [books[3], books[4]] {
                try requireEqual(
                    try snapshot.value(BooksFixture.book, book, BooksFixture.author), .null, "bob's book's author")
            }
            try requireEqual(
                try snapshot.value(BooksFixture.book, books[1], BooksFixture.author), .link(ann),
                "a link to what stayed")
        }
    }

    /// Work that throws leaves nothing, does not affect other work, and its error is returned unchanged.
    package static func rollback(_ make: (Schema) throws -> any Store) throws {
        struct Stop: Error {}
        try with(make) { store in
            let ann = try store.write { try $0.author("ann") }
            let before = try store.snapshot().version
            let outcomes = Mutex<[Int: Bool]>([:])
            let done = Countdown(9)
            for index in 0..<9 {
                store.submit(
                    { transaction in
                        try transaction.book("\(index)", [BooksFixture.author: .link(ann)])
                        try transaction.set(BooksFixture.writer, ann, [BooksFixture.name: .string("\(index)")])
                        if index % 3 == 1 { throw Stop() }
                        if index % 3 == 2 { try transaction.delete(BooksFixture.writer, ObjectKey(88)) }
                    },
                    completion: { result in
                        outcomes.withLock { outcomes in
                            switch result {
                            case .success: outcomes[index] = true
                            case .failure(let error):
                                outcomes[index] =
                                    index % 3 == 1 ? !(error is Stop) : (error as? StoreError)?.code != .notFound
                            }
                        }
                        done.countDown()
                    })
            }
            done.wait()
            for index in 0..<9 {
                let succeeded = outcomes.withLock { $0[index] }
                try requireEqual(succeeded, index % 3 == 0, "success, or a wrong error, of work \(index)")
            }
            let snapshot = try store.snapshot()
            try requireEqual(snapshot.version.rawValue, before.rawValue + 3, "the version after three successes")
            try requireEqual(snapshot.count(of: BooksFixture.book), 3, "the number of books")
            try requireEqual(
                try snapshot.backlinks(to: ann, from: BooksFixture.book, BooksFixture.author).count, 3, "backlinks")
            try requireEqual(
                try snapshot.value(BooksFixture.writer, ann, BooksFixture.name), .string("6"), "the last name")
            // A call that fails inside work that continues changes nothing either.
            try store.write { transaction in
                try? transaction.set(
                    BooksFixture.book, ObjectKey(0), [BooksFixture.pages: .int(5), BooksFixture.title: .int(5)])
                _ = try? transaction.book("3")
                _ = try? transaction.book("new", [BooksFixture.author: .link(ObjectKey(99))])
            }
            let after = try store.snapshot()
            try requireEqual(after.count(of: BooksFixture.book), 3, "books after refused calls")
            try requireEqual(try after.value(BooksFixture.book, ObjectKey(0), BooksFixture.pages), .int(0), "pages")
            try requireEqual(try after.key(of: BooksFixture.book, primaryKey: .string("new")), nil, "the refused book")
        }
    }

    /// A snapshot never changes, whatever is committed later.
    package static func snapshotIsolation(_ make: (Schema) throws -> any Store) throws {
        try with(make) { store in
            let ann = try store.write { try $0.author("ann") }
            let book = try store.write {
                try $0.book("1", [BooksFixture.author: .link(ann), BooksFixture.pages: .int(10)])
            }
            let before = try store.snapshot()
            try store.write { transaction in
                try transaction.set(BooksFixture.book, book, [BooksFixture.pages: .int(20)])
                for index in 2..<300 { try transaction.book("\(index)") }
                try transaction.delete(BooksFixture.writer, ann)
            }
            try store.write { try $0.delete(BooksFixture.book, book) }
            let after = try store.snapshot()
            try require(after.version > before.version, "a commit makes a new version")
            try requireEqual(try before.value(BooksFixture.book, book, BooksFixture.pages), .int(10), "the old value")
            try requireEqual(try before.value(BooksFixture.book, book, BooksFixture.author), .link(ann), "the old link")
            try requireEqual(
                try before.backlinks(to: ann, from: BooksFixture.book, BooksFixture.author), [book], "the old backlinks"
            )
            try requireEqual(before.count(of: BooksFixture.book), 1, "the old count")
            try requireEqual(try before.select(BoundQuery(classID: BooksFixture.book), .all), [book], "the old objects")
            try requireEqual(try before.key(of: BooksFixture.book, primaryKey: .string("2")), nil, "a later object")
            try requireEqual(after.count(of: BooksFixture.book), 298, "the new count")
            try require(try !after.exists(BooksFixture.book, book), "the deleted object is gone")
        }
    }
}
