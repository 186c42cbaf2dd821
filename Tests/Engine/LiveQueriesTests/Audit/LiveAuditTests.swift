import StoreTesting
import TestBasics
import Testing

/// Long random histories.
struct LiveAuditTests {
    @Test(
        "every observer's state equals that of a fresh query, from any version on", arguments: 0..<3 * TestRun.length)
    func staysCurrent(_ history: Int) throws {
        let seed = TestSeed.of(history)
        let audit = try LiveAudit(seed: seed, length: 500)
        let outcome = try audit.run()
        guard let fault = outcome.fault else {
            if TestRun.hasFixedSeeds {
                #expect(outcome.changes > 0, "seed \(seed)")
                #expect(outcome.resumed > outcome.restarted, "seed \(seed)")
            }
            return
        }
        let small = audit.shrunk()
        Issue.record("\(fault)\n\(small)\n\((try? small.run().fault) ?? "")")
    }
}
