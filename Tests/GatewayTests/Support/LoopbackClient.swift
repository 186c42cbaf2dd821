import Gateway
import HTTPServer
import HTTPTesting

/// A blocking client that reads one event stream or answer at a time.
final class LoopbackClient {
    struct Failure: Error { var what: String }

    struct Event: Equatable {
        var id: String?
        var name: String?
        var data: String
    }

    private let socket: LoopbackSocket
    private var buffer: [UInt8] = []

    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        socket = try LoopbackSocket(port: port, receiveBuffer: receiveBuffer)
    }

    /// Sends a request with its head and a body of JSON, or a form that the headers declare.
    func send(_ line: String, headers: String = "", body: String = "", form: String = "") throws {
        var head = "\(line) HTTP/1.1\r\nHost: t\r\n\(headers)"
        if !body.isEmpty { head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        try socket.send((head + "\r\n" + body + form).utf8)
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
        do {
            let bytes = try socket.receive()
            guard !bytes.isEmpty else { throw Failure(what: "closed") }
            buffer += bytes
        } catch let failure as LoopbackSocket.Failure where failure.isReset {
            throw Failure(what: "closed")
        }
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
