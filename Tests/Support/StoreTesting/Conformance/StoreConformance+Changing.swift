import Basics
package import ObjectModel
package import StoreContract
import TestBasics

extension StoreConformance {
    /// Collections that are given as a whole: they become what is given, and change sets name what differs.
    package static func changing(_ make: (Schema) throws -> any Store, seed: UInt64) throws {
        try seeded(seed) { random in
            try with(make, HousesFixture.schema) { store in
                let key = try store.write { try $0.house(1) }
                let object = ObjectReference(HousesFixture.house.id, key)
                for round in 0..<150 {
                    let name = random.pick(["tags", "marks", "notes"]) ?? "tags"
                    guard let property = HousesFixture.schema[HousesFixture.house.id]?[HousesFixture.house[name]] else {
                        throw ConformanceFailure("there is no property \(name)")
                    }
                    let matching = random.oneIn(2) ? ListMatching.byPosition : .fewestEdits
                    let old = try store.snapshot().house(key, name)
                    let new = random.oneIn(8) ? old : collection(name, &random)
                    let what = "\(name) in round \(round), \(matching), from \(old) to \(new)"
                    let before = try store.snapshot().version
                    let count = try store.write { try $0.change(property, of: object, to: new, matching) }
                    let changes = try store.changes(after: before)?.first?.classes ?? [:]
                    try requireEqual(try store.snapshot().house(key, name), new, what)
                    try requireEqual(count == 0, old == new, "whether nothing was done to \(what)")
                    let edit = changes[object.classID]?.edits[key]?[property.id]
                    try requireEqual(edit?.isEmpty ?? true, old == new, "whether changes name \(what)")
                    if let edit { try check(edit, from: old, to: new, what) }
                }
            }
        }
    }

    private static func collection(_ name: String, _ random: inout SeededRandom) -> Value {
        let texts: [Value] = [.null, .string("a"), .string("b"), .string("c")]
        let count = random.below(7)
        switch name {
        case "marks":
            return ValueRules.normalised(.set((0..<count).map { _ in .int(Int64(random.below(9))) }))
        case "notes":
            return .dictionary(
                ValueMap((0..<count).map { _ in ("k\(random.below(6))", random.pick(texts) ?? .null) }))
        default: return .list((0..<count).map { _ in random.pick(texts) ?? .null })
        }
    }

    /// An edit names no element that stayed as it was, but where all are written.
    private static func check(_ edit: CollectionEdit, from old: Value, to new: Value, _ what: String) throws {
        switch (edit, old, new) {
        case (.list(let edit), .list(let old), .list(let new)):
            let kept = old.indices.filter { !edit.deletions.contains($0) }
            let stayed = new.indices.filter { !edit.insertions.contains($0) }
            try requireEqual(kept.count, stayed.count, "elements that stayed of \(what)")
            for (i, j) in zip(kept, stayed) {
                try requireEqual(old[i] != new[j], edit.modifications.contains(j), "what is told of \(j) of \(what)")
            }
        case (.set(let edit), .set(let old), .set(let new)):
            try requireEqual(edit, SetEdit(from: old, to: new), "the edit of \(what)")
        case (.map(let edit), .dictionary(let old), .dictionary(let new)):
            try requireEqual(edit, MapEdit(from: old, to: new), "the edit of \(what)")
        default: throw ConformanceFailure("the edit of another kind: \(what)")
        }
    }
}
