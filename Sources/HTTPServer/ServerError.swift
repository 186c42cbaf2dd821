/// Why a server did not start. The description says what to do.
package enum ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    case badHost(String)
    case addressInUse(host: String, port: UInt16)
    case permissionDenied(host: String, port: UInt16)
    /// The HTTP library on this machine parses differently from the one whose gaps this server closes.
    case unsupportedLibrary(version: String)
    case alreadyStarted
    /// A system call failed in a way that has no better name.
    case system(call: String, errno: Int32)

    package var description: String {
        switch self {
        case .badHost(let host):
            "'\(host)' is not an address of this machine. Use an IP address such as 127.0.0.1, 0.0.0.0 or ::1."
        case .addressInUse(let host, let port):
            "Port \(port) on \(host) is in use by another process. Stop it, choose another port, or use port 0."
        case .permissionDenied(let host, let port):
            "This user may not listen on port \(port) of \(host). Choose a port above 1023."
        case .unsupportedLibrary(let version):
            "libmicrohttpd \(version) is installed; this server needs 0.9.75 or 0.9.76, as in Debian 12."
        case .alreadyStarted:
            "This server has been started before. Make a new one."
        case .system(let call, let errno):
            "\(call) failed: \(errorText(errno))."
        }
    }
}
