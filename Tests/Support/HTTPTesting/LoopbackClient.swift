/// A blocking client that reads one event stream or answer at a time.
package final class LoopbackClient {
    package struct Failure: Error {
        package var what: String

        package init(what: String) { self.what = what }
    }

    package struct Event: Equatable {
        package var id: String?
        package var name: String?
        package var data: String

        package init(id: String? = nil, name: String? = nil, data: String) {
            self.id = id
            self.name = name
            self.data = data
        }
    }

    private let socket: LoopbackSocket
    private let host: String
    private var buffer: [UInt8] = []

    /// - Parameter host: the server's name in the requests.
    package init(port: UInt16, host: String = "t", receiveBuffer: Int32? = nil) throws {
        self.host = host
        socket = try LoopbackSocket(port: port, receiveBuffer: receiveBuffer)
    }

    /// Sends a request with its head and a body of JSON, or a form that the headers declare.
    package func send(_ line: String, headers: String = "", body: String = "", form: String = "") throws {
        var head = "\(line) HTTP/1.1\r\nHost: \(host)\r\n\(headers)"
        if !body.isEmpty { head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        try socket.send((head + "\r\n" + body + form).utf8)
    }

    /// The status, and the body if it has a length.
    package func answer() throws -> (status: Int, body: String) {
        let (status, _, body) = try headAndBody()
        return (status, body)
    }

    /// The answer with the lines of its head. An answer to HEAD has a length and no body.
    package func headAndBody(hasBody: Bool = true) throws -> (status: Int, headers: [String], body: String) {
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
    package func event() throws -> Event {
        var event = Event(data: "")
        while true {
            let line = try line()
            if line.isEmpty, !event.data.isEmpty { return event }
            if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
            if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
            if line.hasPrefix("data: ") { event.data += line.dropFirst(6) }
        }
    }

    /// Whether the server ends the connection, with only comments before.
    package func ends() -> Bool {
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
