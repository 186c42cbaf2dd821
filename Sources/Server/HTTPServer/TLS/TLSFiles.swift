/// The paths of a server's certificate and key in PEM format.
package struct TLSFiles: Sendable, Equatable {
    /// The server's certificate, followed by the intermediate certificates.
    package var certificateChain: String
    /// The private key of the first certificate, without a passphrase.
    package var key: String

    package init(certificateChain: String, key: String) {
        self.certificateChain = certificateChain
        self.key = key
    }
}

extension TLSFiles {
    /// Throws if a server could not start with them; the error names the file and the error in it.
    package func check() throws(ServerError) { _ = try Certificate(Certificate.PEM(self), from: self) }
}
