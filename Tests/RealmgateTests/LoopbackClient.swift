import Foundation
import Glibc

/// A keep-alive HTTP/1.1 client on one blocking socket: just enough for many small requests in a row.
/// Used by one thread at a time.
final class LoopbackClient {
    struct Answer {
        var status: Int
        var head: String
        var body: Data

        var text: String { String(decoding: body, as: UTF8.self) }

        func json() throws -> [String: Any] {
            guard let object = try JSONSerialization.jsonObject(with: body) as? [String: Any] else {
                throw TestFailure("no JSON object: \(text)")
            }
            return object
        }
    }

    private let socket: Int32
    private let port: Int
    private var received = Data()

    init(port: Int) throws {
        self.port = port
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw TestFailure("no socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(socket)
            throw TestFailure("cannot connect: \(String(cString: strerror(errno)))")
        }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var noDelay: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(socket) }

    /// Sends a request and waits for the whole answer. Throws when the server goes away before that.
    func send(
        _ method: String, _ target: String, body: String? = nil, headers: [String: String] = [:]
    ) throws -> Answer {
        var request = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        for (name, value) in headers { request += "\(name): \(value)\r\n" }
        if let body { request += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        request += "\r\n" + (body ?? "")
        try write(request)
        return try receive()
    }

    /// Sends bytes as they are, such as a part of a request.
    func write(_ text: String) throws {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw TestFailure("the server closed the connection") }
            sent += count
        }
    }

    private func receive() throws -> Answer {
        let gap = Data("\r\n\r\n".utf8)
        while received.range(of: gap) == nil { try fill() }
        guard let end = received.range(of: gap) else { throw TestFailure("no head") }
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        let words = head.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, let status = Int(words[1].prefix(3)) else { throw TestFailure("no status: \(head)") }
        let length = head.lowercased().split(separator: "\r\n").compactMap { line in
            line.hasPrefix("content-length:")
                ? Int(line.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) : nil
        }.first
        received = Data(received[end.upperBound...])
        let count = length ?? 0
        while received.count < count { try fill() }
        defer { received = Data(received.dropFirst(count)) }
        return Answer(status: status, head: head, body: Data(received.prefix(count)))
    }

    private func fill() throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = buffer.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { throw TestFailure("the server closed the connection") }
        received.append(contentsOf: buffer[..<count])
    }
}
