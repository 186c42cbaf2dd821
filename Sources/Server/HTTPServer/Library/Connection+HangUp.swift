import Glibc

extension Connection {
    /// Whether the client has closed the connection without the library's noticing.
    ///
    /// If a client sends its last request and closes at once, epoll reports it once. The library reads the request,
    /// gets less than its buffer holds, and waits for another report, which never comes. So the server checks once
    /// after each request.
    func hasHungUpUnseen() -> Bool {
        guard mayHaveHungUp, phase == .awaiting else { return false }
        mayHaveHungUp = false
        var byte: UInt8 = 0
        return recv(fd, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    /// Whether bytes have arrived that the library has not read.
    var hasUnreadBytes: Bool {
        var byte: UInt8 = 0
        return recv(fd, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }
}
