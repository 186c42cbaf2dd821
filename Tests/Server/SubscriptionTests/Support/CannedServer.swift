import Dispatch
import Foundation
import Glibc
import Synchronization

/// Sends the same response to every request, at a given address: a proxy without a gateway behind it.
final class CannedServer: Sendable {
    private let socket: Int32
    private let count = Atomic(0)
    private let isOver = Atomic(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// - Parameter answer: status line, headers and body, without the length.
    init(at url: URL, status: String, headers: [String] = [], body: String = "") throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.socket = socket
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        guard let host = url.host, let port = url.port.flatMap({ UInt16(exactly: $0) }),
            inet_pton(AF_INET, host, &address.sin_addr) == 1
        else { throw TestServer.Failure(text: "not an address: \(url)") }
        address.sin_port = port.bigEndian
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(socket, 64) == 0
            }
        }
        guard bound else { throw TestServer.Failure(text: "the port is taken: \(errno)") }
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
        let answer = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
        Thread.detachNewThread { [self] in serve(answer) }
    }

    /// Requests so far.
    var requests: Int { count.load(ordering: .acquiring) }

    /// Returns when its thread has ended, and the port is free. Call it once.
    func stop() {
        isOver.store(true, ordering: .releasing)
        shutdown(socket, Int32(SHUT_RDWR))
        hasEnded.wait()
    }

    private func serve(_ answer: [UInt8]) {
        // Nobody else closes the descriptor, so it is never another file's while this thread accepts.
        defer {
            close(socket)
            hasEnded.signal()
        }
        while !isOver.load(ordering: .acquiring) {
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else { continue }
            var limit = timeval(tv_sec: 2, tv_usec: 0)
            setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            var head: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let got = recv(connection, &buffer, buffer.count, 0)
                guard got > 0 else { break }
                head += buffer[..<got]
                if isWhole(head) { break }
            }
            count.add(1, ordering: .acquiringAndReleasing)
            _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            close(connection)
        }
    }

    private func isWhole(_ request: [UInt8]) -> Bool {
        let text = String(decoding: request, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return false }
        let length = text[..<end.lowerBound].lowercased().split(separator: "\r\n").compactMap { line in
            line.hasPrefix("content-length:") ? Int(line.dropFirst(15).trimmingCharacters(in: .whitespaces)) : nil
        }
        return text[end.upperBound...].utf8.count >= length.first ?? 0
    }
}
