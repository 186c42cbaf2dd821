import TestBasics
import WireProtocol

/// A blocking client on one connection that sends exactly the given bytes, and reads one answer or event at a time. Used
/// by one thread at a time.
package final class LoopbackClient {
    package enum Failure: Error, Equatable {
        /// The server has sent all and closed the connection.
        case closed
        /// The server broke the connection off.
        case reset
        /// The server sent what the protocol does not allow, or what the test did not expect.
        case unexpected(String)
    }

    package struct Event: Equatable {
        package var id: String?
        package var name: String
        package var data: String

        package init(id: String? = nil, name: String = "message", data: String) {
            self.id = id
            self.name = name
            self.data = data
        }
    }

    package struct Answer {
        package var status: Int
        package var headers: [(name: String, value: String)] = []
        package var body: [UInt8] = []

        package var text: String { String(decoding: body, as: UTF8.self) }

        /// The value of the first header of that name, in letters of either case.
        package subscript(name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    private let socket: LoopbackSocket
    private let tunnel: TLSTunnel?
    private let host: String
    private var buffer: [UInt8] = []
    /// Decodes the chunks of an event stream, after its head.
    private var chunkReader: StreamChunkReader?
    private var events = EventStreamParser()

    package var descriptor: Int32 { socket.descriptor }

    /// - Parameters:
    ///   - host: what the requests name as the server.
    ///   - address: the server's, such as `LoopbackAddress.own()`.
    ///   - receiveBuffer: bytes that the kernel keeps for a client that does not read.
    ///   - patience: seconds that one call waits at most; those of all tests, unless the test is about waiting.
    package init(
        port: UInt16, host: String = "t", address: String = LoopbackAddress.usual, receiveBuffer: Int32? = nil,
        patience: Int? = nil
    ) throws {
        self.host = host
        tunnel = nil
        socket = try LoopbackSocket(port: port, address: address, receiveBuffer: receiveBuffer, patience: patience)
    }

    /// Creates a client that uses TLS as `openssl s_client` does with these arguments.
    package init(port: UInt16, tunnelArguments: [String]) throws {
        host = "t"
        let tunnel = try TLSTunnel(port: port, arguments: tunnelArguments)
        self.tunnel = tunnel
        socket = tunnel.socket
    }

    package convenience init(port: UInt16, over wire: Wire, receiveBuffer: Int32? = nil) throws {
        switch wire {
        case .plain: try self.init(port: port, receiveBuffer: receiveBuffer)
        case .tls: try self.init(port: port, tunnelArguments: ["-quiet", "-no_ign_eof", "-nocommands"])
        }
    }

    package func hangUp() {
        socket.hangUp()
        tunnel?.end()
    }

    /// Tells the server that nothing more will be sent.
    package func finishSending() { socket.finishSending() }
}

// MARK: - Sending

extension LoopbackClient {
    /// Sends bytes as they are, such as a part of a request.
    package func write(_ text: String) throws { try write(Array(text.utf8)) }

    package func write(_ bytes: [UInt8]) throws { try socket.send(bytes) }

    /// Sends a request with its head and a body of JSON, or a form that the headers declare.
    package func send(_ line: String, headers: String = "", body: String = "", form: String = "") throws {
        var head = "\(line) HTTP/1.1\r\nHost: \(host)\r\n\(headers)"
        if !body.isEmpty { head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        try write(head + "\r\n" + body + form)
    }

    /// Sends a GET, and reads the answer.
    package func get(_ target: String, headers: String = "") throws -> Answer {
        try send("GET \(target)", headers: headers)
        return try receive()
    }
}

// MARK: - Receiving

extension LoopbackClient {
    /// The status, and the body if it has an end of its own.
    package func answer() throws -> (status: Int, body: String) {
        let answer = try receive()
        return (answer.status, answer.text)
    }

    /// An answer, with its body if it has an end of its own. One to HEAD has a length and no body.
    package func receive(hasBody: Bool = true) throws -> Answer {
        let lines = try head()
        let parts = lines[0].split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0] == "HTTP/1.1", let status = Int(parts[1]) else {
            throw Failure.unexpected("no status line: \(lines[0])")
        }
        var answer = Answer(status: status)
        answer.headers = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (String(line[..<colon]), String(line[colon...].dropFirst().drop { $0 == " " }))
        }
        guard hasBody, status >= 200, status != 204, status != 304 else { return answer }
        if chunkReader != nil {
            // An event stream has no end that could be waited for.
        } else if answer["Transfer-Encoding"] == "chunked" {
            answer.body = try wholeChunks()
        } else if let length = answer["Content-Length"].flatMap({ Int($0) }) {
            answer.body = try take(length)
        }
        return answer
    }

    /// A body that the server wrote while it sent it.
    private func wholeChunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let size = try line()
            guard let count = Int(size, radix: 16) else { throw Failure.unexpected("no size of a chunk: \(size)") }
            body += try take(count)
            guard try take(2) == [0x0D, 0x0A] else { throw Failure.unexpected("a chunk without its end") }
            if count == 0 { return body }
        }
    }

    /// The lines up to the empty one, which is left out; the first is never missing. After that of an event stream its
    /// events can be read, however they are framed.
    package func head() throws -> [String] {
        var lines = [try line()]
        defer {
            if StreamChunkReader.isNeeded(after: lines) { beginChunks() }
        }
        while true {
            let line = try line()
            if line.isEmpty { return lines }
            lines.append(line)
        }
    }

    private func beginChunks() {
        var reader = StreamChunkReader()
        buffer = reader.take(buffer)
        chunkReader = reader
    }

    /// How many chunks of the event stream have come whole, and whether the last one has; `nil` for a stream that ends with
    /// the connection.
    package var chunks: (whole: Int, hasEnded: Bool)? { chunkReader.map { ($0.wholeChunks, $0.hasEnded) } }

    /// The next line, without its end of CR LF or LF.
    package func line() throws -> String {
        // Bytes that were searched before are not searched again, since a line may be megabytes long.
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

    /// The next event with data, and the last id that came; comments and `retry` are skipped.
    package func event() throws -> Event {
        while true {
            // A line completes one event at the most.
            if let event = events.feed(Array((try line() + "\n").utf8)).first {
                return Event(id: event.id, name: event.name, data: String(decoding: event.data, as: UTF8.self))
            }
        }
    }

    /// Whether the server ends the connection, with only comments before.
    package func ends() -> Bool {
        while true {
            do {
                let line = try line()
                guard line.hasPrefix(":") || line.isEmpty else { return false }
            } catch {
                return error is Failure
            }
        }
    }

    /// Whether the server has closed the connection and sent nothing more.
    package var isClosed: Bool { buffer.isEmpty && toEnd()?.isEmpty == true }

    /// All bytes until the server closes; `nil` if it does not within the time limit.
    package func toEnd() -> [UInt8]? {
        while true {
            do {
                try fill()
            } catch {
                return error is Failure ? buffer : nil
            }
        }
    }

    /// Discards all bytes until the server closes. Returns their number; `nil` if the server breaks the connection off, or
    /// after the time limit.
    ///
    /// - Parameter progress: gets the number of bytes whenever some have come.
    package func countToEnd(_ progress: (Int) -> Void = { _ in }) -> Int? {
        var total = buffer.count
        buffer = []
        while true {
            do {
                try fill()
                total += buffer.count
                buffer.removeAll(keepingCapacity: true)
                progress(total)
            } catch {
                return error as? Failure == .closed ? total : nil
            }
        }
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { try fill() }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private func fill() throws {
        do {
            let bytes = try socket.receive()
            guard !bytes.isEmpty else { throw Failure.closed }
            buffer += chunkReader?.take(bytes) ?? bytes
        } catch let failure as LoopbackSocket.Failure where failure.isReset {
            throw Failure.reset
        }
    }
}
