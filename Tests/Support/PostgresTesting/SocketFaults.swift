import Glibc
import Synchronization
import TestBasics

/// Stands between a client and a server on this machine, and breaks their connections on demand.
///
/// Faults count bytes from the moment at which they are set, over the connection that sends them first.
package final class SocketFaults: Sendable {
    package enum Fault: Sendable {
        /// The client's bytes go on up to this many; then both sides are cut.
        case cutAfterSent(Int)
        /// The client's bytes all go on; the server's up to this many; then both sides are cut.
        case cutAfterReceived(Int)
        /// The client's bytes up to this many go on; the client's side is cut at once, the rest of them, which the
        /// client had sent, reaches the server after some milliseconds.
        case cutAndDeliverLate(after: Int, milliseconds: UInt32)
        /// Nothing goes on in either direction until the fault is lifted.
        case stall
        /// Everything goes on later by so much, until the fault is lifted.
        case slow(milliseconds: UInt32)
    }

    private struct State {
        var fault: Fault?
        var sent = 0
        var received = 0
        var isRefusing = false
        var refusesAfterFault = false
        var isClosed = false
        var sockets: Set<Int32> = []
        var cuts = 0
    }

    private let port: UInt16
    private let listener: Int32
    private let target: PostgresServer
    private let state = Mutex(State())

    /// Host and port that clients connect to.
    package var address: String { "\(LoopbackAddress.usual):\(port)" }

    package init(to target: PostgresServer) throws {
        self.target = target
        (listener, port) = try Self.listening(at: LoopbackAddress.usual)
        // The thread keeps only the descriptor alive, and this object by a weak reference in between.
        Self.thread { [weak self, listener] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0, errno == EINTR || errno == ECONNABORTED { continue }
                guard client >= 0 else { return }
                guard let self else {
                    Glibc.close(client)
                    return
                }
                self.serve(client)
            }
        }
    }

    deinit { close() }

    package func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        cutAll()
        Glibc.close(listener)
    }

    /// Sets the next fault, which happens once.
    ///
    /// - Parameter thenRefusing: whether nobody is let in from the fault on.
    package func plan(_ fault: Fault, thenRefusing: Bool = false) {
        state.withLock {
            $0.fault = fault
            $0.refusesAfterFault = thenRefusing
            ($0.sent, $0.received) = (0, 0)
        }
    }

    /// Ends the fault; connections that were not cut go on.
    package func lift() { state.withLock { $0.fault = nil } }

    /// Bytes that clients have sent since the last plan.
    package var sent: Int { state.withLock { $0.sent } }
    package var received: Int { state.withLock { $0.received } }
    /// The faults that happened.
    package var cuts: Int { state.withLock { $0.cuts } }

    /// Whether new connections are closed at once, as if the server were away.
    package func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }

    /// Cuts all connections.
    package func cutAll() {
        state.withLock { state in for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) } }
    }

    private func serve(_ client: Int32) {
        guard !state.withLock({ $0.isRefusing || $0.isClosed }),
            let server = Self.connected(to: target)
        else {
            Glibc.close(client)
            return
        }
        state.withLock { $0.sockets.formUnion([client, server]) }
        let pair = Pair(client: client, server: server)
        Self.thread { [self] in pump(pair, fromClient: true) }
        Self.thread { [self] in pump(pair, fromClient: false) }
    }

    /// Two sockets, closed when both directions have ended.
    private final class Pair: Sendable {
        let client: Int32
        let server: Int32
        private let ended = Atomic<Int>(0)

        init(client: Int32, server: Int32) {
            self.client = client
            self.server = server
        }

        func end(_ forget: () -> Void) {
            guard ended.add(1, ordering: .acquiringAndReleasing).newValue == 2 else { return }
            forget()
            Glibc.close(client)
            Glibc.close(server)
        }

        func cut() {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
    }

    private func pump(_ pair: Pair, fromClient: Bool) {
        let (source, sink) = fromClient ? (pair.client, pair.server) : (pair.server, pair.client)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        loop: while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            while state.withLock({ if case .stall? = $0.fault { true } else { false } }) { usleep(2000) }
            if case .slow(let milliseconds)? = state.withLock({ $0.fault }) { usleep(milliseconds * 1000) }
            switch decide(count, fromClient) {
            case .pass: if !Self.send(buffer[..<count], to: sink) { break loop }
            case .cut(let passed):
                _ = Self.send(buffer[..<passed], to: sink)
                // What was passed on is to arrive before the end does.
                usleep(2000)
                pair.cut()
                break loop
            case .late(let passed, let milliseconds):
                _ = Self.send(buffer[..<passed], to: sink)
                shutdown(pair.client, Int32(SHUT_RDWR))
                usleep(milliseconds * 1000)
                _ = Self.send(buffer[passed..<count], to: sink)
                usleep(50_000)
                break loop
            }
        }
        shutdown(sink, Int32(SHUT_RDWR))
        pair.end { state.withLock { $0.sockets.subtract([pair.client, pair.server]) } }
    }

    private enum Decision {
        case pass
        case cut(passed: Int)
        case late(passed: Int, milliseconds: UInt32)
    }

    private func decide(_ count: Int, _ fromClient: Bool) -> Decision {
        state.withLock { state in
            let before = fromClient ? state.sent : state.received
            if fromClient { state.sent += count } else { state.received += count }
            let decision: Decision
            switch state.fault {
            case .cutAfterSent(let limit)? where fromClient && before + count > limit:
                decision = .cut(passed: max(0, limit - before))
            case .cutAfterReceived(let limit)? where !fromClient && before + count > limit:
                decision = .cut(passed: max(0, limit - before))
            case .cutAndDeliverLate(let limit, let milliseconds)? where fromClient && before + count > limit:
                decision = .late(passed: max(0, limit - before), milliseconds: milliseconds)
            default: return .pass
            }
            state.fault = nil
            state.cuts += 1
            if state.refusesAfterFault { state.isRefusing = true }
            return decision
        }
    }

    // MARK: Sockets and threads

    /// Host and port where nothing listens.
    package static func deadAddress() throws -> String {
        let host = LoopbackAddress.own()
        return "\(host):\(try freePort(of: host))"
    }

    /// A port of one of `LoopbackAddress.own` that nothing listens on.
    static func freePort(of host: String) throws -> UInt16 {
        let (socket, port) = try listening(at: host)
        Glibc.close(socket)
        return port
    }

    private static func listening(at host: String) throws -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw PostgresTestFailure("socket: \(errno)") }
        var address = loopback(host, 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard status else { throw PostgresTestFailure("bind: \(errno)") }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private static func loopback(_ host: String, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        _ = inet_pton(AF_INET, host, &address.sin_addr)
        return address
    }

    private static func connected(to server: PostgresServer) -> Int32? {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        var address = loopback(server.host, server.port)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            Glibc.close(socket)
            return nil
        }
        return socket
    }

    private static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func thread(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Work(body)).toOpaque()
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, context)
        if status == 0 { pthread_detach(thread) }
    }
}
