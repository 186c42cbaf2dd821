import Foundation
import HTTPTesting
import JSONCoding
import ObjectModel
import ProgramTesting
import RepositoryFiles
import Testing

/// The tour in the README, run as a reader would: every command with the output that stands below it.
@Suite("The README")
struct ReadmeTests {
    /// A command of a `console` block and what it prints there.
    struct Step: Equatable {
        var command: String
        var output: String
    }

    @Test("every command of the tour prints what the README says")
    func tour() throws {
        let readme = try String(contentsOfFile: Checkout.root + "/README.md", encoding: .utf8)
        let steps = Self.blocks("console", in: readme).flatMap(Self.steps)
        let events = try #require(Self.blocks("text", in: readme).first)
        #expect(steps.count >= 8)
        let directory = try TestDirectory()
        let server = try RunningServer(["--demo", "--data", directory.file("demo.realmgate")], in: directory)
        var watcher: ChildProcess?
        for step in steps {
            let command = step.command.replacingOccurrences(of: "http://127.0.0.1:8080", with: server.address)
            let process = try ChildProcess("/bin/sh", ["-c", "exec " + command], directory: directory.path)
            if command.contains("/v1/observe/") {
                try process.wait(until: "the first event") { process.output.contains("event: initial") }
                watcher = process
            } else {
                #expect(try process.wait() == 0, "\(command)")
                // The answers have no line end of their own.
                let isWhole = process.output.isEmpty || process.output.hasSuffix("\n")
                let output = process.output + (isWhole ? "" : "\n")
                #expect(Unmarked.text(output) == Unmarked.text(step.output), "\(step.command)")
            }
        }
        let stream = try #require(watcher)
        try stream.wait(until: "the events of the README: \(events)", seconds: 10) {
            Unmarked.text(stream.output).contains(Unmarked.text(events))
        }
        #expect(try server.stop() == 0)
    }

    @Test("every predicate of the guide finds as many objects as the README says")
    func guide() throws {
        let readme = try String(contentsOfFile: Checkout.root + "/README.md", encoding: .utf8)
        let directory = try TestDirectory()
        let server = try RunningServer(["--demo", "--data", directory.file("demo.realmgate")], in: directory)
        var className = ""
        var count = 0
        for line in readme.split(separator: "\n") where line.hasPrefix("| `") {
            let parts = line.split(separator: "`", maxSplits: 2).map(String.init)
            let cells = parts[2].split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty }
            if cells == ["finds"] {
                className = parts[1]
            } else if let expected = cells.first.flatMap({ Int($0) }), cells.count == 1, !className.isEmpty {
                let process = try ChildProcess(
                    "/usr/bin/env",
                    [
                        "curl", "-sG", "\(server.address)/v1/objects/\(className)", "--data-urlencode",
                        "filter=\(parts[1])", "-d", "count=true", "-d", "limit=0",
                    ], directory: directory.path)
                #expect(try process.wait() == 0)
                #expect(process.output.contains("\"count\":\(expected),"), "\(parts[1]): \(process.output)")
                count += 1
            }
        }
        #expect(count >= 14)
        #expect(try server.stop() == 0)
    }

    @Test("console blocks are read as commands, continued lines and outputs")
    func reading() {
        let text = "a\n```console\n$ one \\\n    two\nout\nput\n$ three\n```\nb\n```text\nc\n```\n"
        #expect(Self.blocks("text", in: text) == ["c\n"])
        #expect(
            Self.blocks("console", in: text).flatMap(Self.steps) == [
                Step(command: "one \\\n    two", output: "out\nput\n"), Step(command: "three", output: ""),
            ])
    }

    private static func blocks(_ kind: String, in text: String) -> [String] {
        text.components(separatedBy: "```\(kind)\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
    }

    private static func steps(of block: String) -> [Step] {
        var steps: [Step] = []
        for line in block.split(separator: "\n") {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2)), output: ""))
            } else if let last = steps.indices.last {
                if steps[last].command.hasSuffix("\\") || steps[last].output.isEmpty && line.hasPrefix("    ") {
                    steps[last].command += "\n" + line
                } else {
                    steps[last].output += line + "\n"
                }
            }
        }
        return steps
    }
}
