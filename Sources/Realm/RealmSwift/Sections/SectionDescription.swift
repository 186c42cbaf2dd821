// Sections describe themselves as collections do, with keys instead of positions.

extension SectionedResults: CustomStringConvertible {
    /// The type and the address, then the sections with their keys and elements, up to 100 of each.
    public var description: String { describe("SectionedResults", 0) }

    func describe(_ type: String, _ depth: Int, section: String = "ResultsSection") -> String {
        CollectionText.of(
            CollectionText.name(type, SectionElement.self), at: accessor, isInvalidated: isInvalidated, count: count,
            depth: depth
        ) { count in
            prefix(count).map { part in
                let key = ObjectBase.text(of: part.key, depth + 1, null: "<null>")
                return ("[\(key)]", DescribedText { part.describe(section, $0) })
            }
        }
    }
}

extension ResultsSection: CustomStringConvertible {
    /// The type and the address, then up to 100 elements.
    public var description: String { describe("ResultsSection", 0) }

    func describe(_ type: String, _ depth: Int) -> String {
        CollectionText.of(type, at: accessor, isInvalidated: isInvalidated, count: count, depth: depth) { count in
            prefix(count).enumerated().map { ("[\($0.offset)]", $0.element) }
        }
    }
}

extension RLMSectionedResults: CustomStringConvertible {
    /// The description of the sections, with the Objective-C names.
    public var description: String { results.describe("RLMSectionedResults", 0, section: "RLMSection") }
}

extension RLMSection: CustomStringConvertible {
    /// The description of the section, with the Objective-C name.
    public var description: String { section.describe("RLMSection", 0) }
}

/// A part of a description.
private struct DescribedText: _DescribedCollection {
    let text: (_ depth: Int) -> String

    func describe(_ depth: Int) -> String { text(depth) }
}
