import HTTPMessages
import CMicrohttpd
import Glibc

/// Where the fields of a request's header come from.
enum HeadSource: CaseIterable, Sendable {
    /// The library's look-ups: it refuses malformed lines by itself. libmicrohttpd from 0.9.77 on.
    case lines
    /// The library's memory, read again: it lets malformed lines pass. libmicrohttpd 0.9.75 and 0.9.76.
    case memory
}

/// Finds out, with requests over a socket, which way of reading headers suits the library that this process has loaded.
///
/// No list of versions can know what a later one does, or one that a distribution has changed. So once in a process, and
/// before the first server, a server of its own on the loopback interface gets sound and malformed requests, each with
/// another request behind it that must not be answered. Cost: some ten milliseconds.
enum LibraryTrial {
    /// The first way that suits, or an error that names the request with which the last one failed.
    static let outcome: Result<HeadSource, ServerError> = {
        var last = ServerError.unsuitableLibrary(version: version, request: "")
        for source in HeadSource.allCases {
            do throws(ServerError) {
                guard let failed = try failure(of: source) else { return .success(source) }
                last = .unsuitableLibrary(version: version, request: failed)
            } catch {
                return .failure(error)
            }
        }
        return .failure(last)
    }()

    /// The version of the loaded library, and of the headers that this program was built with.
    static let version = String(cString: MHD_get_version())
    static let builtVersion = [24, 16, 8].map { String(MHD_VERSION >> $0 & 0xff, radix: 16) }.joined(separator: ".")

    private struct Trial {
        let name: String
        let request: String
        /// The status, of which the first digit counts for a malformed request.
        let status: Int
    }

    private static let trials = [
        Trial(name: "a sound request", request: "GET / HTTP/1.1\r\nHost: a\r\nX-A: \t b c \r\n\r\n", status: 204),
        Trial(name: "HTTP/1.0", request: "GET / HTTP/1.0\r\n\r\n", status: 204),
        Trial(name: "no Host", request: "GET / HTTP/1.1\r\n\r\n", status: 400),
        Trial(name: "two Host fields", request: "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", status: 400),
        Trial(name: "a line feed alone", request: "GET / HTTP/1.1\r\nHost: a\nX-A: b\r\n\r\n", status: 400),
        Trial(name: "a carriage return alone", request: "GET / HTTP/1.1\r\nHost: a\r\nX-A: b\rc\r\n\r\n", status: 400),
        Trial(name: "a folded line", request: "GET / HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n", status: 400),
        Trial(name: "a blank before the colon", request: "GET / HTTP/1.1\r\nHost: a\r\nX-A : b\r\n\r\n", status: 400),
        Trial(name: "a blank in the target", request: "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", status: 400),
        Trial(name: "a NUL in a value", request: "GET / HTTP/1.1\r\nHost: a\r\nX-A: b\0c\r\n\r\n", status: 400),
        Trial(
            name: "Content-Length with Transfer-Encoding",
            request: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            status: 400),
        Trial(
            name: "two Content-Length fields",
            request: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", status: 400),
        Trial(
            name: "a line feed alone in chunks",
            request: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n", status: 0),
    ]

    /// Returns the name of the first request that is not answered as it must be; nil if all are.
    static func failure(of source: HeadSource) throws(ServerError) -> String? {
        var configuration = ServerConfiguration()
        configuration.loops = 1
        var router = Router(logger: configuration.logger)
        for method in [HTTPMethod.get, .post] { router.on(method, "/") { _, _ in .now(.empty(204)) } }
        let server = HTTPServer(configuration: configuration, router: router)
        let port = try server.start(reading: source)
        defer { server.stop(within: .zero) }
        for trial in trials {
            let statuses = try responses(to: trial.request + "GET /behind HTTP/1.1\r\nHost: a\r\n\r\n", at: port)
            let isRight =
                switch trial.status {
                // Whatever it is, nothing behind it may be taken for a request.
                case 0: statuses.count <= 1
                case 204: statuses.first == 204
                default: statuses.count == 1 && statuses[0] / 100 == 4
                }
            if !isRight { return trial.name }
        }
        return nil
    }

    /// Sends bytes on a connection of their own and returns the statuses of all responses.
    private static func responses(to request: String, at port: UInt16) throws(ServerError) -> [Int] {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard client >= 0 else { throw .system(call: "socket", errno: errno) }
        defer { close(client) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw .system(call: "connect", errno: errno) }
        let bytes = Array(request.utf8)
        guard send(client, bytes, bytes.count, sendFlags) == bytes.count else {
            throw .system(call: "send", errno: errno)
        }
        // A connection that is kept alive ends here, and one that does not end all the same has failed.
        shutdown(client, Int32(SHUT_WR))
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var response: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            response += buffer[..<count]
        }
        let text = String(decoding: response, as: UTF8.self)
        return text.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
    }
}

extension HTTPServer {
    /// Whether the loaded library refuses malformed headers and chunks by itself, so that a connection also goes on after
    /// a body in chunks.
    package static var libraryIsStrict: Bool { LibraryTrial.outcome == .success(.lines) }
}
