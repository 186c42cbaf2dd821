import Basics
import ViewMaintenance
import LiveTesting
import ObjectModel
import StoreTesting
import Testing
import TestBasics

struct KeySequenceTests {
    @Test("after random insertions and removals a sequence equals an array", arguments: [0, 1, 700, 5_000, 40_000])
    func behavesAsArray(_ count: Int) {
        let seed = TestSeed.of(count)
        var random = SeededRandom(seed: seed)
        var array = (0..<count).map { _ in ObjectKey(Int64(random.below(1 << 30))) }
        var sequence = KeySequence(array)
        var copies: [(KeySequence, [ObjectKey])] = []
        for round in 0..<600 {
            // Runs of insertions at one position split nodes, runs of removals empty them.
            let position = random.below(array.count + 1)
            let shrinks = random.oneIn(2)
            for _ in 0..<1 + (random.oneIn(20) ? random.below(1_200) : random.below(2)) {
                if shrinks {
                    guard !array.isEmpty else { break }
                    let index = min(position, array.count - 1)
                    let (removed, expected) = (sequence.remove(at: index), array.remove(at: index))
                    // Recorded only on failure: recording takes longer than the removal.
                    if removed != expected { Issue.record("seed \(seed): \(removed) instead of \(expected)") }
                } else {
                    let key = ObjectKey(Int64(random.below(1 << 30)))
                    array.insert(key, at: position)
                    sequence.insert(key, at: position)
                }
            }
            guard round % 60 == 0 else { continue }
            check(sequence, array, &random, "seed \(seed), round \(round)")
            copies.append((sequence, array))
        }
        // Earlier copies are unchanged.
        for (copy, keys) in copies { #expect(Array(copy) == keys, "seed \(seed)") }
    }

    private func check(_ sequence: KeySequence, _ array: [ObjectKey], _ random: inout SeededRandom, _ context: String) {
        #expect(sequence.count == array.count, "\(context)")
        #expect(Array(sequence) == array, "\(context)")
        for _ in 0..<20 where !array.isEmpty {
            let index = random.below(array.count)
            #expect(sequence[index] == array[index], "\(context), index \(index)")
            let end = index + random.below(array.count - index + 1)
            #expect(sequence.keys(in: index..<end) == Array(array[index..<end]), "\(context), \(index)..<\(end)")
            let near = min(end, index + 600)
            #expect(Array(sequence[index..<near]) == Array(array[index..<near]), "\(context), \(index)..<\(near)")
        }
        var chunks: [ObjectKey] = []
        sequence.forEachChunk { chunk in
            chunks += chunk
            return true
        }
        #expect(chunks == array, "\(context)")
    }

    @Test("a search finds the same position as in an array", arguments: [0, 1, 511, 513, 30_000])
    func searches(_ count: Int) {
        let seed = TestSeed.of(count)
        var random = SeededRandom(seed: seed)
        var array = (0..<count).map { _ in ObjectKey(Int64(random.below(count * 2))) }.sorted()
        var sequence = KeySequence(array)
        for _ in 0..<300 where !array.isEmpty {
            let index = random.below(array.count)
            array.remove(at: index)
            sequence.remove(at: index)
        }
        for _ in 0..<200 {
            let key = ObjectKey(Int64(random.below(count * 2 + 2)) - 1)
            var looks = 0
            let found = sequence.partitioningIndex { other in
                looks += 1
                return other >= key
            }
            #expect(found == array.partitioningIndex { $0 >= key }, "seed \(seed), key \(key)")
            #expect(looks <= 24, "seed \(seed)")
        }
    }

    @Test("equal sequences are equal whatever their history")
    func equality() {
        let keys = (0..<3_000).map { ObjectKey($0) }
        let built = KeySequence(keys)
        var grown = KeySequence()
        for key in keys.reversed() { grown.insert(key, at: 0) }
        #expect(grown == built)
        #expect(grown.hashValue == built.hashValue)
        let removed = grown.remove(at: 2_000)
        #expect(grown != built)
        grown.insert(removed, at: 2_000)
        #expect(grown == built)
        #expect(KeySequence() == [])
        #expect(KeySequence([ObjectKey(1)]) == [ObjectKey(1)])
    }

    @Test("removing everything from either end, or the middle, leaves an empty sequence", arguments: [0, 1, 2])
    func emptied(_ end: Int) {
        let keys = (0..<20_000).map { ObjectKey($0) }
        var sequence = KeySequence(keys)
        while !sequence.isEmpty { sequence.remove(at: (sequence.count - 1) * end / 2) }
        #expect(Array(sequence) == [])
        sequence.insert(ObjectKey(7), at: 0)
        #expect(sequence == [ObjectKey(7)])
    }
}
