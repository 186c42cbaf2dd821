import Crypto

/// Random text for credentials, and what is kept of it.
enum Secret {
    private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// Letters and digits, each with 5.95 bits from the system's source of randomness: 43 of them have 256.
    static func random(_ count: Int) -> String {
        var source = SystemRandomNumberGenerator()
        return String((0..<count).map { _ in letters[Int.random(in: letters.indices, using: &source)] })
    }

    /// What is kept instead of the text. A secret with 256 random bits needs no slow hash: there is nothing to guess.
    static func hash(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

    /// Takes the same time wherever the two differ.
    static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(a, b) { difference |= left ^ right }
        return difference == 0
    }
}
