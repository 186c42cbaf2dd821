import Foundation
import RealmSwift
import Synchronization
import TestBasics
import Testing

class ObservedNumbers: Object {
    @Persisted var list: List<Int>
    @Persisted var set: MutableSet<Int>
    @Persisted var map: Map<String, Int>
}

/// Sorted, distinct and filtered values tell what became of their elements. Oracle: the changes applied to the old values
/// give the new ones, and the modifications are the elements that were replaced in the collection and kept their place.
@Suite("Observing results of values")
struct ValuesObservingTests {
    private let fixture = QueueFixture([ObservedNumbers.self])

    private func write(_ body: @Sendable (ObservedNumbers) -> Void) throws {
        try fixture.run { realm in
            try realm.write { body(realm.objects(ObservedNumbers.self)[0]) }
            realm.refresh()
        }
    }

    /// Results of each kind of collection.
    enum Source: CaseIterable, Sendable {
        case sorted, falling, distinct, filtered, filteredAndSorted, sortedAndDistinct, set, map, filteredMap

        func results(_ numbers: ObservedNumbers) -> Results<Int> {
            switch self {
            case .sorted: numbers.list.sorted()
            case .falling: numbers.list.sorted(ascending: false)
            case .distinct: numbers.list.distinct()
            case .filtered: numbers.list.filter("self > 3")
            case .filteredAndSorted: numbers.list.filter("self > 3").sorted()
            case .sortedAndDistinct: numbers.list.sorted().distinct()
            case .set: numbers.set.sorted(ascending: false)
            case .map: numbers.map.sorted()
            case .filteredMap: numbers.map.sorted(ascending: false).filter("self > 3")
            }
        }
    }

    private static func edit(_ numbers: ObservedNumbers, _ random: inout SeededRandom) {
        let value = random.below(8)
        switch random.below(6) {
        case 0, 1: numbers.list.append(value)
        case 2 where !numbers.list.isEmpty: numbers.list[random.below(numbers.list.count)] = value
        case 3 where !numbers.list.isEmpty: numbers.list.remove(at: random.below(numbers.list.count))
        case 4 where numbers.list.count > 1:
            numbers.list.move(from: random.below(numbers.list.count), to: random.below(numbers.list.count))
        default: numbers.list.insert(value, at: random.below(numbers.list.count + 1))
        }
        if random.oneIn(2) { numbers.set.insert(value) } else { numbers.set.remove(value) }
        let key = "k\(random.below(5))"
        numbers.map[key] = random.oneIn(3) ? nil : value
    }

    @Test("changes applied to the old values give the new ones, over random edits", arguments: Source.allCases)
    func replay(_ source: Source) async throws {
        let random = SeededRandom.ofTest(source)
        let state = Mutex<(shown: [Int]?, faults: [String])>((nil, []))
        try fixture.run { [fixture] realm in
            try realm.write { realm.add(ObservedNumbers()) }
            let results = source.results(realm.objects(ObservedNumbers.self)[0])
            fixture.keep(
                results.observe { change in
                    let now: [Int]
                    switch change {
                    case .initial(let results): now = Array(results)
                    case .update(let results, let deletions, let insertions, let modifications):
                        now = Array(results)
                        state.withLock { state in
                            var values = state.shown ?? []
                            if !modifications.allSatisfy({ $0 < values.count && !deletions.contains($0) }) {
                                state.faults.append("modified and deleted: \(modifications) \(deletions)")
                            }
                            var changed = Set(modifications)
                            var marked = values.enumerated().map { (value: $1, isModified: changed.contains($0)) }
                            for index in deletions.reversed() { marked.remove(at: index) }
                            for index in insertions { marked.insert((now[index], false), at: index) }
                            changed = Set(marked.indices.filter { marked[$0].isModified })
                            values = marked.map(\.value)
                            for index in changed where index < now.count { values[index] = now[index] }
                            if values != now { state.faults.append("\(values) for \(now)") }
                        }
                    case .error: now = []
                    }
                    state.withLock { $0.shown = now }
                })
        }
        let edits = Mutex(random)
        for _ in 0..<60 * TestRun.length {
            try write { numbers in
                var random = edits.withLock { $0 }
                for _ in 0..<1 + random.below(3) { Self.edit(numbers, &random) }
                edits.withLock { [random] in $0 = random }
            }
        }
        let isTold = try await eventually {
            let now = try fixture.run { Array(source.results($0.objects(ObservedNumbers.self)[0])) }
            return state.withLock { $0.shown } == now
        }
        #expect(isTold)
        #expect(state.withLock { $0.faults } == [], "seed \(random.seed)")
    }

    @Test("a value that is replaced and keeps its place is modified, equal values are different elements")
    func modifications() async throws {
        try fixture.run { [fixture] realm in
            let numbers = ObservedNumbers()
            numbers.list.append(objectsIn: [5, 1, 9, 5])
            (numbers.map["a"], numbers.map["b"]) = (3, 1)
            try realm.write { realm.add(numbers) }
            for source in [Source.sorted, .distinct, .filtered, .map] {
                let token = source.results(numbers).observe { change in
                    if case .update(_, let deletions, let insertions, let modifications) = change {
                        fixture.note("\(source) \(deletions) \(insertions) \(modifications)")
                    } else {
                        fixture.note("\(source)")
                    }
                }
                fixture.keep(token)
            }
        }
        var count = 4
        _ = try await fixture.notes(count)
        let steps: [(@Sendable (ObservedNumbers) -> Void, Set<String>)] = [
            ({ $0.list[2] = 8 }, ["sorted [] [] [3]", "distinct [] [] [2]", "filtered [] [] [1]"]),
            ({ $0.list[0] = 5 }, ["sorted [] [] [1]", "distinct [] [] [0]", "filtered [] [] [0]"]),
            ({ $0.list[1] = 6 }, ["sorted [0] [2] []", "distinct [] [] [1]", "filtered [] [1] []"]),
            ({ $0.list.remove(at: 0) }, ["sorted [0] [] []", "distinct [0] [2] []", "filtered [0] [] []"]),
            ({ $0.map["a"] = 2 }, ["map [] [] [1]"]),
            ({ $0.map["a"] = 0 }, ["map [1] [0] []"]),
            (
                {
                    $0.map["a"] = nil
                    $0.map["a"] = 0
                }, ["map [0] [0] []"]
            ),
        ]
        for (step, expected) in steps {
            try write(step)
            count += expected.count
            #expect(Set(try await fixture.notes(count).suffix(expected.count)) == expected)
        }
    }

    @Test("after a write that skips an observer its next change is relative to that write")
    func skipped() async throws {
        try fixture.run { [fixture] realm in
            let numbers = ObservedNumbers()
            numbers.list.append(objectsIn: [2, 1])
            try realm.write { realm.add(numbers) }
            let results = numbers.list.sorted()
            let sections = results.sectioned { $0 % 2 }
            fixture.keep(
                results.observe { change in
                    guard case .update(_, let deletions, let insertions, _) = change else {
                        return fixture.note("begin")
                    }
                    fixture.note("\(deletions) \(insertions)")
                })
            fixture.keep(
                sections.observe { change in
                    guard case .update(_, let deletions, let insertions, _, _, _) = change else {
                        return fixture.note("begin")
                    }
                    fixture.note("sections \(deletions.map(Array.init)) \(insertions.map(Array.init))")
                })
        }
        _ = try await fixture.notes(2)
        try fixture.run { [fixture] realm in
            try realm.write(withoutNotifying: fixture.kept) { realm.objects(ObservedNumbers.self)[0].list.append(0) }
            realm.refresh()
        }
        try write { $0.list.append(3) }
        #expect(Set(try await fixture.notes(4).suffix(2)) == ["[] [3]", "sections [] [[1, 1]]"])
    }

    @Test("after invalidate() the next change is relative to the observer's previous call")
    func invalidated() async throws {
        try fixture.run { [fixture] realm in
            let numbers = ObservedNumbers()
            numbers.list.append(objectsIn: [2, 1])
            try realm.write { realm.add(numbers) }
            fixture.keep(
                numbers.list.sorted().observe { change in
                    guard case .update(_, let deletions, let insertions, _) = change else {
                        return fixture.note("begin")
                    }
                    fixture.note("\(deletions) \(insertions)")
                })
        }
        _ = try await fixture.notes(1)
        try fixture.run { $0.invalidate() }
        try write { $0.list.removeLast() }
        #expect(try await fixture.notes(2).last == "[0] []")
    }

    /// What an observer of `values` saw, and whether each change led from one state to the next.
    private static func replay(_ values: Results<Int>, _ fixture: QueueFixture) -> NotificationToken {
        var shown: [Int] = []
        return values.observe { change in
            switch change {
            case .initial(let results):
                shown = Array(results)
                fixture.note("begin")
            case .update(let results, let deletions, let insertions, let modifications):
                let now = Array(results)
                for index in deletions.reversed() { shown.remove(at: index) }
                for index in insertions { shown.insert(now[index], at: index) }
                fixture.note("\(now) \(modifications) \(shown == now)")
            case .error(let error): fixture.note("\(error)")
            }
        }
    }

    @Test(
        "an observer that edits the list at the begin of a write, before another one is called, does not mislead that one",
        arguments: [0, 1, 2])
    func editedWithinWrite(_ edit: Int) async throws {
        let other = QueueFixture(beside: fixture)
        try fixture.run { [fixture] realm in
            let numbers = ObservedNumbers()
            numbers.list.append(objectsIn: [2, 1])
            try realm.write { realm.add(numbers) }
            var isCalled = false
            fixture.keep(
                numbers.list.observe { change in
                    guard case .update(let list, _, _, _) = change else { return fixture.note("begin") }
                    guard !isCalled else { return }
                    isCalled = true
                    switch edit {
                    case 0: list.append(0)
                    case 1: list.removeAll()
                    default: list[0] = 9
                    }
                })
            fixture.keep(Self.replay(numbers.list.sorted(), fixture))
        }
        _ = try await fixture.notes(2)
        try fixture.run { realm in
            try other.run { beside in try beside.write { beside.objects(ObservedNumbers.self)[0].list.append(4) } }
            realm.beginWrite()
            try realm.commitWrite()
        }
        try write { $0.list.append(7) }
        let last = [[0, 1, 2, 4, 7], [7], [1, 4, 7, 9]][edit]
        let notes = try await fixture.notes(with: ["\(last) [] true"])
        #expect(!notes.contains { $0.hasSuffix("false") }, "\(notes)")
    }
}
