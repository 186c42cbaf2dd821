import Basics
import ObjectModel
import StoreTesting
import Testing
import TestBasics

/// The edits of a collection, against elements that each have a tag.
struct CollectionEditTests {
    /// A list's element: the position that it had at the start, or nil if it was inserted later.
    private struct Element: Hashable {
        var before: Int?
        var isModified = false
    }

    /// The difference according to the elements' tags.
    private static func difference(_ elements: [Element], before: Int) -> ListEdit {
        let kept = Set(elements.compactMap(\.before))
        return ListEdit(
            deletions: IndexRuns((0..<before).filter { !kept.contains($0) }),
            insertions: IndexRuns(elements.indices.filter { elements[$0].before == nil }),
            modifications: IndexRuns(elements.indices.filter { elements[$0].before != nil && elements[$0].isModified }))
    }

    /// Applies one operation to the elements and records it.
    private static func step(_ elements: inout [Element], _ edit: inout ListEdit, _ random: inout SeededRandom) {
        let index = elements.isEmpty ? 0 : Int(random.next() % UInt64(elements.count))
        let length = min(Int(random.next() % 4), elements.count - index)
        switch random.next() % 8 {
        case 0, 1:
            elements.insert(Element(), at: index)
            edit.recordInsertion(at: index)
        case 2:
            let new = Int(random.next() % 4)
            elements.insert(contentsOf: Array(repeating: Element(), count: new), at: index)
            edit.recordInsertions(at: index..<index + new)
        case 3 where !elements.isEmpty:
            elements.remove(at: index)
            edit.recordDeletion(at: index)
        case 4:
            elements.removeSubrange(index..<index + length)
            edit.recordDeletions(at: index..<index + length)
        case 5 where !elements.isEmpty:
            elements[index].isModified = true
            edit.recordModification(at: index)
        case 6:
            for position in index..<index + length { elements[position].isModified = true }
            edit.recordModifications(at: index..<index + length)
        case 7 where !elements.isEmpty:
            let target = Int(random.next() % UInt64(elements.count))
            guard target != index else { break }
            elements.remove(at: index)
            elements.insert(Element(), at: target)
            edit.recordDeletion(at: index)
            edit.recordInsertion(at: target)
        default: break
        }
    }

    @Test("a list's edit has removals, insertions and assignments, and merges as if recorded at once")
    func lists() {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            let count = Int(random.next() % 12)
            var elements = (0..<count).map { Element(before: $0) }
            var whole = ListEdit()
            var merged = ListEdit()
            var parts: [ListEdit] = []
            for _ in 0..<3 {
                var part = ListEdit()
                for _ in 0..<random.next() % 7 {
                    var again = random
                    var copy = elements
                    Self.step(&copy, &whole, &again)
                    Self.step(&elements, &part, &random)
                }
                merged.merge(part)
                parts.append(part)
                let expected = Self.difference(elements, before: count)
                #expect(whole == expected, "seed \(seed)")
                #expect(merged == expected, "seed \(seed)")
                #expect(merged.isEmpty == (expected == ListEdit()), "seed \(seed)")
            }
            var tail = parts[1]
            tail.merge(parts[2])
            var grouped = parts[0]
            grouped.merge(tail)
            #expect(grouped == whole, "seed \(seed)")
        }
    }

    /// An element that keeps its identity when it moves: original elements have their former position.
    private struct Moving: Hashable {
        let id: Int
        var isModified = false
    }

    @Test("elements that moved are removed and inserted, except those that were moved back")
    func moves() {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            let count = Int(random.next() % 8)
            var elements = (0..<count).map { Moving(id: $0) }
            var fresh = 100
            var merged = ListEdit()
            for _ in 0..<3 {
                var part = ListEdit()
                for _ in 0..<random.next() % 5 {
                    let index = elements.isEmpty ? 0 : Int(random.next() % UInt64(elements.count))
                    switch random.next() % 6 {
                    case 0:
                        elements.insert(Moving(id: fresh), at: index)
                        fresh += 1
                        part.recordInsertion(at: index)
                    case 1 where !elements.isEmpty:
                        elements.remove(at: index)
                        part.recordDeletion(at: index)
                    case 2 where !elements.isEmpty:
                        elements[index].isModified = true
                        part.recordModification(at: index)
                    default:
                        guard !elements.isEmpty else { break }
                        let target = Int(random.next() % UInt64(elements.count))
                        elements.insert(elements.remove(at: index), at: target)
                        part.recordMove(from: index, to: target)
                    }
                }
                let back = part.inverted.inverted
                #expect(back == part, "seed \(seed)")
                merged.merge(part)
                let kept = (0..<count).filter { !merged.deletions.contains($0) }
                let stayed = elements.indices.filter { !merged.insertions.contains($0) }
                #expect(kept == stayed.map { elements[$0].id }, "seed \(seed)")
                #expect(
                    merged.modifications.indices == stayed.filter { elements[$0].isModified }, "seed \(seed)")
                let moved = merged.deletions.indices.filter { id in elements.contains { $0.id == id } }
                #expect(merged.moves.map(\.from) == moved, "seed \(seed)")
                #expect(merged.moves.allSatisfy { elements[$0.to].id == $0.from }, "seed \(seed)")
                #expect(
                    merged.moves.allSatisfy { elements[$0.to].isModified == $0.isModified }, "seed \(seed)")
            }
        }
    }

    @Test("an element that was moved back counts as never moved, also after other edits")
    func movedBack() {
        var edit = ListEdit()
        edit.recordMove(from: 0, to: 2)
        #expect(edit.moves == [ListEdit.Move(from: 0, to: 2)])
        edit.recordModification(at: 2)
        edit.recordDeletion(at: 1)
        edit.recordMove(from: 1, to: 0)
        #expect(edit == ListEdit(deletions: IndexRuns([2]), insertions: IndexRuns(), modifications: IndexRuns([0])))
    }

    @Test("replacing a list of any length is two runs, and so is replacing it again")
    func replacing() {
        var edit = ListEdit(replacing: 1_000_000, with: 2_000_000)
        edit.merge(ListEdit(replacing: 2_000_000, with: 3_000_000))
        #expect(edit == ListEdit(replacing: 1_000_000, with: 3_000_000))
        #expect(edit.deletions.runs == [0..<1_000_000] && edit.insertions.runs == [0..<3_000_000])
        #expect(ListEdit(replacing: 0, with: 0).isEmpty)
    }

    @Test("a set's edit is the difference between its old and new elements")
    func sets() {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let before = Set((0..<6).filter { _ in random.next() % 2 == 0 }.map { Value.int($0) })
            var set = before
            var whole = SetEdit()
            var merged = SetEdit()
            for _ in 0..<3 {
                var part = SetEdit()
                for _ in 0..<random.next() % 6 {
                    let value = Value.int(Int64(random.next() % 6))
                    if set.remove(value) != nil {
                        part.recordDeletion(value)
                        whole.recordDeletion(value)
                    } else {
                        set.insert(value)
                        part.recordInsertion(value)
                        whole.recordInsertion(value)
                    }
                }
                merged.merge(part)
            }
            let expected = SetEdit(
                deletions: EditedElements(before.subtracting(set)), insertions: EditedElements(set.subtracting(before)))
            #expect(whole == expected && merged == expected, "seed \(seed)")
            func ordered(_ set: Set<Value>) -> [Value] { set.sorted { Value.order($0, $1) < 0 } }
            #expect(SetEdit(from: ordered(before), to: ordered(set)) == expected, "seed \(seed)")
            // Assigned as a whole twice, and edited after that.
            let middle = Set((0..<6).filter { _ in random.next() % 2 == 0 }.map { Value.int($0) })
            var assigned = SetEdit(from: ordered(before), to: ordered(middle))
            assigned.merge(SetEdit(from: ordered(middle), to: ordered(set)))
            #expect(assigned == expected, "seed \(seed)")
            assigned.recordInsertion(.string("x"))
            #expect(assigned.insertions.contains(.string("x")) && assigned != expected)
            assigned.recordDeletion(.string("x"))
            #expect(assigned == expected, "seed \(seed)")
            #expect(merged.isEmpty == (set == before), "seed \(seed)")
        }
    }

    @Test("elements of a set that are equal in order alone go and come")
    func setsOfEqualNumbers() {
        let edit = SetEdit(from: [.int(1), .double(2), .int(3)], to: [.double(1), .double(2), .int(4)])
        #expect(edit == SetEdit(deletions: [.int(1), .int(3)], insertions: [.double(1), .int(4)]))
        #expect(edit.deletions.ascending == [.int(1), .int(3)])
        #expect(!edit.deletions.contains(.double(1)) && edit.insertions.contains(.double(1)))
        // Those that are in no order, as nothing stored is, give the same.
        #expect(SetEdit(from: [.int(3), .int(1), .double(2)], to: [.int(4), .double(2), .double(1)]) == edit)
    }

    @Test("a map's edit has the removed, added and assigned keys")
    func maps() {
        let keys = ["", "a", "A", "é", "e\u{301}", "b"].map { MapKey($0) }
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for _ in 0..<1000 {
            let before = Set(keys.filter { _ in random.next() % 2 == 0 })
            var map = before
            // Of the original keys: assigned since, and removed at some time.
            var assigned: Set<MapKey> = []
            var removed: Set<MapKey> = []
            var whole = MapEdit()
            var merged = MapEdit()
            for _ in 0..<3 {
                var part = MapEdit()
                for _ in 0..<random.next() % 6 {
                    guard let key = keys.randomElement(using: &random) else { continue }
                    let deletes = random.next() % 2 == 0
                    if deletes, before.contains(key) { removed.insert(key) } else { assigned.insert(key) }
                    var edits = [part, whole]
                    for index in edits.indices {
                        switch (map.contains(key), deletes) {
                        case (true, true): edits[index].recordDeletion(key)
                        case (true, false): edits[index].recordModification(key)
                        case (false, _): edits[index].recordInsertion(key)
                        }
                    }
                    (part, whole) = (edits[0], edits[1])
                    if map.contains(key), deletes { map.remove(key) } else { map.insert(key) }
                }
                merged.merge(part)
            }
            let expected = MapEdit(
                deletions: EditedElements(removed),
                insertions: EditedElements(map.subtracting(before).union(map.intersection(removed))),
                modifications: EditedElements(before.subtracting(removed).intersection(assigned)))
            #expect(whole == expected, "seed \(seed)")
            #expect(merged == expected, "seed \(seed)")
        }
    }

    @Test("edits of different kinds do not merge: the later one counts")
    func kinds() {
        var edit = CollectionEdit.list(ListEdit(replacing: 2, with: 1))
        let later = CollectionEdit.set(SetEdit(insertions: [.int(1)]))
        edit.merge(later)
        #expect(edit == later)
        edit.merge(.set(SetEdit(deletions: [.int(1)])))
        #expect(edit.isEmpty)
    }

    @Test("keys of maps are compared and ordered by their bytes")
    func mapKeys() {
        #expect(MapKey("é") != MapKey("e\u{301}"))
        #expect(Set([MapKey("é"), MapKey("e\u{301}"), MapKey("é")]).count == 2)
        #expect(MapKey("Z") < MapKey("a") && MapKey("e\u{301}") < MapKey("é") && MapKey("") < MapKey("\u{0}"))
        let ascending: [MapKey] = ["", "\u{0}", "Z", "a", "e\u{301}", "é"]
        #expect(EditedElements(ascending.reversed()).ascending == ascending)
    }
}
