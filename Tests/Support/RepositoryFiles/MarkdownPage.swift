import Foundation

/// A Markdown file of the repository.
package struct MarkdownPage: Sendable {
    /// The path from the top of the repository.
    package let path: String
    package let text: String
    /// The fenced blocks in their order.
    package let blocks: [Block]
    /// The lines outside of them.
    package let prose: [Substring]

    package init(path: String, text: String) {
        self.path = path
        self.text = text
        (blocks, prose) = Self.parts(of: text)
    }

    package init(_ path: String) throws {
        self.init(path: path, text: try String(contentsOfFile: Checkout.root + "/" + path, encoding: .utf8))
    }

    /// All pages, except those in hidden directories, which builds and tools use.
    package static let all: [MarkdownPage] = {
        let options: FileManager.DirectoryEnumerationOptions = [.skipsHiddenFiles]
        let root = URL(fileURLWithPath: Checkout.root)
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil, options: options)
        let paths = (files?.compactMap { $0 as? URL } ?? []).map(\.path).filter { $0.hasSuffix(".md") }
        return paths.sorted().compactMap { try? MarkdownPage(String($0.dropFirst(Checkout.root.count + 1))) }
    }()

    /// A fenced block: three backquotes, the language, and for a file its name, as in `json title="dogs.json"`.
    package struct Block: Equatable, Sendable {
        package var language: String
        package var title: String?
        package var content: String

        package init(language: String, title: String?, content: String) {
            self.language = language
            self.title = title
            self.content = content
        }
    }

    private static func parts(of text: String) -> (blocks: [Block], prose: [Substring]) {
        var blocks: [Block] = []
        var prose: [Substring] = []
        var open: Block?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let bare = line.drop { $0 == " " }
            if let block = open {
                if bare == "```" {
                    blocks.append(block)
                    open = nil
                } else {
                    open?.content += line + "\n"
                }
            } else if bare.hasPrefix("```") {
                let words = bare.dropFirst(3)
                open = Block(
                    language: String(words.prefix { $0 != " " }),
                    title: words.firstMatch(of: #/title="([^"]+)"/#).map { String($0.output.1) }, content: "")
            } else {
                prose.append(line)
            }
        }
        return (blocks, prose)
    }
}

extension MarkdownPage {
    /// The data of the server for the page's examples: `<!-- examples: demo -->` or `<!-- examples: empty -->`.
    package enum Database: String {
        case demo, empty
    }

    /// Nil where the page has no examples to run.
    package var database: Database? {
        text.firstMatch(of: #/<!-- examples: (\w+) -->/#).flatMap { Database(rawValue: String($0.output.1)) }
    }
}

extension MarkdownPage {
    /// The targets of the page's links, as they are written.
    package var links: [String] {
        prose.filter { $0.contains("]") }.flatMap { line -> [String] in
            let plain = line.replacing(#/`[^`]*`/#, with: "code")
            let inline = plain.matches(of: #/\]\(\s*<?([^)>\s]+)>?(?:\s+"[^"]*")?\s*\)/#).map { String($0.output.1) }
            let definition = plain.firstMatch(of: #/^\s*\[[^\]]+\]:\s*(\S+)/#).map { String($0.output.1) }
            return inline + (definition.map { [$0] } ?? [])
        }
    }

    /// The paths in the repository that the page names in code and in commands.
    package var namedPaths: [String] {
        let code = prose.filter { $0.contains("`") }.flatMap { line in
            line.matches(of: #/`([^`]+)`/#).map { String($0.output.1) }
        }
        let commands = blocks.filter { ["sh", "bash", "console"].contains($0.language) }.map(\.content)
        let path =
            #/(?:^|[\s"'(])(?:\./)?((?:Sources|Tests|docs|openapi|static|Examples|Benchmarks|\.ci)/[\w.+\/-]*\w)/#
        return (code + commands).flatMap { text in text.matches(of: path).map { String($0.output.1) } }
    }

    /// The valid `#…` after the page's path: the headings, as both GitHub and the site write them, and anchors in HTML.
    package var anchors: Set<String> {
        let headings = prose.filter { $0.hasPrefix("#") }.compactMap { line -> String? in
            line.firstMatch(of: #/^#{1,6}\s+(.+?)\s*#*$/#).map { String($0.output.1) }
        }
        let named = text.matches(of: #/<a (?:id|name)="([^"]+)"/#).map { String($0.output.1) }
        return Set(headings.filter { Self.siteAnchor($0) == Self.hubAnchor($0) }.map(Self.siteAnchor) + named)
    }

    /// Python-Markdown: one hyphen for each run of spaces and hyphens, and no letters beyond ASCII.
    package static func siteAnchor(_ heading: String) -> String {
        let plain = shown(heading).decomposedStringWithCompatibilityMapping.unicodeScalars
            .filter { $0.isASCII && (isWord($0) || $0 == " " || $0 == "-") }
        let text = String(String.UnicodeScalarView(plain)).trimmingCharacters(in: .whitespaces).lowercased()
        return text.replacing(#/[-\s]+/#, with: "-")
    }

    /// GitHub: a hyphen for each space.
    package static func hubAnchor(_ heading: String) -> String {
        let plain = shown(heading).lowercased().unicodeScalars.filter { isWord($0) || $0 == " " || $0 == "-" }
        return String(String.UnicodeScalarView(plain)).replacingOccurrences(of: " ", with: "-")
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }

    /// A heading without the marks of code, emphasis and links.
    private static func shown(_ heading: String) -> String {
        heading.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.output.1 }.replacing(#/[`*]/#, with: "")
    }
}
