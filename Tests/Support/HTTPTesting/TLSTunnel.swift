import Foundation
import Glibc

/// The protocol between client and server.
package enum Wire: CaseIterable, Sendable {
    case plain
    case tls
}

/// A connection that `openssl s_client` encrypts. It ends with its last reference.
final class TLSTunnel {
    let socket: LoopbackSocket
    private let process = Process()

    /// - Parameter arguments: what `s_client` gets besides the server's address.
    init(port: UInt16, arguments: [String]) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw LoopbackSocket.Failure(call: "socketpair", number: errno)
        }
        socket = LoopbackSocket(taking: ends[0])
        let inside = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl", "s_client", "-connect", "127.0.0.1:\(port)"] + arguments
        process.standardInput = inside
        process.standardOutput = inside
        process.standardError = FileHandle.nullDevice
        try process.run()
        try inside.close()
    }

    deinit { end() }

    /// The program ends with its input, except when it waits for a server that reads nothing.
    func end() { process.terminate() }
}
