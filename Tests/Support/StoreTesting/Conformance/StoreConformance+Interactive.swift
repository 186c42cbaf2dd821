import Dispatch
package import ObjectModel
import QueryLanguage
package import StoreContract
import Synchronization
import TestBasics

extension StoreConformance {
    /// A write that a thread holds open shows its own changes to itself alone, until it is committed.
    package static func interactiveWrites(_ make: (Schema) throws -> any Store) throws {
        try with(make) { store in
            let ann = try store.write { try $0.author("ann") }
            let before = try store.snapshot()
            let write = try store.beginWrite()
            let transaction = try write.transaction
            let book = try transaction.book("1", [BooksFixture.author: .link(ann)])
            try transaction.set(BooksFixture.writer, ann, [BooksFixture.name: .string("Ann")])
            try requireEqual(transaction.count(of: BooksFixture.book), 1, "books that the open write sees")
            try requireEqual(
                try transaction.value(BooksFixture.writer, ann, BooksFixture.name), .string("Ann"), "the new name")
            let other = try store.snapshot()
            try requireEqual(other.version, before.version, "the version that others see while a write is open")
            try requireEqual(other.count(of: BooksFixture.book), 0, "books that others see while a write is open")
            let version = try write.commit()
            try requireEqual(version, before.version.next, "the version of the commit")
            try requireEqual(try store.snapshot().version, version, "the version that others see after the commit")
            try requireEqual(
                try store.snapshot().backlinks(to: ann, from: BooksFixture.book, BooksFixture.author), [book],
                "the new book")

            try requireError(.closed, "the transaction of a finished write") { _ = try write.transaction }
            try requireError(.closed, "a transaction that was kept") {
                _ = try transaction.exists(BooksFixture.book, book)
            }
            try requireEqual(transaction.count(of: BooksFixture.book), 0, "the count of a transaction that was kept")
            try requireError(.closed, "a second commit") { try write.commit() }
            write.cancel()
            try requireEqual(try store.snapshot().version, version, "cancelling a finished write does nothing")

            // A call that fails does not end the write, and changes nothing.
            let next = try store.beginWrite()
            try requireError(.duplicateKey, "a second book with the same key") { try next.transaction.book("1") }
            try next.transaction.book("2")
            try next.commit()
            try requireEqual(try store.snapshot().count(of: BooksFixture.book), 2, "books after a call that failed")
        }
    }

    /// A write that is cancelled, or dropped, leaves no trace.
    package static func cancelledWrites(_ make: (Schema) throws -> any Store) throws {
        try with(make, HousesFixture.schema) { store in
            let heard = Mutex<[ChangeSet]>([])
            let (key, ann) = try store.write { transaction in
                let ann = try transaction.person("ann")
                let key = try transaction.house(
                    1,
                    [
                        "owners": .list([.link(ann), .link(ann)]), "door": HousesFixture.door("red"),
                        "rooms": .list([HousesFixture.room("a"), HousesFixture.room("b")]),
                        "notes": HousesFixture.map(["a": .null]),
                        "any": .list([.reference(ObjectReference(HousesFixture.person.id, ann))]),
                    ])
                return (key, ann)
            }
            let before = try store.snapshot()
            store.onCommit { sets in heard.withLock { $0 += sets } }
            for drops in [false, true, false] {
                let write = try store.beginWrite()
                let transaction = try write.transaction
                try transaction.house(2, ["rooms": .list([HousesFixture.room("c", ["door": HousesFixture.door("d")])])])
                try transaction.set(
                    key, ["colour": .string("x"), "door": HousesFixture.door("blue"), "tags": .list([.null])])
                try transaction.edit(key, "rooms", .removeAll)
                try transaction.edit(key, "owners", .move(from: 0, to: 1))
                try transaction.edit(key, "notes", .put(.null, key: "b"))
                try transaction.delete(HousesFixture.person.id, ann)
                try requireEqual(
                    try transaction.value(HousesFixture.house.id, key, HousesFixture.house["any"]), .list([.null]),
                    "any")
                if !drops { write.cancel() }
            }
            // The end of a dropped write is not waited for, but later work runs after it.
            try store.write { transaction in
                try requireEqual(transaction.count(of: HousesFixture.house.id), 1, "houses after cancelled writes")
            }
            let after = try store.snapshot()
            try requireEqual(after.version, before.version.next, "cancelled writes make no versions")
            try requireEqual(heard.withLock { $0.map(\.classes) }, [[:]], "changes that were heard")
            try checkIntegrity(after)
            for objectClass in HousesFixture.schema.classes {
                let found = try rows(of: objectClass, after)
                try requireEqual(found, try rows(of: objectClass, before), "rows of \(objectClass.name)")
            }
            try requireEqual(
                try after.backlinks(to: ann, from: HousesFixture.house.id, HousesFixture.house["owners"]), [key, key],
                "backlinks")
            try requireEqual(
                try after.key(of: HousesFixture.house.id, primaryKey: .int(2)), nil,
                "the key of a house that was cancelled")
        }
    }

    private static func rows(of objectClass: ClassSchema, _ snapshot: any Snapshot) throws -> [[Value]] {
        var sink = ValueSink()
        try snapshot.read(
            objectClass.id, try snapshot.select(.init(classID: objectClass.id), .all),
            objectClass.storedProperties.map(\.id), into: &sink)
        return sink.rows.map { [.link($0.key)] + $0.values }
    }

    /// A write that could only wait for itself is rejected, and disturbs nothing.
    package static func nestedWrites(_ make: (Schema) throws -> any Store) throws {
        try with(make) { store in
            let found = Mutex<[String: StoreError.Code?]>([:])
            /// Tries every call that waits for the writer.
            @Sendable func nest(_ context: String) {
                func note(_ what: String, _ body: () throws -> Void) {
                    var code: StoreError.Code?
                    do { try body() } catch { code = (error as? StoreError)?.code }
                    found.withLock { $0["\(what) in \(context)"] = .some(code) }
                }
                note("begin") { _ = try store.beginWrite() }
                note("write") { try store.write { _ = try $0.book("nested") } }
                note("schema") { try store.replaceSchema(with: BooksFixture.schema) }
            }
            let write = try store.beginWrite()
            nest("an open write")
            try write.commit()

            try store.write { _ in nest("a write block") }
            let done = Countdown(1)
            store.submit(
                { _ in nest("submitted work") },
                completion: { _ in
                    nest("a completion")
                    done.countDown()
                })
            done.wait()
            store.onCommit { _ in nest("a listener") }
            try store.write { _ in }
            let contexts = ["an open write", "a write block", "submitted work", "a completion", "a listener"]
            let codes = found.withLock { $0 }
            for context in contexts {
                for what in ["begin", "write", "schema"] {
                    try requireEqual(
                        codes["\(what) in \(context)"] ?? nil, .nestedWrite, "error of \(what) in \(context)")
                }
            }
            try requireEqual(try store.snapshot().count(of: BooksFixture.book), 0, "books of nested writes")
            // Work can be submitted from anywhere, and a thread can write again when it is done.
            let later = Countdown(1)
            try store.write { _ in store.submit({ _ = try $0.book("later") }, completion: { _ in later.countDown() }) }
            later.wait()
            let last = try store.beginWrite()
            last.cancel()
            try store.write { _ = try $0.book("last") }
            try requireEqual(try store.snapshot().count(of: BooksFixture.book), 2, "books in the end")
        }
        let closed = try make(BooksFixture.schema)
        closed.close()
        try requireError(.closed, "beginning a write on a closed store") { _ = try closed.beginWrite() }
        try requireError(.closed, "beginning another") { _ = try closed.beginWrite() }
    }

    /// Work with a commit of its own starts from the newest version that can be read, and its own version is the newest
    /// when its completion is called, whatever was queued before and after it.
    package static func aloneInCommit(_ make: (Schema) throws -> any Store) throws {
        try with(make) { store in
            let mayStart = Countdown(1)
            let done = Countdown(6)
            let seen = Mutex<[String: [UInt64]]>([:])
            let bases = Mutex<[String: [Version]]>([:])
            // The writer is kept busy until all is queued.
            store.submit({ _ in mayStart.wait() }, completion: { _ in done.countDown() })
            for (name, isAlone) in [("a", false), ("b", true), ("c", true), ("d", false), ("e", false)] {
                store.submit(
                    { transaction in
                        try transaction.book(name)
                        let versions = [transaction.version, try store.snapshot().version.next]
                        bases.withLock { $0[name] = versions }
                    }, isAlone: isAlone,
                    completion: { outcome in
                        let versions = [try? outcome.get(), try? store.snapshot().version]
                        seen.withLock { $0[name] = versions.compactMap { $0?.rawValue } }
                        done.countDown()
                    })
            }
            mayStart.countDown()
            done.wait()
            let versions = seen.withLock { $0 }
            for name in ["b", "c"] {
                let pair = versions[name] ?? []
                try requireEqual(pair.count, 2, "versions that \(name) saw")
                try requireEqual(pair.first, pair.last, "the newest version in the completion of \(name)")
                let base = bases.withLock { $0[name] } ?? []
                try requireEqual(base.first, base.last, "the version that \(name) makes of the newest one")
            }
            try requireEqual(
                ["a", "b", "c", "d", "e"].map { versions[$0]?.first }, [3, 4, 5, 6, 7], "the order of the versions")
        }
    }

    /// Threads hold writes open, cancel some, drop some and submit work in between: each commit sees all earlier ones,
    /// and nothing is lost.
    package static func interleavedWrites(
        _ make: (Schema) throws -> any Store, seed: UInt64, threads: Int = 4, each: Int = 30
    ) throws {
        try with(make) { store in
            let counter = try store.write { try $0.book("counter") }
            let committed = Mutex(0)
            let interactive = Mutex<[Version]>([])
            let groups = Mutex<[[Version]]>([])
            store.onCommit { sets in groups.withLock { $0.append(sets.map(\.version)) } }
            let failures = Mutex<[String]>([])
            let ahead = Mutex<[Version]>([])
            let submitted = Countdown(threads * each)
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                var random = SeededRandom(seed: seed &+ UInt64(thread))
                for index in 0..<each {
                    do {
                        switch random.below(5) {
                        case 0:
                            try store.write { try count($0, counter) }
                            committed.withLock { $0 += 1 }
                        default:
                            let write = try store.beginWrite()
                            let begun = try write.transaction.version
                            if try store.snapshot().version.next != begun { ahead.withLock { $0.append(begun) } }
                            try count(try write.transaction, counter)
                            let name = "\(thread)/\(index)"
                            try write.transaction.book(name)
                            switch random.below(4) {
                            case 0: write.cancel()
                            case 1: break
                            default:
                                let version = try write.commit()
                                interactive.withLock { $0.append(version) }
                                committed.withLock { $0 += 1 }
                            }
                        }
                    } catch {
                        failures.withLock { $0.append("seed \(seed), thread \(thread): \(error)") }
                    }
                    store.submit(
                        { _ = try $0.author("\(thread)") }, completion: { _ in submitted.countDown() })
                }
            }
            submitted.wait()
            try requireEqual(failures.withLock { $0 }, [], "failures")
            let snapshot = try store.snapshot()
            let total = committed.withLock { $0 }
            try requireEqual(
                try snapshot.value(BooksFixture.book, counter, BooksFixture.pages), .int(Int64(total)), "the counter")
            try requireEqual(
                snapshot.version.rawValue, UInt64(2 + total + threads * each), "one version for each commit")
            try requireEqual(snapshot.count(of: BooksFixture.writer), threads * each, "work submitted in between")
            try requireEqual(ahead.withLock { $0 }, [], "interactive writes that do not start from the newest version")
            let alone = Set(groups.withLock { $0.filter { $0.count == 1 }.compactMap(\.first) })
            try requireEqual(
                interactive.withLock { $0.filter { !alone.contains($0) } }, [],
                "interactive writes with something else in their commit")
        }
    }

    /// Adds one, from what the transaction sees.
    private static func count(_ transaction: any WriteTransaction, _ counter: ObjectKey) throws {
        guard case .int(let before) = try transaction.value(BooksFixture.book, counter, BooksFixture.pages) else {
            return
        }
        try transaction.set(BooksFixture.book, counter, [BooksFixture.pages: .int(before + 1)])
    }
}
