import Foundation
import RepositoryFiles
import Testing

/// Something that no test may do, but in some files, with the reason for each.
struct TestBan: Sendable, CustomTestStringConvertible {
    let name: String
    /// Returns the parts of a text where it is done.
    let occurrences: @Sendable (String) -> [String]
    let advice: String
    var exceptions: [String: String] = [:]

    var testDescription: String { name }
}

/// A test fails only for a fault: what makes one depend on luck or on the machine's speed is found in its source.
@Suite("Sources of tests")
struct TestSourcesTests {
    /// The calls that begin with `opening`, which ends with a bracket, up to the bracket that closes them.
    private static func calls(_ opening: String, in text: String) -> [Substring] {
        text.ranges(of: opening).map { range in
            var depth = 1
            var end = range.upperBound
            while end < text.endIndex, depth > 0 {
                if text[end] == "(" { depth += 1 }
                if text[end] == ")" { depth -= 1 }
                end = text.index(after: end)
            }
            return text[range.lowerBound..<end]
        }
    }

    private static let bans: [TestBan] = [
        TestBan(
            name: "randomness without a generator",
            occurrences: { text in
                [".random(", ".randomElement(", ".shuffled(", ".shuffle("].flatMap { calls($0, in: text) }
                    .filter { !$0.contains("using:") && !$0.contains("&") }.map(String.init)
                    + ["SystemRandomNumberGenerator", "arc4random", "getrandom"].filter(text.contains)
            },
            advice: "Use SeededRandom.ofTest().",
            exceptions: [
                "Tests/Support/TestBasics/TestRun.swift": "draws the number of a run with random seeds"
            ]),
        TestBan(
            name: "limits of elapsed time",
            occurrences: { text in
                [
                    #/\.timeLimit\(|Date\(\)\.addingTimeInterval\(|while .*Date\(\) <|asyncAfter\(/#,
                    // So many pauses at most.
                    #/for .* where .*sleep\(/#,
                ].flatMap { text.matches(of: $0).map { String($0.output) } }
            },
            advice: "Wait with eventually { … } of TestBasics.",
            exceptions: [
                "Tests/Engine/LiveQueriesTests/Audit/LiveAudit+Shrinking.swift":
                    "looks for a shorter history after a failure"
            ]),
    ]

    @Test("have none of what makes a test depend on luck", arguments: bans)
    func sound(_ ban: TestBan) throws {
        var found: [String] = []
        let names = FileManager.default.enumerator(atPath: Checkout.root + "/Tests")?.compactMap { $0 as? String } ?? []
        for name in names.sorted() where name.hasSuffix(".swift") && !name.hasSuffix("TestSourcesTests.swift") {
            let path = "Tests/" + name
            guard ban.exceptions[path] == nil else { continue }
            let occurrences = ban.occurrences(try String(contentsOfFile: Checkout.root + "/" + path, encoding: .utf8))
            found += occurrences.map { "\(path): \($0)" }
        }
        #expect(found == [], "\(ban.advice)")
    }

    @Test("the checks find what they are for")
    func planted() throws {
        let random = try #require(Self.bans.first)
        #expect(random.occurrences("let a = Int.random(in: f(0)..<9)") == [".random(in: f(0)..<9)"])
        #expect(random.occurrences("let a = Int.random(\n  in: f(0)..<9, using: &random)") == [])
        #expect(random.occurrences("x.shuffled()") == [".shuffled()"])
        let time = try #require(Self.bans.last)
        #expect(time.occurrences("while Date() < end {}") == ["while Date() <"])
        let pauses = "for _ in 0..<400 where isEmpty { usleep("
        #expect(time.occurrences(pauses + "5_000) }") == [pauses])
    }

    @Test("the trials that run every night are those that there are")
    func trials() throws {
        let there = try FileManager.default.contentsOfDirectory(atPath: Checkout.root + "/.ci/trials.d").sorted()
        let workflow = try String(contentsOfFile: Checkout.root + "/.github/workflows/nightly.yml", encoding: .utf8)
        let list = try #require(workflow.firstMatch(of: #/trial:\n((?: +- [\w-]+\n)+)/#)).output.1
        #expect(list.split(separator: "\n").map { $0.drop { " -".contains($0) } }.map(String.init) == there)
    }
}
