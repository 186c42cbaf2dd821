import ProgramTesting
import RepositoryFiles
import Testing

/// Runs the commands of the README and of `docs/`, and compares the output with that on the page.
@Suite("The examples of the documentation")
struct ReadmeTests {
    private static let pages = MarkdownPage.all.filter { $0.database != nil }.map(\.path)

    @Test("every command prints what its page says, and every predicate finds as many", arguments: pages)
    func examples(path: String) throws {
        let examples = try PageExamples(try MarkdownPage(path))
        try examples.run()
        #expect(examples.count >= 4)
    }

    @Test("the README, the tutorial and the guide are among the pages that run")
    func pagesRun() throws {
        let guide = MarkdownPage.all.map(\.path).filter {
            $0.hasPrefix("docs/guide/") || $0.hasPrefix("docs/tutorial/")
        }
        #expect(guide.count >= 12)
        // The first has no commands; clients/javascript/tests/guide.test.js runs the second. What the third describes is
        // started by other programs: ToolsCommandTests has its transcripts.
        let others = ["docs/guide/console.md", "docs/guide/javascript.md", "docs/guide/language-models.md"]
        #expect(Set(["README.md"] + guide).subtracting(Self.pages) == Set(others))
    }

    @Test("a page with commands says which database they run against")
    func databases() {
        let unmarked = MarkdownPage.all.filter { page in
            page.database == nil && page.blocks.contains { $0.language == "console" }
        }
        #expect(unmarked.map(\.path) == [])
    }

    @Test("the README fits in 150 lines")
    func length() throws {
        #expect(
            try MarkdownPage("README.md").text.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
    }

    @Test("console blocks are read as commands, continued lines and outputs")
    func reading() {
        let fence = "```"
        let text = """
            a
            \(fence)console
            $ one \\
                two
            out
            put
            $ three
            \(fence)
            b
            \(fence)json title="c.json"
            {}
            \(fence)
            """
        let blocks = MarkdownPage(path: "a.md", text: text).blocks
        #expect(blocks.last == MarkdownPage.Block(language: "json", title: "c.json", content: "{}\n"))
        #expect(
            blocks.first.map { PageExamples.steps(of: $0.content) } == [
                PageExamples.Step(command: "one \\\n    two", output: "out\nput\n"),
                PageExamples.Step(command: "three", output: ""),
            ])
    }

    @Test("what is printed differs only where the page has an ellipsis, and in tags of histories")
    func comparing() {
        #expect(PageExamples.matches(#"{"a":1,"at":"now","b":2}"#, #"{"a":1,"at":"…","b":2}"# + "\n"))
        #expect(!PageExamples.matches(#"{"a":1,"at":"now","b":3}"#, #"{"a":1,"at":"…","b":2}"#))
        #expect(!PageExamples.matches(#"{"a":1}"#, #"{"a":2}"#))
        #expect(!PageExamples.matches("one\ntwo", "one"))
        #expect(PageExamples.matches("id: 4-00000000", "id: 4-9f2c41d7"))
        #expect(!PageExamples.matches("id: 5-00000000", "id: 4-9f2c41d7"))
        #expect(PageExamples.contains("retry: 1\nid: 4\n\nid: 5\n", "id: 4\nid: …\n"))
        #expect(!PageExamples.contains("id: 4\n", "id: 4\nid: 5\n"))
        #expect(PageExamples.matches("id,name\r\n1,Rex\r\n", "id,name\n1,Rex\n"))
    }

    @Test("tables of predicates are read by class, and other tables are not")
    func findings() {
        let table = "| `Dog` | finds |\n| --- | --: |\n| `age > 3` | 2 |\n\n| `after` | 410 |\n"
        let found = PageExamples.findings(of: table)
        #expect(found.map(\.className) == ["Dog"])
        #expect(found.map(\.predicate) == ["age > 3"])
        #expect(found.map(\.number) == [2])
    }
}
