import Cryptography

/// Random secrets, and their stored hashes.
enum Secret {
    private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// Returns random letters and digits from the system's source, with 5.95 bits each: 43 of them have 256 bits.
    static func random(_ count: Int) -> String {
        var source = SystemRandomNumberGenerator()
        return String((0..<count).map { _ in letters[Int.random(in: letters.indices, using: &source)] })
    }

    /// Returns the hash that is stored instead of the secret. A secret with 256 random bits needs no slow hash, because
    /// it cannot be guessed.
    static func hash(_ text: String) -> [UInt8] { SHA256.hash(Array(text.utf8)) }
}
