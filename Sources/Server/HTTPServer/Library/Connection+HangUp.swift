import Glibc

extension Connection {
    /// Whether the client has ended the connection, and the library does not know.
    ///
    /// A client that sends its last request and the end together is reported once. The library reads the request, sees that
    /// less came than there was room for, and waits to hear of more, which nobody tells it. So we look once after each
    /// request.
    func hasHungUpUnseen() -> Bool {
        guard mayHaveHungUp, phase == .awaiting else { return false }
        mayHaveHungUp = false
        var byte: UInt8 = 0
        return recv(fd, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    /// Whether something has arrived that the library has not read.
    var hasUnreadBytes: Bool {
        var byte: UInt8 = 0
        return recv(fd, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }
}
