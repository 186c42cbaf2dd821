import EmbeddedStore
import ObjectModel
import StoreContract

/// Loads owners and entries into both stores.
func loadEntries(into store: EmbeddedStore, _ sqlite: SQLitePeer, _ schema: Schema, rowCount: Int) throws {
    guard let owner = schema["Owner"]?.id, let entry = schema["Entry"]?.id else {
        fatalError("The schema was not stored.")
    }
    let ownerCount = max(1, rowCount / 10)
    try store.write { transaction in
        for number in 0..<ownerCount {
            _ = try transaction.create(owner, row: [.int(Int64(number)), .string(Entry.city(ofOwner: number))])
        }
    }
    for first in stride(from: 0, to: rowCount, by: 250_000) {
        try store.write { transaction in
            for number in first..<min(rowCount, first + 250_000) {
                let target = ObjectKey(Int64(Entry.owner(number, of: ownerCount)))
                _ = try transaction.create(
                    entry,
                    row: [
                        .int(Int64(number)), .link(target), .decimal(Entry.price(number)),
                        .list(Entry.nums(number).map { .int($0) }),
                    ])
            }
        }
    }
    try sqlite.run("BEGIN")
    let insertOwner = try sqlite.prepare("INSERT INTO owner VALUES(?,?)")
    for number in 0..<ownerCount { insertOwner.insert([Int64(number)], Entry.city(ofOwner: number)) }
    let insertEntry = try sqlite.prepare("INSERT INTO entry VALUES(?,?,?)")
    let insertNumber = try sqlite.prepare("INSERT INTO num VALUES(?,?)")
    for number in 0..<rowCount {
        insertEntry.insert([Int64(number), Int64(Entry.owner(number, of: ownerCount)), Entry.cents(number)])
        for value in Entry.nums(number) { insertNumber.insert([Int64(number), value]) }
    }
    try sqlite.run("COMMIT")
}
