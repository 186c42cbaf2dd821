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
        var array: [Value] = []
        for number in 0..<4000 {
            if array.isEmpty || Int.random(in: 0..<3, using: &generator) > 0 {
                let place = Int.random(in: 0...array.count, using: &generator)
                list.insert(.int(Int64(number)), at: place)
                array.insert(.int(Int64(number)), at: place)
            } else {
                let place = Int.random(in: 0..<array.count, using: &generator)
                #expect(list.remove(at: place) == array.remove(at: place))
            }
        }
        #expect(list.keys == array)
        #expect(list.count == array.count && list.key(at: array.count) == nil && list.remove(at: -1) == nil)
        #expect(list.pieces.allSatisfy { !$0.keys.isEmpty && $0.keys.count <= MatchList.largest })
        list.replace(with: Array(array.prefix(700)))
        #expect(list.keys == Array(array.prefix(700)) && !list.contains(array[701]) && list.contains(array[0]))
    }
}
