extension String {
    /// The text with escapes in place of control characters, so that a name from a file can neither steer a terminal nor
    /// look like another line.
    ///
    /// - Parameter keepsLines: whether line breaks stay as they are.
    func printable(keepsLines: Bool = false) -> String {
        guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.properties.generalCategory != .control || keepsLines && scalar == "\n" {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text
    }
}
