package import Foundation
import HTTPTesting

/// A keep-alive HTTP/1.1 client on one blocking socket: just enough for many small requests in a row.
/// Used by one thread at a time.
package final class LoopbackClient {
    package struct Answer {
        package var status: Int
        package var head: String
        package var body: Data

        package var text: String { String(decoding: body, as: UTF8.self) }

        package func json() throws -> [String: Any] {
            guard let object = try JSONSerialization.jsonObject(with: body) as? [String: Any] else {
                throw TestFailure("no JSON object: \(text)")
            }
            return object
        }
    }

    private let socket: LoopbackSocket
    private let port: Int
    private var received = Data()

    package init(port: Int) throws {
        self.port = port
        guard let number = UInt16(exactly: port) else { throw TestFailure("no port: \(port)") }
        socket = try LoopbackSocket(port: number, patience: 60)
    }

    /// Sends a request and waits for the whole answer. Throws when the server closes the connection before that.
    package func send(
        _ method: String, _ target: String, body: String? = nil, headers: [String: String] = [:]
    ) throws -> Answer {
        var request = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        for (name, value) in headers { request += "\(name): \(value)\r\n" }
        if let body { request += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        request += "\r\n" + (body ?? "")
        try write(request)
        return try receive()
    }

    /// Sends text unchanged, such as a part of a request.
    package func write(_ text: String) throws { try socket.send(text.utf8) }

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
        let isChunked = head.lowercased().contains("\r\ntransfer-encoding: chunked")
        let body = isChunked ? try receiveChunks() : try take(length ?? 0)
        return Answer(status: status, head: head, body: body)
    }

    private func take(_ count: Int) throws -> Data {
        while received.count < count { try fill() }
        defer { received = Data(received.dropFirst(count)) }
        return Data(received.prefix(count))
    }

    /// A body with chunked encoding.
    private func receiveChunks() throws -> Data {
        let lineEnd = Data("\r\n".utf8)
        var body = Data()
        while true {
            while received.range(of: lineEnd) == nil { try fill() }
            guard let end = received.range(of: lineEnd) else { throw TestFailure("no chunk") }
            let size = String(decoding: received[..<end.lowerBound], as: UTF8.self)
            guard let count = Int(size, radix: 16) else { throw TestFailure("no size of a chunk: \(size)") }
            received = Data(received[end.upperBound...])
            body += try take(count)
            _ = try take(lineEnd.count)
            if count == 0 { return body }
        }
    }

    private func fill() throws {
        let bytes = try socket.receive()
        guard !bytes.isEmpty else { throw TestFailure("the server closed the connection") }
        received.append(contentsOf: bytes)
    }
}
