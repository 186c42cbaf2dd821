import Glibc

/// A blocking client over a loopback socket that sends exactly the bytes it is told to.
final class Client {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    struct Answer {
        var status: Int
        var headers: [(name: String, value: String)]
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }

        subscript(name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    private(set) var fd: Int32
    private var buffer: [UInt8] = []

    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard fd >= 0 else { throw Failure(description: "socket: \(errno)") }
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
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
        guard status == 0 else { throw Failure(description: "connect: \(errno)") }
    }

    deinit { if fd >= 0 { close(fd) } }

    func hangUp() {
        close(fd)
        fd = -1
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Failure(description: "send: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// A GET without anything special.
    func get(_ target: String, headers: String = "") throws -> Answer {
        try send("GET \(target) HTTP/1.1\r\nHost: t\r\n\(headers)\r\n")
        return try readAnswer()
    }

    /// Reads one answer by its Content-Length; `head` when it answers a HEAD request.
    func readAnswer(head isHead: Bool = false) throws -> Answer {
        let lines = try readHead()
        let parts = lines[0].split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0] == "HTTP/1.1", let status = Int(parts[1]) else {
            throw Failure(description: "not a status line: \(lines[0])")
        }
        let headers = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (
                name: String(line[..<colon]), value: String(line[colon...].dropFirst().drop { $0 == " " })
            )
        }
        var answer = Answer(status: status, headers: headers, body: [])
        if !isHead, status != 204, status != 304, status >= 200,
            let length = answer["Content-Length"].flatMap({ Int($0) })
        {
            while buffer.count < length { try fill() }
            answer.body = Array(buffer[..<length])
            buffer.removeFirst(length)
        }
        return answer
    }

    /// Reads up to the empty line, which it drops.
    func readHead() throws -> [String] {
        var lines: [String] = []
        while true {
            let line = try readLine()
            if line.isEmpty { return lines }
            lines.append(line)
        }
    }

    /// Reads up to CR LF or LF, dropped.
    func readLine() throws -> String {
        // Bytes looked at before need no second look: a line may be megabytes long.
        var searched = 0
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0a) {
                var line = buffer[..<end]
                if line.last == 0x0d { line.removeLast() }
                let text = String(decoding: line, as: UTF8.self)
                buffer.removeSubrange(...end)
                return text
            }
            searched = buffer.count
            try fill()
        }
    }

    /// The data of the next server-sent event; comments are skipped.
    func readEvent() throws -> String {
        var data: [String] = []
        while true {
            let line = try readLine()
            if line.isEmpty, !data.isEmpty { return data.joined(separator: "\n") }
            if line.hasPrefix("data: ") { data.append(String(line.dropFirst(6))) }
        }
    }

    /// Reads until the server closes; `nil` when it does not within the time limit.
    func readToEnd() -> [UInt8]? {
        while true {
            do {
                try fill()
            } catch let failure as Failure where failure.description == "closed" || failure.description == "reset" {
                return buffer
            } catch {
                return nil
            }
        }
    }

    /// Whether the server has closed the connection and sent nothing more.
    var isClosed: Bool { buffer.isEmpty && readToEnd()?.isEmpty == true }

    private func fill() throws {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(fd, &chunk, chunk.count, 0)
        if count == 0 { throw Failure(description: "closed") }
        if count < 0 { throw Failure(description: errno == ECONNRESET ? "reset" : "recv: \(errno)") }
        buffer.append(contentsOf: chunk[..<count])
    }
}
