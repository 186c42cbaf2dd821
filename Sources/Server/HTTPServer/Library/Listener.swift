import HTTPMessages
import CMicrohttpd
import Glibc

/// Listening sockets, one per loop; the kernel distributes connections among them. They are on one address or, for
/// `localhost`, on both loopback addresses, of which a client tries either one first.
struct Listener {
    let sockets: [Int32]
    /// The sockets of the other loopback address, one per loop; empty if there are none.
    private(set) var others: [Int32] = []
    let port: UInt16
    let isIPv6: Bool

    /// The address that `localhost` has besides that of IPv4.
    private static let otherLoopback = "::1"
    /// How often a port that the system chose for one address is tried at the other.
    private static let attempts = 16

    /// - Throws: ``ServerError``; no socket stays open.
    static func listen(at host: String, port: UInt16, count: Int) throws(ServerError) -> Listener {
        var left = port == 0 ? attempts : 1
        while true {
            left -= 1
            var listener = try Listener(host: host, port: port, count: count)
            guard LocalName.isName(host) else { return listener }
            do throws(ServerError) {
                listener.others = try Listener(host: otherLoopback, port: listener.port, count: count).sockets
                return listener
            } catch .badHost, .system {
                // The machine has no IPv6.
                return listener
            } catch {
                listener.close()
                guard case .addressInUse = error, left > 0 else { throw error }
            }
        }
    }

    /// Closes all sockets.
    func close() { for socket in sockets + others { Glibc.close(socket) } }

    private init(host: String, port: UInt16, count: Int) throws(ServerError) {
        let address = try Self.resolve(host, port)
        isIPv6 = address.family == AF_INET6
        // Sockets that may share a port would also share it with a stale process of the same user, silently: half of
        // the requests would go there. A first bind without sharing detects that.
        if port != 0 { Glibc.close(try Self.bind(address, host: host, port: port, shared: false)) }
        var opened: [Int32] = []
        do throws(ServerError) {
            let first = try Self.bind(address, host: host, port: port, shared: true)
            opened.append(first)
            let chosen = try Self.boundPort(first)
            for _ in 1..<max(count, 1) {
                opened.append(try Self.bind(address.with(port: chosen), host: host, port: chosen, shared: true))
            }
            for socket in opened where Glibc.listen(socket, 1024) != 0 {
                throw .system(call: "listen", errno: errno)
            }
            self.port = chosen
        } catch {
            for socket in opened { Glibc.close(socket) }
            throw error
        }
        sockets = opened
    }

    private struct Address {
        var storage: sockaddr_storage
        var length: socklen_t
        var family: Int32 { Int32(storage.ss_family) }

        func with(port: UInt16) -> Address {
            var copy = self
            withUnsafeMutableBytes(of: &copy.storage) {
                // The port has the same offset in both families.
                $0.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
            }
            return copy
        }
    }

    private static func resolve(_ host: String, _ port: UInt16) throws(ServerError) -> Address {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        guard !host.isEmpty, getaddrinfo(LocalName.address(host), "\(port)", &hints, &list) == 0,
            let info = list?.pointee,
            let name = info.ai_addr
        else { throw .badHost(host) }
        defer { freeaddrinfo(list) }
        var address = Address(storage: sockaddr_storage(), length: info.ai_addrlen)
        withUnsafeMutableBytes(of: &address.storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: name, count: Int(info.ai_addrlen)))
        }
        return address
    }

    private static func bind(
        _ address: Address, host: String, port: UInt16, shared: Bool
    ) throws(ServerError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let fd = socket(address.family, type, 0)
        guard fd >= 0 else { throw .system(call: "socket", errno: errno) }
        setFlag(fd, SOL_SOCKET, SO_REUSEADDR)
        if shared { setFlag(fd, SOL_SOCKET, SO_REUSEPORT) }
        var storage = address.storage
        let status = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(fd, $0, address.length) }
        }
        guard status == 0 else {
            let number = errno
            Glibc.close(fd)
            switch number {
            case EADDRINUSE: throw .addressInUse(host: host, port: port)
            case EACCES: throw .permissionDenied(host: host, port: port)
            case EADDRNOTAVAIL: throw .badHost(host)
            default: throw .system(call: "bind", errno: number)
            }
        }
        return fd
    }

    private static func boundPort(_ fd: Int32) throws(ServerError) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(fd, $0, &length) }
        }
        guard status == 0 else { throw .system(call: "getsockname", errno: errno) }
        return withUnsafeBytes(of: &storage) {
            UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }
}

func setFlag(_ fd: Int32, _ level: Int32, _ option: Int32, _ value: Int32 = 1) {
    var value = value
    setsockopt(fd, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
}

extension RemoteAddress {
    init(_ address: UnsafePointer<sockaddr>?) {
        guard let address else {
            self = .none
            return
        }
        let raw = UnsafeRawPointer(address)
        let port = UInt16(bigEndian: raw.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self = .v4(UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self)), port: port)
        case AF_INET6:
            let high = UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            let low = UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
            self = .v6(high: high, low: low, port: port)
        default: self = .none
        }
    }
}
