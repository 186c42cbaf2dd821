import Foundation
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import Testing

/// Runs the examples of one page with a server of their own.
///
/// - A `console` block has commands after `$ `, continued by a backslash or four spaces, each with its output. They run
///   in a directory of their own, in which the server's database is `data.realmgate`.
/// - A command with `curl -sN` continues to run. The following blocks of `text` are its output, in this order.
/// - A command `NAME=…` sets a variable for later commands.
/// - A block with a title is a file with that name. So is `people.realm`, where the page has that name.
/// - `…` in an output matches any text within the line, and tags of histories are not compared.
final class PageExamples {
    /// A command of a `console` block with its output there.
    struct Step: Equatable {
        var command: String
        var output: String
    }

    private static let address = "http://127.0.0.1:8080"

    private let page: MarkdownPage
    private let directory: TestDirectory
    private let server: RunningServer
    private var variables: [String: String] = [:]
    private var watchers: [ChildProcess] = []
    /// The number of commands that ran.
    private(set) var count = 0

    private static let demoDirectory = Result { try TestDirectory() }

    /// A database with the demo. Each page gets a copy, because loading it takes long.
    private static let demo = Result {
        let directory = try demoDirectory.get()
        let server = try RunningServer(["--demo", "--data", directory.file("demo.realmgate")], in: directory)
        #expect(try server.stop() == 0)
        return directory.file("demo.realmgate")
    }

    init(_ page: MarkdownPage) throws {
        self.page = page
        directory = try TestDirectory()
        if page.database == .demo {
            try FileManager.default.copyItem(atPath: try Self.demo.get(), toPath: directory.file("data.realmgate"))
        }
        let realmFile = "people.realm"
        if page.text.contains(realmFile) {
            try FileManager.default.copyItem(
                atPath: Checkout.root + "/Examples/Realm/" + realmFile, toPath: directory.file(realmFile))
        }
        server = try RunningServer(["--data", directory.file("data.realmgate")], in: directory)
    }

    /// Runs all commands; records an issue of the test for each difference.
    func run() throws {
        for block in page.blocks {
            if let title = block.title {
                try directory.write(here(block.content), to: title)
            } else if block.language == "console" {
                for step in Self.steps(of: block.content) { try run(step) }
            } else if block.language == "text", let watcher = watchers.last {
                try watcher.wait(until: "these events of \(page.path):\n\(block.content)\n") {
                    Self.contains(watcher.output, block.content)
                }
            }
        }
        for (className, predicate, number) in Self.findings(of: page.text) {
            let query = ["--data-urlencode", "filter=\(predicate)", "-d", "count=true", "-d", "limit=0"]
            let process = try ChildProcess(
                "/usr/bin/env", ["curl", "-sG", "\(server.address)/v1/objects/\(className)"] + query,
                directory: directory.path)
            #expect(try process.wait() == 0)
            #expect(process.output.contains("\"count\":\(number),"), "\(page.path): \(predicate): \(process.output)")
            count += 1
        }
        #expect(try server.stop() == 0)
    }

    private func here(_ text: String) -> String { text.replacingOccurrences(of: Self.address, with: server.address) }

    private func run(_ step: Step) throws {
        count += 1
        let programs = (try Program.executable() as NSString).deletingLastPathComponent
        let path = "PATH='\(programs)':$PATH; "
        guard !step.command.contains("curl -sN") else {
            let watcher = try shell(path + "exec " + here(step.command))
            try watcher.wait(until: "the first event of \(step.command)") { watcher.output.contains("event: ") }
            return watchers.append(watcher)
        }
        let variable = step.command.prefixMatch(of: #/([A-Za-z_]\w*)=/#).map { String($0.output.1) }
        let process = try shell(path + here(step.command) + (variable.map { "; printf %s \"$\($0)\"" } ?? ""))
        #expect(try process.wait() == 0, "\(page.path): \(step.command) \(process.errors)")
        if let variable {
            variables[variable] = process.output
        } else {
            let output = process.output.replacingOccurrences(of: server.address, with: Self.address)
            #expect(Self.matches(output, step.output), "\(page.path): \(step.command)\nprints\n\(output)")
        }
    }

    private func shell(_ command: String) throws -> ChildProcess {
        try ChildProcess(
            "/bin/sh", ["-c", command], environment: variables, directory: directory.path, startsThere: true)
    }
}

extension PageExamples {
    static func steps(of block: String) -> [Step] {
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

    /// The rows of tables whose headers are a class and `finds`: a predicate, and the number of objects that it
    /// matches.
    static func findings(of text: String) -> [(className: String, predicate: String, number: Int)] {
        var className: String?
        var found: [(String, String, Int)] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if !line.hasPrefix("|") { className = nil }
            let parts = line.split(separator: "`", maxSplits: 2).map(String.init)
            guard parts.count == 3, parts[0] == "| " else { continue }
            let cells = parts[2].split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty }
            if cells == ["finds"] {
                className = parts[1]
            } else if let className, cells.count == 1, let number = cells.first.flatMap({ Int($0) }) {
                found.append((className, parts[1], number))
            }
        }
        return found
    }

    /// Whether the output is that of the page.
    static func matches(_ output: String, _ expected: String) -> Bool {
        let (lines, patterns) = (lines(output), lines(expected))
        return lines.count == patterns.count && zip(lines, patterns).allSatisfy(lineMatches)
    }

    /// Whether the output contains the lines of the page consecutively.
    static func contains(_ output: String, _ expected: String) -> Bool {
        let (lines, patterns) = (lines(output), lines(expected))
        guard patterns.count <= lines.count else { return false }
        return (0...lines.count - patterns.count).contains { first in
            zip(lines[first...], patterns).allSatisfy(lineMatches)
        }
    }

    /// Responses have no final line break, CSV has others, and empty lines are ignored on both sides.
    private static func lines(_ text: String) -> [Substring] { Unmarked.text(text).split(whereSeparator: \.isNewline) }

    /// Each part between `…` follows the preceding one, the first at the beginning, the last at the end.
    private static func lineMatches(_ line: Substring, _ pattern: Substring) -> Bool {
        let parts = pattern.components(separatedBy: "…")
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return line == pattern }
        guard line.hasPrefix(first) else { return false }
        var rest = line.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
