import ObjectModel
import StoreTesting
import Testing

@testable import SyncEngine
import TestBasics

@Suite("Parts of following a gateway")
struct SyncStateTests {
    @Test("what several uploads do to an object, in their order")
    func touches() {
        #expect(SyncState.merged(.created, .modified(["a"])) == .created)
        #expect(SyncState.merged(.modified(["b"]), .modified(["a"])) == .modified(["a", "b"]))
        #expect(SyncState.merged(.created, .deleted) == .deleted)
        #expect(SyncState.merged(.deleted, .created) == .created)
        #expect(SyncState.merged(nil, .modified(["a"])) == .modified(["a"]))
        #expect(SyncState.merged(nil, nil) == nil)
    }

    @Test("a list of members does what an array does")
    func members() {
        var generator = SeededRandom.ofTest()
        var list = MatchList()
        var array: [Int32] = []
        for number in 0..<4000 {
            if array.isEmpty || Int.random(in: 0..<3, using: &generator) > 0 {
                let place = Int.random(in: 0...array.count, using: &generator)
                // Mostly one, sometimes many in a row.
                let count = number % 100 == 7 ? Int.random(in: 1..<1500, using: &generator) : 1
                let added = (0..<Int32(count)).map { Int32(number) * 1500 + $0 }
                let fits = list.insert(added[...], at: place)
                #expect(fits)
                array.insert(contentsOf: added, at: place)
            } else {
                let place = Int.random(in: 0..<array.count, using: &generator)
                let removed = (list.remove(at: place), array.remove(at: place))
                #expect(removed.0 == removed.1)
            }
        }
        #expect(list.numbers == array)
        let beyond = list.remove(at: -1)
        #expect(list.count == array.count && list.number(at: array.count) == nil && beyond == nil)
        #expect(list.pieces.allSatisfy { !$0.numbers.isEmpty && $0.numbers.count <= MatchList.largest })
        #expect(list.isChanged && MatchList(pieces: list.pieces).numbers == array)
        let isReplaced = list.replace(with: Array(array.prefix(700)))
        #expect(
            isReplaced && list.numbers == Array(array.prefix(700)) && !list.contains(array[701])
                && list.contains(array[0]))
        // What does not fit tells it.
        var (repeated, far, twice) = (list, list, list)
        let fits = [
            repeated.insert(array[699...700], at: 3), far.insert([5], at: 701), twice.replace(with: [3, 4, 3]),
        ]
        #expect(fits == [false, false, false])
    }

    @Test("objects keep their numbers, rows and versions as a dictionary would", arguments: [true, false])
    func reported(integers: Bool) {
        struct Row: Equatable {
            var number: Int32
            var hash: Int?
            var version: UInt64 = 0
        }
        var generator = SeededRandom.ofTest(integers ? 1 : 0)
        var known = ReportedClass()
        var rows: [Value: Row] = [:]
        for step in 1..<4000 {
            let id = Int.random(in: 0..<200, using: &generator)
            let key = integers ? Value.int(Int64(id)) : .string("key \(id)")
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                guard let row = rows.removeValue(forKey: key) else { continue }
                known.remove(row.number)
            case 1 where step % 97 == 0:
                known.forgetTexts()
                for key in rows.keys { rows[key]?.hash = nil }
            case 2 where step % 97 == 0:
                known.forgetVersions()
                for key in rows.keys { rows[key]?.version = 0 }
            case 3:
                guard let row = rows[key] else { continue }
                known.setVersion(UInt64(step), row.number)
                rows[key]?.version = UInt64(step)
            default:
                let number = known.number(adding: key)
                if let row = rows[key] { #expect(row.number == number) } else { rows[key] = Row(number: number) }
                known.setRow(step, number)
                rows[key]?.hash = step
            }
        }
        #expect(Set(rows.values.map(\.number)).count == rows.count)
        for id in 0..<200 {
            let key = integers ? Value.int(Int64(id)) : .string("key \(id)")
            guard let row = rows[key] else {
                #expect(known.number(of: key) == nil)
                continue
            }
            #expect(known.number(of: key) == row.number && known.key(row.number) == key)
            #expect(known.version(row.number) == row.version)
            #expect(known.has(row: row.hash ?? 1, row.number) == (row.hash != nil) && !known.has(row: 0, row.number))
        }
    }
}
