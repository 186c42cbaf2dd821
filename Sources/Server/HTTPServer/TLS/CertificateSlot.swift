import HTTPMessages
import Glibc
import Logging
import Synchronization

/// The certificate for new connections. Loops read it when a connection opens; any thread may replace it.
final class CertificateSlot: Sendable {
    private let files: TLSFiles
    private let logger: Logger
    private let certificate: Mutex<Certificate>

    /// - Throws: ``ServerError``
    init(_ files: TLSFiles, pem: Certificate.PEM, logger: Logger) throws(ServerError) {
        let first = try Certificate(pem, from: files)
        self.files = files
        self.logger = logger
        certificate = Mutex(first)
        report(first, "TLS is on.")
    }

    var current: Certificate { certificate.withLock { $0 } }

    /// Reads the files again. If they are invalid, the present certificate stays in use.
    func reload() throws(ServerError) {
        do throws(ServerError) {
            let next = try Certificate(Certificate.PEM(files), from: files)
            certificate.withLock { $0 = next }
            report(next, "The TLS certificate has been read again.")
        } catch {
            logger.error("The TLS certificate in use stays, because the new one is invalid: \(error)")
            throw error
        }
    }

    private func report(_ certificate: Certificate, _ event: String) {
        let date = httpDate(certificate.expiry)
        if certificate.expiry <= time(nil) {
            logger.warning(
                "\(event) But the certificate has expired, and clients will reject it.",
                metadata: ["expired": "\(date)"]
            )
        } else {
            logger.notice("\(event)", metadata: ["certificate": "\(files.certificateChain)", "expires": "\(date)"])
        }
    }
}
