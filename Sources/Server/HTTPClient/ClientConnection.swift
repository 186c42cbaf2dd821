import Basics
import Cryptography
import Glibc
import HTTPMessages

/// A connection to a server, with TLS or without. Closed with its last reference.
struct ClientConnection {
    /// What the other end did.
    enum Received {
        case bytes(Int)
        case end
        /// The connection broke, or ended without the announcement that TLS has for an end.
        case cut
    }

    private let base: BaseURL
    private let patience: Int
    private let socket: Socket
    private let session: TLSClientSession?

    /// Connects to the first address of the host that accepts it, and verifies the server.
    ///
    /// - Parameters:
    ///   - trust: whom to trust; nil for a connection without TLS.
    ///   - patience: the seconds that it waits for each progress.
    init(to base: BaseURL, trust: TLSTrust?, patience: Int) throws(HTTPClientError) {
        self.base = base
        self.patience = patience
        socket = try Self.connected(to: base, patience)
        guard let trust else {
            session = nil
            return
        }
        do throws(TLSClientSession.Error) {
            session = try TLSClientSession(over: socket.descriptor, to: base.host, trust: trust)
        } catch {
            throw Self.error(error, base)
        }
        try handshake()
    }

    private func handshake() throws(HTTPClientError) {
        guard let session else { return }
        while true {
            let status: Int
            do throws(TLSClientSession.Error) {
                status = try session.handshake()
            } catch {
                throw Self.error(error, base)
            }
            if status == 0 { return }
            try wait(toSend: session.wantsToSend)
        }
    }

    private static func error(_ fault: TLSClientSession.Error, _ base: BaseURL) -> HTTPClientError {
        switch fault {
        case .noTLS: .noTLS(endpoint: base.endpoint)
        case .untrusted(let reason): .untrusted(endpoint: base.endpoint, reason: reason)
        case .handshake(let reason): .handshake(endpoint: base.endpoint, reason: reason)
        case .outOfMemory: .outOfMemory
        }
    }

    /// Sends all bytes, unless the other end takes no more: a refusal may come before the whole request is taken.
    func send(_ bytes: [UInt8]) throws(HTTPClientError) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { bytes in
                session?.send(bytes)
                    ?? result { Glibc.send(socket.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
            }
            if count == -Int(EAGAIN) {
                try wait(toSend: session?.wantsToSend ?? true)
            } else if count <= 0 {
                return
            } else {
                sent += count
            }
        }
    }

    /// Waits for bytes and stores them at the beginning of the buffer.
    func received(_ buffer: inout [UInt8]) throws(HTTPClientError) -> Received {
        while true {
            let count = buffer.withUnsafeMutableBytes { bytes in
                session?.receive(into: bytes)
                    ?? result { recv(socket.descriptor, bytes.baseAddress, bytes.count, 0) }
            }
            switch count {
            case 1...: return .bytes(count)
            case 0: return .end
            case -Int(EAGAIN): try wait(toSend: session?.wantsToSend ?? false)
            default: return .cut
            }
        }
    }

    /// The result of a system call, or its negated error number.
    private func result(_ call: () -> Int) -> Int {
        while true {
            let count = call()
            if count >= 0 { return count }
            if errno != EINTR { return -Int(errno) }
        }
    }

    private func wait(toSend: Bool) throws(HTTPClientError) {
        guard socket.isReady(toSend: toSend, within: patience) else {
            throw .silence(endpoint: base.endpoint, seconds: patience)
        }
    }

    private static func connected(to base: BaseURL, _ patience: Int) throws(HTTPClientError) -> Socket {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let resolved = getaddrinfo(LocalName.address(base.host), String(base.port), &hints, &found)
        guard resolved == 0 else {
            throw .unresolved(host: base.host, reason: String(cString: gai_strerror(resolved)))
        }
        defer { freeaddrinfo(found) }
        var reason = "no address"
        var next = found
        while let address = next?.pointee {
            next = address.ai_next
            guard let socket = Socket(address.ai_family) else { continue }
            let fault = socket.connect(to: address, within: patience)
            if fault == 0 { return socket }
            reason = String(cString: strerror(fault))
        }
        throw .unreachable(endpoint: base.endpoint, reason: reason)
    }
}

/// A socket that does not block, and is closed with its last reference.
private final class Socket {
    let descriptor: Int32

    init?(_ family: Int32) {
        descriptor = socket(
            family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Returns 0 or the error number.
    func connect(to address: addrinfo, within seconds: Int) -> Int32 {
        if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return 0 }
        guard errno == EINPROGRESS || errno == EINTR else { return errno }
        guard isReady(toSend: true, within: seconds) else { return ETIMEDOUT }
        var fault: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &fault, &size) == 0 ? fault : errno
    }

    /// Waits until a call would not return `EAGAIN`; returns false after so many seconds.
    func isReady(toSend: Bool, within seconds: Int) -> Bool {
        let end = SystemClock.monotonic + Int64(seconds) * 1_000_000_000
        while true {
            var wanted = pollfd(fd: descriptor, events: Int16(toSend ? POLLOUT : POLLIN), revents: 0)
            let left = max(0, (end - SystemClock.monotonic + 999_999) / 1_000_000)
            let status = poll(&wanted, 1, Int32(clamping: left))
            if status >= 0 || errno != EINTR { return status != 0 }
        }
    }
}
