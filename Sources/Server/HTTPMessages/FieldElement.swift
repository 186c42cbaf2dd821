/// One element of a header field, such as `gzip;q=0.5` or `application/json; charset=utf-8`: a name with parameters.
package struct FieldElement: Hashable, Sendable {
    package struct Parameter: Hashable, Sendable {
        /// In lower case.
        package let name: String
        /// The value without its quotes; nil without an equals sign.
        package let value: String?

        init(_ text: Substring) {
            let equals = text.utf8.firstIndex(of: UInt8(ascii: "="))
            name = (equals.map { text[..<$0] } ?? text).trimmingBlanks.lowercased()
            value = equals.map { equals in
                var value = text[text.index(after: equals)...].trimmingBlanks
                if value.count > 1, value.first == "\"", value.last == "\"" { value = value.dropFirst().dropLast() }
                return String(value)
            }
        }
    }

    /// In lower case.
    package let name: String
    package let parameters: [Parameter]

    package init(_ text: some StringProtocol) {
        let text = Substring(text)
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: ";")) else {
            name = text.trimmingBlanks.lowercased()
            parameters = []
            return
        }
        name = text[..<end].trimmingBlanks.lowercased()
        parameters = text[text.index(after: end)...].split(separator: ";").map { Parameter($0) }
    }

    /// Whether the text of a body of this media type is UTF-8: unless `charset` names another encoding. `utf8` is not
    /// registered, but common, and ASCII is a part of UTF-8.
    package var isUTF8: Bool {
        parameters.allSatisfy { parameter in
            parameter.name != "charset"
                || ["utf-8", "utf8", "us-ascii", "ascii"].contains(parameter.value?.lowercased() ?? "utf-8")
        }
    }

    /// Parses a comma-separated list. Empty elements are ignored.
    package static func list(_ field: String) -> [FieldElement] {
        field.split(separator: ",").map { FieldElement($0) }.filter { !$0.name.isEmpty || !$0.parameters.isEmpty }
    }
}

extension Substring {
    /// The text without leading and trailing spaces and tabs.
    package var trimmingBlanks: Substring {
        guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) })
        else { return self[endIndex...] }
        return self[first..<utf8.index(after: last)]
    }
}
