/// The name of a realm among those of one PostgreSQL database.
package struct RealmName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package var description: String { text }

    /// Throws `LogConfigurationError` for a name that is not `[a-z0-9_-]{1,63}`.
    package init(_ text: String) throws(LogConfigurationError) {
        guard 1...63 ~= text.utf8.count, text.utf8.allSatisfy(Self.isAllowed) else {
            throw LogConfigurationError(
                .invalidName,
                "The name of a realm has 1 to 63 of the characters a to z, 0 to 9, '_' and '-'; '\(text)' is not one.")
        }
        self.text = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
