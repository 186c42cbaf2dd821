import Foundation
import Gateway
import Glibc
import HTTPServer
import JSONCoding
import Testing

@Suite("The gateway over a socket")
struct WireLiveTests {
    @Test("two browsers see what a third client writes, in order and alike")
    func liveUpdates() throws {
        try Self.serve { port in
            let writer = try SocketClient(port: port)
            #expect(try writer.request("POST", "/v1/objects/Dog", #"{"_id":1,"name":"Rex"}"#).status == 201)
            let readers = try (0..<2).map { _ in
                try SocketClient(port: port, observing: "/v1/observe/objects/Dog?include=objects&fields=_id,age")
            }
            for reader in readers { #expect(try reader.nextEvent().name == "initial") }
            for age in 0..<20 {
                #expect(try writer.request("PATCH", "/v1/objects/Dog/1", "{\"age\":\(age)}").status == 200)
            }
            var seen: [[Int]] = []
            for reader in readers {
                var ages: [Int] = []
                // Commits that come close together may be told as one.
                repeat {
                    let event = try reader.nextEvent()
                    #expect(event.name == "update")
                    if let age = event.data["objects"]?["modifications"]?[0]?["age"]?.asInt { ages.append(age) }
                } while ages.last != 19
                #expect(ages == ages.sorted())
                seen.append(ages)
            }
            #expect(seen[0] == seen[1])
        }
    }

    @Test("writers on many connections are answered after their commits, and every write is there")
    func writers() throws {
        try Self.serve { port in
            let done = (0..<16).map { _ in WireBox<Result<Int, any Error>>() }
            for (number, box) in done.enumerated() {
                Thread.detachNewThread {
                    box.put(
                        Result {
                            let client = try SocketClient(port: port)
                            var created = 0
                            for index in 0..<20 {
                                let key = number * 20 + index
                                let answer = try client.request("POST", "/v1/objects/Dog", "{\"_id\":\(key)}")
                                // What was acknowledged can be read at once, on any connection.
                                let read = try client.request("GET", "/v1/objects/Dog/\(key)")
                                if answer.status == 201, read.status == 200 { created += 1 }
                            }
                            return created
                        })
                }
            }
            for box in done { #expect(try box.take().get() == 20) }
            let count = try SocketClient(port: port).request("GET", "/v1/objects/Dog?count=true&limit=0")
            #expect(count.json?["count"] == 320)
        }
    }

    @Test("a body beyond the limit is refused and the server goes on")
    func largeBody() throws {
        try Self.serve(bodyLimit: 1000) { port in
            let client = try SocketClient(port: port)
            let long = #"{"_id":1,"name":""# + String(repeating: "x", count: 2000) + "\"}"
            #expect(try client.request("POST", "/v1/objects/Dog", long).status == 413)
            let next = try SocketClient(port: port)
            #expect(try next.request("POST", "/v1/objects/Dog", #"{"_id":1}"#).status == 201)
        }
    }

    private static func serve(bodyLimit: Int? = nil, _ body: (UInt16) throws -> Void) throws {
        var configuration = ServerConfiguration()
        configuration.loops = 2
        if let bodyLimit { configuration.bodyLimit = bodyLimit }
        let server = HTTPServer(configuration: configuration, router: try Wire.gateway().router)
        let port = try server.start()
        defer { server.stop(within: .seconds(1)) }
        try body(port)
    }
}

/// A blocking HTTP client over a loopback socket.
private final class SocketClient {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var events: [WireEvents.Event] = []

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw WireFailure("connect: \(errno)") }
    }

    /// Opens a stream of events and reads its head.
    convenience init(port: UInt16, observing target: String) throws {
        try self.init(port: port)
        try send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        let head = try readHead()
        guard head.contains(" 200 "), head.lowercased().contains("text/event-stream") else { throw WireFailure(head) }
    }

    deinit { close(descriptor) }

    func request(_ method: String, _ target: String, _ body: String? = nil) throws -> (status: Int, json: JSONValue?) {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        if let body { text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        try send(text + "\r\n" + (body ?? ""))
        let head = try readHead()
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let length =
            head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).filter { $0 != " " }) } ?? 0
        while buffer.count < length { try receive() }
        let content = Array(buffer.prefix(length))
        buffer.removeFirst(length)
        return (status, try? JSONValue.parse(content))
    }

    func nextEvent() throws -> WireEvents.Event {
        while events.isEmpty {
            if let end = buffer.firstRange(of: [10, 10]) {
                events = WireEvents.parse(Array(buffer[..<end.upperBound]))
                buffer.removeSubrange(..<end.upperBound)
            } else {
                try receive()
            }
        }
        return events.removeFirst()
    }

    private func readHead() throws -> String {
        while true {
            if let end = buffer.firstRange(of: [13, 10, 13, 10]) {
                defer { buffer.removeSubrange(..<end.upperBound) }
                return String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
            }
            try receive()
        }
    }

    private func send(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            // An early refusal may close the connection while the body is on its way.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private func receive() throws {
        var block = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &block, block.count, 0)
        guard count > 0 else { throw WireFailure("The connection ended: \(count)") }
        buffer += block[..<count]
    }
}
