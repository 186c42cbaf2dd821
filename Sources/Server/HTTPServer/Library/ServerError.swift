/// An error that keeps a server from starting. The description says what to do.
package enum ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    case badHost(String)
    case addressInUse(host: String, port: UInt16)
    case permissionDenied(host: String, port: UInt16)
    /// The HTTP library on this machine takes a malformed request for a sound one, or refuses a sound one.
    case unsuitableLibrary(version: String, request: String)
    case alreadyStarted
    case unreadableFile(String, reason: String)
    case badCertificate(file: String, reason: String)
    case badKey(file: String, reason: String)
    /// The key is not that of the certificate.
    case keyMismatch(certificateChain: String, key: String)
    /// The certificate cannot be read again, because the server does not use TLS.
    case noTLS
    /// A system call failed for another reason.
    case system(call: String, errno: Int32)

    package var description: String {
        switch self {
        case .badHost(let host):
            "'\(host)' is not an address of this machine. Use an IP address such as 127.0.0.1, 0.0.0.0 or ::1."
        case .addressInUse(let host, let port):
            "Port \(port) on \(host) is in use by another process. Stop it, choose another port, or use port 0."
        case .permissionDenied(let host, let port):
            "This user may not listen on port \(port) of \(host). Choose a port above 1023."
        case .unsuitableLibrary(let version, let request):
            "libmicrohttpd \(version) does not read requests as HTTP/1.1 requires: it failed with '\(request)'. Install version 1.0 or later, or 0.9.75 as in Debian 12."
        case .alreadyStarted:
            "This server was started before. Create a new one."
        case .unreadableFile(let file, let reason):
            "'\(file)' cannot be read: \(reason). Check the path and that this user may read the file."
        case .badCertificate(let file, let reason):
            "'\(file)' is not a usable certificate chain:  \(reason)."
        case .badKey(let file, let reason):
            "'\(file)' is not a usable private key:  \(reason)."
        case .keyMismatch(let chain, let key):
            "The key in '\(key)' does not belong to the first certificate in '\(chain)'. Give the two that were made "
                + "together."
        case .noTLS:
            "This server does not use TLS, so it has no certificate to read again."
        case .system(let call, let errno):
            "\(call) failed: \(errorText(errno))."
        }
    }
}
