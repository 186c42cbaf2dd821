/// The files that a server's certificate is read from, both in PEM form.
package struct TLSFiles: Sendable, Equatable {
    /// The server's certificate first, then those that lead from it to one that clients know.
    package var certificateChain: String
    /// The key of the first certificate, without a passphrase.
    package var key: String

    package init(certificateChain: String, key: String) {
        self.certificateChain = certificateChain
        self.key = key
    }
}

extension TLSFiles {
    /// Throws when a server could not start with them; the error names the file and what is wrong with it.
    package func check() throws(ServerError) { _ = try Certificate(Certificate.PEM(self), from: self) }
}
