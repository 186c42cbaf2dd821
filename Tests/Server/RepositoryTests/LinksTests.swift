import Foundation
import RepositoryFiles
import Testing

/// Checks that the targets of links between Markdown files exist.
@Suite("Links of the documentation")
struct LinksTests {
    @Test("every link leads to a file, and to a heading where it names one", arguments: MarkdownPage.all.map(\.path))
    func links(path: String) throws {
        #expect(Self.faults(of: try MarkdownPage(path)) == [])
    }

    @Test("every path that a page names exists", arguments: MarkdownPage.all.map(\.path))
    func paths(path: String) throws {
        let missing = try MarkdownPage(path).namedPaths.filter {
            !FileManager.default.fileExists(atPath: Checkout.root + "/" + $0)
        }
        #expect(missing == [])
    }

    @Test("no page cites a section by its number but of laws and RFCs", arguments: MarkdownPage.all.map(\.path))
    func sections(path: String) throws {
        let cited = try MarkdownPage(path).prose.filter { line in
            line.contains("§") && line.firstMatch(of: #/(?:RFC \d+|U\.S\.C\.)[^§]{0,12}§/#) == nil
        }
        #expect(cited == [])
    }

    @Test("no comment in the sources cites a page that is not in the repository, or a section by its number")
    func comments() throws {
        let pages = MarkdownPage.all.map { "/" + $0.path }
        let sources = FileManager.default.enumerator(atPath: Checkout.root + "/Sources")?.compactMap { $0 as? String }
        var cited: [String] = []
        for name in (sources ?? []).sorted() where name.hasSuffix(".swift") {
            let text = try String(contentsOfFile: Checkout.root + "/Sources/" + name, encoding: .utf8)
            for line in text.split(separator: "\n") where line.drop(while: { $0 == " " }).hasPrefix("//") {
                let named = line.matches(of: #/[\w.\/-]+\.md\b/#).map { "/" + $0.output }
                let isKnown = named.allSatisfy { name in pages.contains { $0.hasSuffix(name) } }
                if !isKnown || line.contains("§") && !line.contains("RFC") { cited.append("\(name): \(line)") }
            }
        }
        #expect(cited == [])
    }

    @Test("all pages are found, and their links are read")
    func reading() throws {
        let paths = MarkdownPage.all.map(\.path)
        for path in ["README.md", "CHANGELOG.md", "Benchmarks/README.md", "docs/index.md", "docs/guide/reading.md"] {
            #expect(paths.contains(path))
        }
        let text = """
            # One — two's `three`
            [a](b.md) ![c](d.png "e") `[f](g)` [h](#i)
            \("```")
            [j](k)
            \("```")
            [l]: m.md
            `Sources/none.swift` and `/docs`
            ## Plain words, with a comma
            """
        let page = MarkdownPage(path: "a/x.md", text: text)
        #expect(page.links == ["b.md", "d.png", "#i", "m.md"])
        #expect(page.namedPaths == ["Sources/none.swift"])
        // A heading that GitHub and the site convert differently is not a valid target.
        #expect(page.anchors == ["plain-words-with-a-comma"])
        #expect(
            Self.faults(of: page) == [
                "b.md: there is no a/b.md", "d.png: there is no a/d.png", "#i: a/x.md has no such heading",
                "m.md: there is no a/m.md",
            ])
    }

    private static func faults(of page: MarkdownPage) -> [String] {
        // A reference page links to its own headings by the hundred.
        var anchors = [page.path: page.anchors]
        return page.links.compactMap { link in
            if link.contains("://") || link.hasPrefix("mailto:") { return nil }
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0].removingPercentEncoding ?? parts[0]
            let target = name.isEmpty ? page.path : resolve(name, from: page.path)
            let file = Checkout.root + "/" + target
            guard name.isEmpty || FileManager.default.fileExists(atPath: file) else {
                return "\(link): there is no \(target)"
            }
            guard parts.count == 2 else { return nil }
            if anchors[target] == nil { anchors[target] = (try? MarkdownPage(target))?.anchors }
            return anchors[target]?.contains(parts[1]) == true ? nil : "\(link): \(target) has no such heading"
        }
    }

    /// Resolves a path relative to a file, without `.` and `..`; a path outside of the repository begins with `..`.
    private static func resolve(_ link: String, from file: String) -> String {
        var steps = file.split(separator: "/").dropLast().map(String.init)
        for step in link.split(separator: "/").map(String.init) where step != "." {
            if step == "..", let last = steps.last, last != ".." { steps.removeLast() } else { steps.append(step) }
        }
        return steps.joined(separator: "/")
    }
}
