package import ObjectModel
package import StoreContract
import TestBasics

extension StoreConformance {
    /// Each version of a history has one mark, on which snapshots, work and earlier versions agree, also after the
    /// store was closed and opened again by `reopen`; a version that was not made has none.
    package static func marks(
        _ make: Maker, seed: UInt64, reopen: ((any Store) throws -> any Store)? = nil
    ) throws {
        try seeded(seed) { random in
            var store = try make(BooksFixture.schema)
            defer { store.close() }
            var known = [try store.snapshot().mark]
            var held: [any Snapshot] = []
            for _ in 0..<random.below(20) + 5 {
                if random.oneIn(3) { held.append(try store.snapshot()) }
                let (before, made) = try store.write { ($0.before, $0.mark) }
                try requireEqual(before, known.last, "what a work begins with")
                try requireEqual(made, try store.snapshot().mark, "what a work makes")
                try requireEqual(made.version, before.version.next, "the version of a mark")
                known.append(made)
                if let reopen, random.oneIn(6) {
                    held = []
                    store = try reopen(store)
                    try requireEqual(try store.snapshot().mark, made, "the mark after opening again")
                }
            }
            let newest = try store.snapshot()
            for mark in known {
                try require(try store.knows(mark), "\(mark) is known")
                let tag = try store.tag(of: mark.version)
                try require(tag.map(mark.isOf) == true, "the tag of version \(mark.version) is that of its mark")
                if let past = try store.asOf(mark.version, before: newest) {
                    try requireEqual(past.reads.mark, mark, "the mark of the past")
                }
                let other = Mark(mark.version, HistoryTag(rawValue: ~(tag?.rawValue ?? 0)))
                try require(try !store.knows(other), "\(other) is of another history")
            }
            for snapshot in held {
                try require(known.contains(snapshot.mark), "a snapshot has the mark of its version")
            }
            try requireEqual(try store.tag(of: newest.version.next), nil, "the tag of a version to come")
            guard reopen == nil else { return }
            let another = try make(BooksFixture.schema)
            defer { another.close() }
            try require(try !another.knows(newest.mark), "another store has another history")
        }
    }
}
