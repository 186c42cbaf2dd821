import Foundation
import Glibc
import HTTPTesting
import TestBasics
import WireProtocol

/// One server-sent event.
package struct StreamEvent {
    package var id: String?
    package var name = "message"
    package var data = ""

    package func json() throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any] else {
            throw TestFailure("no JSON object in an event: \(data)")
        }
        return object
    }
}

/// One connection to an event stream. Used by one thread at a time.
package final class EventConnection {
    private let socket: LoopbackSocket
    private var parser = EventStreamParser()
    /// Whether the server has begun the stream.
    package private(set) var hasHead = false
    private var head: [UInt8] = []
    private var chunks: StreamChunkReader?

    /// - Parameter receiveBuffer: bytes that the kernel keeps for a client that does not read.
    package init(
        port: Int, address: String = LoopbackAddress.usual, _ target: String, lastEventID: String?,
        receiveBuffer: Int32? = nil
    ) throws {
        guard let number = UInt16(exactly: port) else { throw TestFailure("no port: \(port)") }
        socket = try LoopbackSocket(port: number, address: address, receiveBuffer: receiveBuffer)
        var request = "GET \(target) HTTP/1.1\r\nHost: \(address):\(port)\r\nAccept: text/event-stream\r\n"
        if let lastEventID { request += "Last-Event-ID: \(lastEventID)\r\n" }
        request += "\r\n"
        try socket.send(request.utf8)
    }

    /// Waits up to so many milliseconds for bytes and passes on the events that they complete. Returns false when the
    /// server ended the stream.
    package func read(milliseconds: Int32, limit: Int = 1 << 16, _ body: (StreamEvent) throws -> Void) throws -> Bool {
        var poll = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, milliseconds) > 0 else { return true }
        guard var bytes = try? socket.receive(atMost: limit)[...], !bytes.isEmpty else { return false }
        if !hasHead {
            head += bytes
            guard let end = head.firstRange(of: Array("\r\n\r\n".utf8)) else { return true }
            let text = String(decoding: head, as: UTF8.self)
            guard text.hasPrefix("HTTP/1.1 200") else { throw TestFailure("no stream: \(text)") }
            if StreamChunkReader.isNeeded(after: text.components(separatedBy: "\r\n")) { chunks = StreamChunkReader() }
            bytes = head[end.upperBound...]
            hasHead = true
        }
        for event in parser.feed(chunks?.take(bytes) ?? Array(bytes)) {
            try body(StreamEvent(id: event.id, name: event.name, data: String(decoding: event.data, as: UTF8.self)))
        }
        return chunks?.hasEnded != true
    }
}
