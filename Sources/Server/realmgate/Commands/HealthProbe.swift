import Cryptography
import Glibc
import HTTPMessages
import HTTPServer

/// Checks that a server on this machine is alive, using only a socket: for container health checks, where curl is not
/// installed.
enum HealthProbe {
    /// Sends `GET /healthz` and returns the status. Throws `CommandFailure` if there is no response in time. Over TLS
    /// the certificate is not verified, because only the presence of a server is checked.
    static func status(host: String, port: Int, overTLS: Bool, seconds: Int) throws -> Int {
        let socket = try connect(host: host, port: port, seconds: seconds)
        defer { close(socket) }
        let request = Array("GET /healthz HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: close\r\n\r\n".utf8)
        // "HTTP/1.1 200" is enough.
        guard let answer = overTLS ? TLSProbe.ask(socket, request, atLeast: 12) : ask(socket, request, atLeast: 12)
        else { throw CommandFailure("\(host):\(port) does not speak TLS.") }
        let words = String(decoding: answer.prefix(12), as: UTF8.self).split(separator: " ")
        guard words.count == 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw CommandFailure("\(host):\(port) did not answer within \(seconds) s.")
        }
        return status
    }

    private static func ask(_ socket: Int32, _ request: [UInt8], atLeast length: Int) -> [UInt8] {
        let sent = request.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 256)
        while sent == request.count, answer.count < length {
            let count = buffer.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return answer
    }

    /// Connects to the first address that accepts it. Throws `CommandFailure`.
    static func connect(host: String, port: Int, seconds: Int) throws -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let resolved = getaddrinfo(LocalName.address(host), String(port), &hints, &found)
        guard resolved == 0 else {
            throw CommandFailure(
                "'\(host)' is not a host that can be resolved: \(String(cString: gai_strerror(resolved))).")
        }
        defer { freeaddrinfo(found) }
        var reason = "no address"
        var next = found
        while let address = next?.pointee {
            next = address.ai_next
            let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
            guard descriptor >= 0 else { continue }
            var limit = timeval(tv_sec: seconds, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
            if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return descriptor }
            reason = String(cString: strerror(errno))
            close(descriptor)
        }
        throw CommandFailure("Cannot connect to \(host):\(port): \(reason).")
    }
}
