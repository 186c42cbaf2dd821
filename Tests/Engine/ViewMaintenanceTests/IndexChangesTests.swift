import ViewMaintenance
import LiveTesting
import ObjectModel
import StoreTesting
import Testing
import TestBasics

struct IndexChangesTests {
    @Test("a difference leads from the old list to the new one, whatever the lists", arguments: 0..<40)
    func diffLeadsToNew(_ round: Int) {
        var random = SeededRandom.ofTest(round)
        for _ in 0..<25 {
            let old = list(&random)
            let new = next(old, &random)
            let modified = Set(old.filter { _ in random.oneIn(3) })
            let diff = KeyDiff.between(old, new, isModified: modified.contains)
            #expect(diff.faults(from: old, to: new) == [])
        }
    }

    @Test("a difference is right also between lists that contain an element several times", arguments: 0..<20)
    func repeats(_ round: Int) {
        var random = SeededRandom.ofTest(round)
        for _ in 0..<25 {
            let old = (0..<random.below(12)).map { _ in ObjectKey(Int64(random.below(5))) }
            var new = old.filter { _ in !random.oneIn(4) }
            for _ in 0..<random.below(4) {
                new.insert(ObjectKey(Int64(random.below(6))), at: random.below(new.count + 1))
            }
            if random.oneIn(3) { new.shuffle(using: &random) }
            let diff = KeyDiff.between(old, new, isModified: { _ in false })
            #expect(diff.faults(from: old, to: new) == [], "from \(old) to \(new)")
        }
        let twice = [ObjectKey(1), ObjectKey(2), ObjectKey(1)]
        #expect(KeyDiff.between(twice, [ObjectKey(1)], isModified: { _ in false }).deletions == [1, 2])
        #expect(KeyDiff.between(twice, twice.reversed(), isModified: { _ in false }).isEmpty)
    }

    @Test("the longest run stays, and of several the one with the fewest modified elements", arguments: 0..<20)
    func bestRunStays(_ round: Int) {
        var random = SeededRandom.ofTest(round)
        for _ in 0..<10 {
            let old = (0..<1 + random.below(7)).map { ObjectKey(Int64($0)) }
            let new = old.filter { _ in !random.oneIn(6) }.shuffled(using: &random)
            let modified = Set(old.filter { _ in random.oneIn(3) })
            let diff = KeyDiff.between(old, new, isModified: modified.contains)
            let staying = old.indices.filter { !diff.deletions.contains($0) }.map { old[$0] }
            func score(_ run: [ObjectKey]) -> Int { run.count * 100 - run.count { modified.contains($0) } }
            // Every subset of the new list that is in the old order: at most 2^7.
            var best = 0
            for mask in 0..<1 << new.count {
                let run: [ObjectKey] = new.indices.filter { mask & (1 << $0) != 0 }.map { new[$0] }
                if run == run.sorted() { best = max(best, score(run)) }
            }
            #expect(score(staying) == best)
        }
    }

    @Test("nothing differs between a list and itself, and everything between disjoint lists")
    func extremes() {
        let list = (0..<5).map { ObjectKey($0) }
        let other = (10..<13).map { ObjectKey($0) }
        #expect(KeyDiff.between(list, list, isModified: { _ in true }).isEmpty)
        #expect(
            KeyDiff.between(list, other, isModified: { _ in false })
                == IndexChanges(deletions: [0, 1, 2, 3, 4], insertions: [0, 1, 2]))
        #expect(KeyDiff.between([], [], isModified: { _ in false }).isEmpty)
    }

    @Test("a merged change is equivalent to its parts one after the other", arguments: 0..<40)
    func mergeLaw(_ round: Int) {
        var random = SeededRandom.ofTest(round)
        for _ in 0..<25 {
            let first = list(&random)
            let second = next(first, &random)
            let third = next(second, &random)
            let a = change(first, second, &random)
            let b = change(second, third, &random)
            var merged = a
            merged.merge(b)
            #expect(merged.faults(from: first, to: third) == [])
            #expect(merged.applied(to: first, taking: third) == third)

            // An element is modified if it stayed throughout and either part lists it.
            var expected: [Int] = []
            for (index, _) in first.enumerated() {
                guard let middle = a.newIndex(ofOld: index), b.newIndex(ofOld: middle) != nil else { continue }
                if a.modifications.contains(index) || b.modifications.contains(middle) { expected.append(index) }
            }
            #expect(merged.modifications == expected)
        }
    }

    @Test("positions translate both ways for everything that stays")
    func positions() {
        let change = IndexChanges(deletions: [1, 3], insertions: [0, 2, 5])
        #expect((0..<6).map { change.newIndex(ofOld: $0) } == [1, nil, 3, nil, 4, 6])
        #expect((0..<7).map { change.oldIndex(ofNew: $0) } == [nil, 0, nil, 2, 4, nil, 5])
    }

    private func list(_ random: inout SeededRandom) -> [ObjectKey] {
        (0..<random.below(14)).map { ObjectKey(Int64($0)) }.shuffled(using: &random)
    }

    /// A list that shares much with another one: sometimes shuffled, sometimes with one element at another position.
    private func next(_ list: [ObjectKey], _ random: inout SeededRandom) -> [ObjectKey] {
        var list = list.filter { _ in !random.oneIn(5) }
        for number in 0..<random.below(4) {
            list.insert(ObjectKey(Int64(random.below(1 << 40)) + 100 + Int64(number)), at: random.below(list.count + 1))
        }
        if random.oneIn(4) { list.shuffle(using: &random) }
        if !list.isEmpty, random.oneIn(2) {
            let moved = list.remove(at: random.below(list.count))
            list.insert(moved, at: random.below(list.count + 1))
        }
        return list
    }

    private func change(_ old: [ObjectKey], _ new: [ObjectKey], _ random: inout SeededRandom) -> IndexChanges {
        var change = KeyDiff.between(old, new, isModified: { _ in false })
        for index in old.indices where random.oneIn(3) {
            guard let position = change.newIndex(ofOld: index) else { continue }
            change.modifications.append(index)
            change.modificationsNew.append(position)
        }
        return change
    }
}
