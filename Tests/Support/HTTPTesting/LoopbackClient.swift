import TestBasics

/// A blocking client on one connection that reads one event stream or answer at a time. Used by one thread at a time.
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

    package struct Answer {
        package var status: Int
        /// The lines of the head but for the first.
        package var headers: [String]
        package var body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }

        package var head: String { headers.joined(separator: "\r\n") }

        fileprivate var isChunked: Bool { headers.contains { $0.lowercased() == "transfer-encoding: chunked" } }
    }

    private let socket: LoopbackSocket
    private let host: String
    private var buffer: [UInt8] = []

    /// - Parameters:
    ///   - host: what the requests name as the server.
    ///   - address: the server's, such as `LoopbackAddress.own()`.
    ///   - patience: seconds that one call waits at most; those of all tests, unless the test is about waiting.
    package init(
        port: UInt16, host: String = "t", address: String = LoopbackAddress.usual, receiveBuffer: Int32? = nil,
        patience: Int? = nil
    ) throws {
        self.host = host
        socket = try LoopbackSocket(port: port, address: address, receiveBuffer: receiveBuffer, patience: patience)
    }

    /// Sends bytes as they are, such as a part of a request.
    package func write(_ text: String) throws { try socket.send(text.utf8) }

    /// Sends a request with its head and a body of JSON, or a form that the headers declare.
    package func send(_ line: String, headers: String = "", body: String = "", form: String = "") throws {
        var head = "\(line) HTTP/1.1\r\nHost: \(host)\r\n\(headers)"
        if !body.isEmpty { head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        try socket.send((head + "\r\n" + body + form).utf8)
    }

    /// The status, and the body if it has an end of its own.
    package func answer() throws -> (status: Int, body: String) {
        let answer = try receive()
        return (answer.status, answer.text)
    }

    /// An answer, with its body if it has an end of its own. One to HEAD has a length and no body.
    package func receive(hasBody: Bool = true) throws -> Answer {
        guard let status = try line().split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Failure(what: "no status")
        }
        var length = 0
        var answer = Answer(status: status, headers: [], body: [])
        while true {
            let header = try line()
            if header.isEmpty { break }
            answer.headers.append(header)
            if header.lowercased().hasPrefix("content-length: ") { length = Int(header.dropFirst(16)) ?? 0 }
        }
        guard hasBody else { return answer }
        answer.body = answer.isChunked ? try chunks() : try take(length)
        return answer
    }

    /// A body that the server wrote while it sent it.
    private func chunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let size = try line()
            guard let count = Int(size, radix: 16) else { throw Failure(what: "no size of a chunk: \(size)") }
            body += try take(count)
            _ = try line()
            if count == 0 { return body }
        }
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { try fill() }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
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
