import CMicrohttpd
import Glibc

/// A listening socket of a loop besides the one of the library, which has one only. Used only on its loop's thread.
final class OtherListener {
    private var socket: Int32
    private let epoll: Int32
    private let tag: UInt64
    private var isWatched = false

    /// Takes the socket over.
    init(_ socket: Int32, epoll: Int32, tag: UInt64) {
        self.socket = socket
        self.epoll = epoll
        self.tag = tag
        resume()
    }

    deinit { close() }

    /// Accepts some connections. Those beyond the limit, and those for which there is no descriptor, wait until `resume`,
    /// because the kernel would report them again at once.
    func accept(
        whileThereIsRoom hasRoom: () -> Bool, passing handle: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Void
    ) {
        for _ in 0..<64 {
            guard socket >= 0 else { return }
            guard hasRoom() else { return pause() }
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            withUnsafeMutablePointer(to: &storage) { storage in
                storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    let fd = rg_accept(socket, address, &length)
                    if fd >= 0 { return handle(fd, address, length) }
                    if errno == EMFILE || errno == ENFILE { pause() }
                    length = 0
                }
            }
            if length == 0 { return }
        }
    }

    private func pause() {
        guard isWatched else { return }
        isWatched = false
        epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nil)
    }

    /// Accepts again after a pause.
    func resume() {
        guard !isWatched, socket >= 0 else { return }
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = tag
        isWatched = epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) == 0
    }

    func close() {
        guard socket >= 0 else { return }
        pause()
        Glibc.close(socket)
        socket = -1
    }
}
