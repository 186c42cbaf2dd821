import Glibc

/// The service manager that started the program: systemd, or another that speaks the protocol of sd_notify. It receives
/// lines such as `READY=1` as datagrams on the socket that NOTIFY_SOCKET names.
struct ServiceManager: Sendable {
    /// The interval within which the manager expects `WATCHDOG=1`; nil if it does not watch this process.
    let watchdogInterval: Duration?
    private let path: [UInt8]

    /// Nil if no service manager wants to be notified.
    ///
    /// - Parameter variable: the value of an environment variable.
    init?(_ variable: (String) -> String?) {
        guard let name = variable("NOTIFY_SOCKET"), name.utf8.count > 1 else { return nil }
        var path = Array(name.utf8)
        switch path[0] {
        case UInt8(ascii: "/"): break
        // An abstract socket's name begins with a zero byte.
        case UInt8(ascii: "@"): path[0] = 0
        default: return nil
        }
        self.path = path
        let isForOthers = variable("WATCHDOG_PID").map { Int32($0) != getpid() } ?? false
        let microseconds = variable("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
        watchdogInterval = microseconds > 0 && !isForOthers ? .microseconds(microseconds) : nil
    }

    /// The one of this process.
    static let process = ServiceManager { name in getenv(name).map { String(cString: $0) } }

    /// Sends `NAME=VALUE` lines as one message. Does not block.
    ///
    /// - Returns: the error's number, 0 for none. A manager that cannot be reached is no reason to stop serving.
    @discardableResult
    func send(_ lines: String...) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return ENAMETOOLONG }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // The name of an abstract socket ends with the address, that of a file with a zero byte.
        let end = path[0] == 0 ? path.count : path.count + 1
        let length = socklen_t((MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + end)
        var text = lines.joined(separator: "\n")
        return text.withUTF8 { bytes in
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    sendto(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL), address, length)
                        == bytes.count ? 0 : errno
                }
            }
        }
    }
}
