import DecodingProbe
import Foundation
import RepositoryFiles
import StoreTesting
import Testing
import TestBasics

/// Whatever the bytes of a file's records, they are rejected or can be read: otherwise the probe traps.
@Suite("Damaged records")
struct DamagedRecordTests {
    /// Leaves have tests of their own, in ColumnarTests.
    private static let records = DecodingProbe.allCases.filter { if case .leaf = $0 { false } else { true } }

    @Test("intact records are accepted, damaged ones are rejected or safe to read", arguments: records)
    func damaged(probe: DecodingProbe) {
        var random = SeededRandom.ofTest(probe)
        print("DamagedRecordTests \(probe) seed \(random.seed)")
        for _ in 0..<25 {
            let whole = probe.sample(&random)
            #expect(probe.decode(whole), "seed \(random.seed): \(whole)")
            for _ in 0..<6 {
                var damaged = whole
                for _ in 0...random.below(4) where !damaged.isEmpty {
                    // Mostly the beginning, where counts and sizes are.
                    let offset = random.below(random.oneIn(3) ? damaged.count : min(32, damaged.count))
                    switch random.below(4) {
                    case 0: damaged[offset] ^= 1 << UInt8(random.below(8))
                    case 1: damaged[offset] = random.pick([0, 1, 127, 128, 255]) ?? 0
                    case 2: damaged.insert(UInt8(random.below(256)), at: offset)
                    default: damaged.remove(at: offset)
                    }
                }
                if random.oneIn(4) { damaged.removeLast(random.below(damaged.count + 1)) }
                probe.decode(damaged)
            }
        }
    }

    @Test(
        "a truncated record is never taken for a whole one, where its length is known",
        arguments: [
            DecodingProbe.changeSet, .schema, .blockDirectory,
        ])
    func truncated(probe: DecodingProbe) {
        var random = SeededRandom.ofTest(probe)
        for _ in 0..<8 * TestRun.length {
            let whole = probe.sample(&random)
            for length in 0..<whole.count { probe.decode(Array(whole.prefix(length))) }
            #expect(!probe.decode([]))
        }
    }

    /// Inputs that were once handled wrongly, found by the fuzzer, and some that reach deep code.
    @Test("inputs that the fuzzer found are rejected or safe to read")
    func found() throws {
        let directory = URL(filePath: Checkout.root + "/Tests/Support/DecodingFuzzer/seeds")
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files { DecodingProbe.decode(input: Array(try Data(contentsOf: file))) }
    }
}
