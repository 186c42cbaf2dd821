import Glibc

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
    ///   - receiveBuffer: bytes that the kernel keeps for a client that does not read.
    ///   - patience: the maximum seconds that one call waits.
    package init(port: UInt16, receiveBuffer: Int32? = nil, patience: Int = 90) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
        limitWaiting(to: patience)
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1 as Int32)
        // Before connecting, which negotiates the window.
        if let receiveBuffer { set(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure(call: "connect", number: errno) }
    }

    /// Takes ownership of a connected descriptor.
    package init(taking descriptor: Int32, patience: Int = 90) {
        self.descriptor = descriptor
        limitWaiting(to: patience)
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
