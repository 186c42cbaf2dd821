import Foundation

/// A declaration that an app can name, and whether a docstring precedes it.
struct PublicDeclaration: Equatable {
    /// The names of the types around it and its own: `Realm.Error.code`; operators, `init` and `subscript` by themselves.
    var name: String
    /// The number of its line, from 1.
    var line: Int
    /// Whether it is a requirement of a protocol.
    var isRequirement = false
    /// Whether its name, or that of a type around it, begins with an underscore: the documentation of a module leaves it
    /// out.
    var isHidden = false
    var isDocumented: Bool

    /// The part after the last dot of `name`.
    var ownName: Substring { name[(name.lastIndex { $0 == "." }.map(name.index(after:)) ?? name.startIndex)...] }

    /// Returns the public declarations of a source as `swift format` lays it out: it indents each level by four spaces.
    ///
    /// Leaves out overrides, and what is marked as unavailable.
    static func all(in source: String) -> [PublicDeclaration] {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        var scopes: [Scope] = []
        var found: [PublicDeclaration] = []
        var isWithinText = false
        for (index, line) in lines.enumerated() {
            if line.contains("\"\"\"") { isWithinText.toggle() }
            guard !isWithinText, let first = line.first(where: { $0 != " " }), first.isLetter || first == "@" else {
                continue
            }
            let indentation = line.prefix { $0 == " " }.count
            scopes.removeAll { $0.indentation >= indentation }
            guard let match = line.firstMatch(of: form) else { continue }
            let (keyword, rest) = (match.output.2, match.output.3)
            let words = match.output.1.split(separator: " ")
            let scope = scopes.last
            let isDirect = scope.map { $0.indentation + 4 == indentation } ?? true
            let isImplied = isDirect && (scope?.kind == .requirements || scope?.kind == .cases && keyword == "case")
            let isPublic = isImplied || words.contains("public") || words.contains("open")
            let own = name(keyword, rest)
            let path = (scope.map { $0.name + "." } ?? "") + own
            if let kind = Scope.Kind(keyword, isPublic: isPublic) {
                scopes.append(Scope(indentation: indentation, name: kind == .outside ? own : path, kind: kind))
            }
            let next = index + 1 < lines.count ? lines[index + 1] : nil
            guard isPublic, keyword != "extension", !words.contains("override"),
                let isDocumented = isDocumented(lines[..<index])
            else { continue }
            found.append(
                PublicDeclaration(
                    name: path, line: index + 1, isRequirement: scope?.kind == .requirements,
                    isHidden: isHidden(path, keyword, rest, next), isDocumented: isDocumented))
        }
        return found
    }

    /// A type or extension whose braces contain the lines that are indented by more.
    private struct Scope {
        /// What the members are without a word of their own.
        enum Kind {
            case outside, members, requirements, cases

            init?(_ keyword: Substring, isPublic: Bool) {
                switch keyword {
                case "extension": self = .outside
                case "protocol": self = isPublic ? .requirements : .members
                case "enum": self = isPublic ? .cases : .members
                case "struct", "class", "actor": self = .members
                default: return nil
                }
            }
        }

        var indentation: Int
        var name: String
        var kind: Kind
    }

    /// The words before the keyword with attributes, the keyword, and what follows.
    private nonisolated(unsafe) static let form =
        #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*((?:[a-z]+(?:\(set\))?\s+)*?)(extension|func|var|let|init|subscript|class|struct|enum|protocol|actor|typealias|associatedtype|case)\b(?!\s+(?:func|var|let|subscript)\b)(.*)$/#

    private static func name(_ keyword: Substring, _ rest: Substring) -> String {
        if keyword == "init" || keyword == "subscript" { return String(keyword) }
        let text = rest.drop { $0 == " " }
        let isWord = text.first.map { $0.isLetter || $0 == "_" || $0 == "`" } ?? false
        return String(text.prefix { isWord ? $0.isLetter || $0.isNumber || "_`.".contains($0) : $0 != " " })
    }

    /// Whether the name, a type around it, or the first label of an initialiser begins with an underscore.
    private static func isHidden(_ path: String, _ keyword: Substring, _ rest: Substring, _ next: Substring?) -> Bool {
        if path.split(separator: ".").contains(where: { $0.hasPrefix("_") }) { return true }
        guard keyword == "init" || keyword == "subscript", let bracket = rest.firstIndex(of: "(") else { return false }
        let parameters = rest.hasSuffix("(") ? next ?? "" : rest[rest.index(after: bracket)...]
        return parameters.drop { $0 == " " }.contains(#/^_[a-z]/#)
    }

    /// Returns whether the lines before a declaration end with its docstring; nil if it is marked as unavailable.
    private static func isDocumented(_ before: ArraySlice<Substring>) -> Bool? {
        var isWithinAttribute = false
        for line in before.reversed() {
            let text = line.drop { $0 == " " }
            isWithinAttribute = (isWithinAttribute || text == ")") && !text.hasPrefix("@")
            if isWithinAttribute || text.hasPrefix("@") {
                if text.contains("unavailable") { return nil }
            } else if !text.hasPrefix("//") || text.hasPrefix("///") {
                return text.hasPrefix("///")
            }
        }
        return false
    }
}
