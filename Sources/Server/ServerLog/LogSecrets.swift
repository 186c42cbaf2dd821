/// Keeps secrets out of the lines that the gateway shows. The program writes none into its log; this is for errors of
/// libraries that quote what they were given, and for programs that host a gateway.
enum LogSecrets {
    static let mask = "•••"

    private static let names = [
        "password", "passwd", "secret", "token", "authorization", "apikey", "api-key", "api_key",
    ]

    /// Whether a field's value is a secret by its name.
    static func isName(_ name: String) -> Bool {
        let name = name.lowercased()
        return names.contains { name.hasSuffix($0) }
    }

    /// The text without passwords of URLs and connection strings, and without credentials of HTTP. Cost: the text.
    static func removed(from text: String) -> String {
        guard mayHaveAny(text) else { return text }
        return text.replacing(userInfo) { "\($0.output.1)\(mask)@" }
            .replacing(credential) { "\($0.output.1) \(mask)" }
            .replacing(assignment) { "\($0.output.1)\(mask)" }
            .replacing(webToken, with: mask)
    }

    /// Most lines have nothing that could be one.
    private static func mayHaveAny(_ text: String) -> Bool {
        text.utf8.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "=") }
            || text.contains("earer ") || text.contains("asic ") || text.contains("eyJ")
            || text.contains("assword")
    }

    /// `postgres://user:password@host`.
    private static var userInfo: Regex<(Substring, Substring)> {
        /([A-Za-z][A-Za-z0-9+.\-]*:\/\/[^\s\/:@]*:)[^\s\/@]*@/
    }
    private static var credential: Regex<(Substring, Substring)> { /\b([Bb]earer|[Bb]asic) +[A-Za-z0-9._~+\/=:\-]+/ }
    /// `password=…`, as in connection strings.
    private static var assignment: Regex<(Substring, Substring)> {
        /\b((?:[Pp]assword|[Pp]asswd|[Ss]ecret|[Tt]oken|[Aa]pi[_\-]?[Kk]ey) ?[=:] ?)(?:'[^']*'|"[^"]*"|[^\s,;&]+)/
    }
    /// A JSON Web Token.
    private static var webToken: Regex<Substring> { /\beyJ[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]*/ }
}
