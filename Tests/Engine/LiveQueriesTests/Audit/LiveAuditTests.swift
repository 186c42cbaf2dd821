import Foundation
import StoreTesting
import Testing

/// Long random histories: REALMGATE_LIVE_STEPS is the total number of operations, 4,000 when it is not set. A seed
/// given as REALMGATE_SEED is run alone.
struct LiveAuditTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let length = 500
    private static let seeds: [UInt64] = {
        if let seed = environment["REALMGATE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let steps = environment["REALMGATE_LIVE_STEPS"].flatMap { Int($0) } ?? 4_000
        return (0..<max(1, steps / length)).map { _ in UInt64.random(in: 0..<1 << 32) }
    }()

    @Test("every observer's state equals that of a fresh query, from any version on", arguments: seeds)
    func staysCurrent(_ seed: UInt64) throws {
        let audit = try LiveAudit(seed: seed, length: Self.length)
        let outcome = try audit.run()
        guard let fault = outcome.fault else {
            #expect(outcome.changes > 0, "seed \(seed)")
            #expect(outcome.resumed > outcome.restarted, "seed \(seed)")
            return
        }
        let small = audit.shrunk()
        Issue.record("\(fault)\n\(small)\n\((try? small.run().fault) ?? "")")
    }
}
