import Foundation
import Glibc
import HTTPMessages
import HTTPServer
import HTTPTesting
import Synchronization
import TestBasics
import Testing

@Suite("Descriptors of event streams", .serialized)
struct DescriptorTests {
    @Test("opening and ending thousands of streams leaves no descriptor open, whoever ends them")
    func churn() throws {
        let group = EventStreamGroup()
        let open = Mutex<[EventStream]>([])
        let ended = Atomic(0)
        var configuration = ServerConfiguration()
        configuration.loops = 2
        var router = Router()
        router.get("/events") { _, _ in
            .events { stream in
                stream.onClose { _ in ended.add(1, ordering: .relaxed) }
                group.join(stream)
                open.withLock { $0.append(stream) }
            }
        }
        let server = HTTPServer(configuration: configuration, router: router)
        let port = try server.start()
        defer { server.stop() }
        for round in 0..<20 {
            let clients = try (0..<100).map { _ in try LoopbackSocket(port: port) }
            for client in clients { try client.send("GET /events HTTP/1.1\r\nHost: t\r\n\r\n".utf8) }
            // A stream is counted before its handler gets it.
            #expect(eventually { server.counters.openStreams == 100 && open.withLock { $0.count } == 100 })
            let streams = open.withLock { streams in
                defer { streams = [] }
                return streams
            }
            if round % 2 == 0 {
                for client in clients { client.hangUp() }
            } else {
                for stream in streams { stream.close() }
            }
            #expect(eventually { server.counters.openStreams == 0 && server.counters.openConnections == 0 })
            withExtendedLifetime(clients) {}
        }
        #expect(eventually { ended.load(ordering: .relaxed) == 2_000 })
        group.send(.comment())
        #expect(group.count == 0)
        // Only the listening sockets remain at the server's port.
        #expect(eventually { Self.socketsBound(to: port) == configuration.loops })
    }

    /// Returns the number of this process's descriptors whose local address has the port.
    private static func socketsBound(to port: UInt16) -> Int {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.compactMap { Int32($0) }.count { fd in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(fd, $0, &length) }
            }
            return status == 0 && address.sin_family == sa_family_t(AF_INET) && address.sin_port == port.bigEndian
        }
    }
}
