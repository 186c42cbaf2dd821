import JSONCoding
import LiveTesting
import StoreContract
import StoreTesting
import TestBasics
import Testing

/// A store runs writes again when their commit failed.
@Suite("Writes whose commit is tried twice")
struct RepeatedCommitTests {
    /// Two stores with the same content; every commit of the second is tried twice.
    private struct Pair {
        let once: StormHome
        let twice: StormHome
        let repeating: RepeatingStore

        init() throws {
            once = try StormHome()
            var made: RepeatingStore?
            twice = try StormHome { base in
                let store = RepeatingStore(base)
                made = store
                return store
            }
            repeating = try #require(made)
            for home in [once, twice] {
                let migrator = StormMigrator(SeededRandom(seed: 1))
                try migrator.put([], to: home.wire)
                try home.fill()
            }
        }

        func expectSameItems(_ note: String) throws {
            let items = try [once, twice].map { try $0.wire.get("/v1/objects/Item?sort=id").json?.canonical }
            #expect(items[0] == items[1], "\(note)")
        }
    }

    @Test("writes of every kind answer and change what they would have with one run")
    func everyWrite() throws {
        let pair = try Pair()
        let random = SeededRandom.ofTest()
        var writer = StormWriter(1, random)
        let before = pair.repeating.repetitions
        for number in 0..<300 * TestRun.length {
            let write = writer.next()
            let note = "seed \(random.seed), write \(number): \(write)"
            func send(_ home: StormHome) throws -> WireResponse {
                try home.wire.send(write.method, write.target, write.body, headers: write.headers)
            }
            let twice = try send(pair.twice)
            let once = try send(pair.once)
            #expect(once.status == twice.status && once.code == twice.code, "\(note): \(once), \(twice)")
            if once.status < 300 {
                #expect(once.json?.canonical == twice.json?.canonical, "\(note): \(once), \(twice)")
            }
            if let fault = writer.fault(write, twice) { Issue.record("\(note): \(fault)") }
        }
        try pair.expectSameItems("seed \(random.seed)")
        if TestRun.hasFixedSeeds { #expect(pair.repeating.repetitions - before > 200) }
    }
}
