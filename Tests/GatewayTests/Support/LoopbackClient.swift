import Gateway
import Glibc
import HTTPServer

/// A blocking client that reads one event stream or answer at a time.
final class LoopbackClient {
    struct Failure: Error { var what: String }

    struct Event: Equatable {
        var id: String?
        var name: String?
        var data: String
    }

    private let fd: Int32
    private var buffer: [UInt8] = []

    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard fd >= 0 else { throw Failure(what: "socket \(errno)") }
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBuffer {
            setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure(what: "connect \(errno)") }
    }

    deinit { close(fd) }

    /// Sends a request with its head and a body of JSON, or a form that the headers declare.
    func send(_ line: String, headers: String = "", body: String = "", form: String = "") throws {
        var head = "\(line) HTTP/1.1\r\nHost: t\r\n\(headers)"
        if !body.isEmpty { head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        var rest = Array((head + "\r\n" + body + form).utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Failure(what: "send \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// The status, and the body if it has a length.
    func answer() throws -> (status: Int, body: String) {
        let (status, _, body) = try headAndBody()
        return (status, body)
    }

    /// The same with the lines of the head. An answer to HEAD has a length and no body.
    func headAndBody(hasBody: Bool = true) throws -> (status: Int, headers: [String], body: String) {
        guard let status = try line().split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Failure(what: "no status")
        }
        var length = 0
        var headers: [String] = []
        while true {
            let header = try line()
            if header.isEmpty { break }
            headers.append(header)
            if hasBody, header.lowercased().hasPrefix("content-length: ") { length = Int(header.dropFirst(16)) ?? 0 }
        }
        while buffer.count < length { try fill() }
        defer { buffer.removeFirst(length) }
        return (status, headers, String(decoding: buffer[..<length], as: UTF8.self))
    }

    /// The next event with data; comments and `retry` are skipped.
    func event() throws -> Event {
        var event = Event(data: "")
        while true {
            let line = try line()
            if line.isEmpty, !event.data.isEmpty { return event }
            if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
            if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
            if line.hasPrefix("data: ") { event.data += line.dropFirst(6) }
        }
    }

    /// Whether the server ends the connection, with nothing but comments before.
    func ends() -> Bool {
        while true {
            do {
                guard try line().hasPrefix(":") || line().isEmpty else { return false }
            } catch let failure as Failure {
                return failure.what == "closed"
            } catch {
                return false
            }
        }
    }

    private func line() throws -> String {
        var searched = 0
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                var line = buffer[..<end]
                if line.last == 0x0D { line.removeLast() }
                let text = String(decoding: line, as: UTF8.self)
                buffer.removeSubrange(...end)
                return text
            }
            searched = buffer.count
            try fill()
        }
    }

    private func fill() throws {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(fd, &chunk, chunk.count, 0)
        guard count > 0 else { throw Failure(what: count == 0 || errno == ECONNRESET ? "closed" : "recv \(errno)") }
        buffer += chunk[..<count]
    }
}

extension TestGateway {
    /// Serves on a port of its own while `body` runs.
    func serve(
        _ configure: (inout ServerConfiguration) -> Void = { _ in }, _ body: (UInt16) throws -> Void
    ) throws {
        var configuration = ServerConfiguration()
        configuration.loops = 2
        configure(&configuration)
        let server = HTTPServer(configuration: configuration, router: router)
        let port = try server.start()
        defer { server.stop(within: .seconds(5)) }
        try body(port)
    }
}
