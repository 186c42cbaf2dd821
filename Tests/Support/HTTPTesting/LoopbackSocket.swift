import Glibc
import TestBasics

/// A blocking connection to a server on this machine that sends and receives bytes unchanged. Used by one thread at a
/// time; closed with the last reference.
package final class LoopbackSocket {
    package struct Failure: Error, CustomStringConvertible {
        package let call: String
        package let number: Int32

        package var description: String { "\(call): \(String(cString: strerror(number)))" }

        /// Whether the server broke the connection off.
        package var isReset: Bool { number == ECONNRESET || number == EPIPE }
    }

    package private(set) var descriptor: Int32

    /// - Parameters:
    ///   - address: the server's, such as `LoopbackAddress.own()`.
    ///   - receiveBuffer: bytes that the kernel keeps for a client that does not read.
    ///   - patience: the maximum seconds that one call waits; those of all tests, unless the test is about waiting.
    package init(
        port: UInt16, address host: String = LoopbackAddress.usual, receiveBuffer: Int32? = nil, patience: Int? = nil
    ) throws {
        let isIPv6 = host.contains(":")
        descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
        limitWaiting(to: patience ?? TestRun.patience)
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1 as Int32)
        // Before connecting, which negotiates the window.
        if let receiveBuffer { set(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        let isConnected = isIPv6 ? try connect(IPv6: host, port) : try connect(IPv4: host, port)
        guard isConnected else { throw Failure(call: "connect", number: errno) }
    }

    private func connect(IPv4 host: String, _ port: UInt16) throws -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw Failure(call: host, number: EINVAL) }
        return connect(to: &address)
    }

    private func connect(IPv6 host: String, _ port: UInt16) throws -> Bool {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { throw Failure(call: host, number: EINVAL) }
        return connect(to: &address)
    }

    private func connect<Address>(to address: inout Address) -> Bool {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }

    /// Whether this machine has the loopback address of IPv6.
    package static var hasIPv6: Bool {
        guard let file = fopen("/proc/net/if_inet6", "r") else { return false }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            if line.starts(with: "00000000000000000000000000000001".utf8.map { CChar($0) }) { return true }
        }
        return false
    }

    /// Takes ownership of a connected descriptor.
    package init(taking descriptor: Int32, patience: Int? = nil) {
        self.descriptor = descriptor
        limitWaiting(to: patience ?? TestRun.patience)
    }

    deinit { hangUp() }

    private func limitWaiting(to seconds: Int) {
        let limit = timeval(tv_sec: seconds, tv_usec: 0)
        set(SOL_SOCKET, SO_RCVTIMEO, limit)
        set(SOL_SOCKET, SO_SNDTIMEO, limit)
    }

    private func set<Option: BitwiseCopyable>(_ level: Int32, _ name: Int32, _ option: Option) {
        _ = withUnsafeBytes(of: option) {
            setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count))
        }
    }

    package func hangUp() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Sends bytes and the end of the stream in one segment.
    package func sendLast(_ bytes: [UInt8]) throws {
        set(Int32(IPPROTO_TCP), TCP_CORK, 1 as Int32)
        try send(bytes)
        finishSending()
    }

    /// Tells the server that nothing more will be sent.
    package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    package func send(_ bytes: some Collection<UInt8>) throws {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Failure(call: "send", number: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// The available bytes, at most so many; waits for the first. Empty when the server has sent all.
    package func receive(atMost limit: Int = 65_536) throws -> [UInt8] {
        var number: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let received = recv(descriptor, buffer.baseAddress, limit, 0)
            if received < 0 { number = errno }
            count = max(0, received)
        }
        guard number == 0 else { throw Failure(call: "recv", number: number) }
        return bytes
    }
}
