extension String {
    /// The text with escapes in place of control characters and of marks that change the direction of text, so that a name
    /// from a file can neither steer a terminal nor look like another line or another name.
    ///
    /// - Parameter keepsLines: whether line breaks stay as they are.
    func printable(keepsLines: Bool = false) -> String {
        guard unicodeScalars.contains(where: Self.steers) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if !Self.steers(scalar) || keepsLines && scalar == "\n" {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar.properties.isBidiControl
        default: false
        }
    }
}
