import Glibc
import HTTPMessages
import HTTPServer
import HTTPTesting
import Testing

@Suite("Memory of bodies in files", .serialized)
struct BodyMemoryTests {
    @Test("200 MB come in with constant memory")
    func constantMemory() throws {
        var configuration = ServerConfiguration()
        configuration.loops = 2
        configuration.bodyLimit = 1_000
        var router = Router()
        router.on(.post, "/import", body: .file(limit: 300 << 20)) { request, _ in
            .now(.text("\(request.body.count) \(request.bodyFile?.count ?? -1)"))
        }
        let server = HTTPServer(configuration: configuration, router: router)
        let port = try server.start()
        defer { server.stop() }
        let client = try LoopbackClient(port: port)
        let block = String(repeating: "b", count: 1 << 20)
        try client.write("POST /import HTTP/1.1\r\nHost: t\r\nContent-Length: \(200 << 20)\r\n\r\n")
        try client.write(block)
        let before = Self.residentBytes()
        for _ in 1..<200 { try client.write(block) }
        #expect(Self.residentBytes() - before < 40 << 20)
        #expect(try client.receive().text == "0 \(200 << 20)")
    }

    /// Returns the resident memory of this process, in bytes.
    private static func residentBytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        fgets(&line, 256, file)
        let text = line.withUnsafeBufferPointer { buffer in buffer.baseAddress.map { String(cString: $0) } ?? "" }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
