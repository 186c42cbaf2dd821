import Basics
import StoreTesting
import Testing

@testable import ObjectModel
import TestBasics

/// Edits that make one collection of another, on random ones.
@Suite("Differences of collections")
struct ListDifferenceTests {
    private static func applied(_ steps: [ListDifference.Step], to old: [Value]) -> [Value] {
        var list = old
        for step in steps {
            switch step {
            case .replace(let index, let value): list[index] = value
            case .remove(let index): list.remove(at: index)
            case .insert(let index, let value): list.insert(value, at: index)
            }
        }
        return list
    }

    /// The length of the longest list that both can be made of by leaving elements out.
    private static func shared(_ a: ArraySlice<Value>, _ b: ArraySlice<Value>) -> Int {
        var row = [Int](repeating: 0, count: b.count + 1)
        for x in a {
            var diagonal = 0
            for (j, y) in b.enumerated() {
                let above = row[j + 1]
                row[j + 1] = x == y ? diagonal + 1 : max(above, row[j])
                diagonal = above
            }
        }
        return row[b.count]
    }

    /// A list with many repeated elements, or one made of `list` by some edits.
    private static func list(like list: [Value]?, _ random: inout SeededRandom) -> [Value] {
        func element() -> Value { .int(Int64(random.next() % 5)) }
        guard var list else { return (0..<Int(random.next() % 9)).map { _ in element() } }
        for _ in 0..<random.next() % 5 {
            let index = Int(random.next() % UInt64(list.count + 1))
            switch random.next() % 3 {
            case 0: list.insert(element(), at: index)
            case 1 where index < list.count: list.remove(at: index)
            default: if index < list.count { list[index] = element() }
            }
        }
        return list
    }

    private static func lists(_ body: ([Value], [Value], Comment) throws -> Void) rethrows {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for _ in 0..<3000 {
            let old = list(like: nil, &random)
            try body(old, list(like: random.next() % 4 == 0 ? nil : old, &random), "seed \(seed)")
        }
    }

    @Test("the steps make the new list of the old one, and none are made between equal ones")
    func lists() throws {
        try Self.lists { old, new, comment in
            let steps = try #require(ListDifference.steps(from: old, to: new))
            #expect(Self.applied(steps, to: old) == new, comment)
            #expect(steps.isEmpty == (old == new), comment)
            let byPosition = ListDifference.stepsByPosition(from: old, to: new)
            #expect(Self.applied(byPosition, to: old) == new, comment)
            #expect(byPosition.isEmpty == (old == new), comment)
        }
    }

    @Test("equal ends are not touched, elements are assigned in place, or as few as can be are taken out and put in")
    func fewest() throws {
        try Self.lists { old, new, comment in
            let steps = try #require(ListDifference.steps(from: old, to: new))
            let head = zip(old, new).prefix { $0 == $1 }.count
            let rest = min(old.count, new.count) - head
            let tail = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count
            let (before, after) = (old[head..<old.count - tail], new[head..<new.count - tail])
            if case .replace? = steps.first {
                #expect(steps.count == zip(old, new).count { $0 != $1 } && old.count == new.count, comment)
                #expect(steps.count <= 1 + before.count / 2, comment)
            } else {
                #expect(steps.count == before.count + after.count - 2 * Self.shared(before, after), comment)
            }
            for step in steps {
                switch step {
                case .replace(let index, _), .remove(let index): #expect((head..<old.count - tail) ~= index, comment)
                case .insert(let index, _): #expect((head..<new.count - tail) ~= index, comment)
                }
            }
        }
    }

    @Test("a long list that is read in pieces has the steps of one in memory", arguments: 0..<4)
    func pieces(round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let comment: Comment = "seed \(random.seed)"
        for _ in 0..<20 {
            let count = ListDifference.piece * random.below(4) + random.below(3)
            let old: [Value] = (0..<count).map { (number: Int) -> Value in .int(Int64(number % 7)) }
            var new = old
            for _ in 0..<random.below(3) {
                let index = random.below(new.count + 1)
                switch random.below(3) {
                case 0: new.insert(.int(Int64(random.below(7))), at: index)
                case 1 where index < new.count: new.remove(at: index)
                default: if index < new.count { new[index] = .null }
                }
            }
            if random.oneIn(8) { new = Array(new.prefix(random.below(3))) }
            var most = 0
            let steps = ListDifference.steps(from: count, to: new) { range in
                most = max(most, range.count)
                return old[range]
            }
            #expect(steps == ListDifference.steps(from: old, to: new), comment)
            #expect(most <= ListDifference.piece, comment)
            if let steps { #expect(Self.applied(steps, to: old) == new, comment) }
            // A list that is shorter than it says, as a writer may see it that sees a part.
            #expect(
                ListDifference.steps(from: count + 1, to: new + [.null, .null]) { old[$0.clamped(to: 0..<count)] }
                    == nil || count == 0)
        }
    }

    @Test("lists with very many differences are not compared, however long what they share is")
    func limit() {
        let shared: [Value] = (0..<5000).map { (number: Int) -> Value in Value.int(Int64(number)) }
        let half = ListDifference.limit / 2
        func changed(_ count: Int) -> [Value] {
            var list: [Value] = shared
            let new: [Value] = (0..<count).map { (number: Int) -> Value in Value.int(Int64(-1 - number)) }
            list.insert(contentsOf: new, at: 100)
            return list
        }
        #expect(ListDifference.steps(from: shared, to: changed(ListDifference.limit))?.count == ListDifference.limit)
        #expect(ListDifference.steps(from: shared, to: changed(ListDifference.limit + 1)) == nil)
        #expect(ListDifference.steps(from: changed(half), to: changed(half + 1)) != nil)
    }

    @Test("the edit of a list names what the steps do")
    func edits() {
        Self.lists { (old: [Value], new: [Value], comment: Comment) in
            let edit = ListEdit(from: old, to: new)
            let kept: [Value] = old.indices.filter { !edit.deletions.contains($0) }.map { old[$0] }
            let stayed: [Int] = new.indices.filter { !edit.insertions.contains($0) }
            #expect(kept.count == stayed.count, comment)
            for (value, index) in zip(kept, stayed) where value != new[index] {
                #expect(edit.modifications.contains(index), comment)
            }
            let whole = CollectionEdit(from: .list(old), to: .list(new))
            let expected: CollectionEdit? = old == new ? nil : .list(edit)
            #expect(whole == expected, comment)
        }
    }

    @Test("sets differ by what went and came")
    func sets() {
        Self.lists { (old: [Value], new: [Value], comment: Comment) in
            let (before, after) = (Set(old), Set(new))
            let edit = SetEdit(
                deletions: EditedElements(before.subtracting(after)),
                insertions: EditedElements(after.subtracting(before)))
            let whole = CollectionEdit(from: .set(Array(before)), to: .set(Array(after)))
            let expected: CollectionEdit? = before == after ? nil : .set(edit)
            #expect(whole == expected, comment)
        }
    }

    /// Keys are elements, values their positions, of equal ones the last.
    private static func map(_ list: [Value]) -> ValueMap {
        ValueMap(list.enumerated().map { ("\($0.element)", Value.int(Int64($0.offset))) })
    }

    private static func keys(of map: ValueMap, _ isMember: (ValueMap.Entry) -> Bool) -> EditedElements<MapKey> {
        EditedElements(Set(map.entries.filter(isMember).map { MapKey($0.key) }))
    }

    @Test("maps differ by the keys that went, came and have another value, or any value when the whole is assigned")
    func maps() {
        Self.lists { (old: [Value], new: [Value], comment: Comment) in
            let (was, now) = (Self.map(old), Self.map(new))
            let shared = Self.keys(of: now) { was[$0.key] != nil }
            let different = Self.keys(of: now) { entry in was[entry.key] != nil && was[entry.key] != entry.value }
            let deleted = Self.keys(of: was) { now[$0.key] == nil }
            let come = Self.keys(of: now) { was[$0.key] == nil }
            let edit = MapEdit(deletions: deleted, insertions: come, modifications: different)
            #expect(MapEdit(from: was, to: now) == edit, comment)
            let whole = CollectionEdit(from: .dictionary(was), to: .dictionary(now))
            let expected: CollectionEdit? = was == now ? nil : .map(edit)
            #expect(whole == expected, comment)
            let assigned = MapEdit(from: was, to: now, assignsEqual: true)
            #expect(assigned == MapEdit(deletions: deleted, insertions: come, modifications: shared), comment)
        }
    }

    @Test("collections of different kinds have no difference")
    func kinds() {
        #expect(CollectionEdit(from: .list([.null]), to: .set([])) == nil)
        #expect(CollectionEdit(from: .null, to: .list([])) == nil)
    }
}
