import Foundation
import HTTPTesting

/// A blocking client on a loopback socket that sends exactly the given bytes.
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

    private let socket: LoopbackSocket
    var fd: Int32 { socket.descriptor }
    private var buffer: [UInt8] = []

    /// The program that encrypts, for TLS.
    private var tunnel: Process?

    init(port: UInt16, over wire: Wire = .plain, receiveBuffer: Int32? = nil) throws {
        switch wire {
        case .plain: socket = try LoopbackSocket(port: port, receiveBuffer: receiveBuffer)
        case .tls: (socket, tunnel) = try Self.tunnel(port, ["-quiet", "-no_ign_eof", "-nocommands"])
        }
    }

    /// Creates a client that uses TLS as `openssl s_client` does with these arguments.
    init(port: UInt16, tunnelArguments: [String]) throws {
        (socket, tunnel) = try Self.tunnel(port, tunnelArguments)
    }

    private static func tunnel(_ port: UInt16, _ arguments: [String]) throws -> (LoopbackSocket, Process) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure(description: "socketpair: \(errno)")
        }
        let socket = LoopbackSocket(taking: ends[0])
        let inside = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl", "s_client", "-connect", "127.0.0.1:\(port)"] + arguments
        process.standardInput = inside
        process.standardOutput = inside
        process.standardError = FileHandle.nullDevice
        try process.run()
        try inside.close()
        return (socket, process)
    }

    deinit {
        // It ends with its input, except when it waits for a server that reads nothing.
        tunnel?.terminate()
    }

    func hangUp() {
        socket.hangUp()
        tunnel?.terminate()
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws { try socket.send(bytes) }

    /// Sends a plain GET.
    func get(_ target: String, headers: String = "") throws -> Answer {
        try send("GET \(target) HTTP/1.1\r\nHost: t\r\n\(headers)\r\n")
        return try readAnswer()
    }

    /// Reads one response by its Content-Length; `head` if it responds to a HEAD request.
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
        if !isHead, answer["Transfer-Encoding"] == "chunked" { answer.body = try readChunks() }
        return answer
    }

    private func readChunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let line = try readLine()
            guard let length = Int(line, radix: 16) else { throw Failure(description: "not a chunk: \(line)") }
            while buffer.count < length + 2 { try fill() }
            body += buffer[..<length]
            guard buffer[length] == 0x0d, buffer[length + 1] == 0x0a else {
                throw Failure(description: "a chunk without its end")
            }
            buffer.removeFirst(length + 2)
            if length == 0 { return body }
        }
    }

    /// Reads up to the empty line, which it discards.
    func readHead() throws -> [String] {
        var lines: [String] = []
        while true {
            let line = try readLine()
            if line.isEmpty { return lines }
            lines.append(line)
        }
    }

    /// Reads up to CR LF or LF, which it discards.
    func readLine() throws -> String {
        // Bytes that were searched before are not searched again: a line may be megabytes long.
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

    /// Returns the data of the next server-sent event; skips comments.
    func readEvent() throws -> String {
        var data: [String] = []
        while true {
            let line = try readLine()
            if line.isEmpty, !data.isEmpty { return data.joined(separator: "\n") }
            if line.hasPrefix("data: ") { data.append(String(line.dropFirst(6))) }
        }
    }

    /// Reads until the server closes; `nil` if that takes longer than the time limit.
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

    /// Reads until the server closes, and discards the data. Returns the number of bytes; `nil` after the time limit.
    ///
    /// - Parameter progress: gets the number of bytes whenever some have come.
    func countToEnd(_ progress: (Int) -> Void = { _ in }) -> Int? {
        var total = buffer.count
        buffer = []
        while true {
            do {
                try fill()
                total += buffer.count
                buffer.removeAll(keepingCapacity: true)
                progress(total)
            } catch let failure as Failure where failure.description == "closed" {
                return total
            } catch {
                return nil
            }
        }
    }

    /// Whether the server has closed the connection and sent nothing more.
    var isClosed: Bool { buffer.isEmpty && readToEnd()?.isEmpty == true }

    private func fill() throws {
        do {
            let bytes = try socket.receive()
            if bytes.isEmpty { throw Failure(description: "closed") }
            buffer += bytes
        } catch let failure as LoopbackSocket.Failure where failure.isReset {
            throw Failure(description: "reset")
        }
    }
}
