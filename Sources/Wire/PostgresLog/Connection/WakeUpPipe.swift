import Glibc

/// Wakes threads that poll a descriptor. Any thread may use it.
final class WakeUpPipe: Sendable {
    /// Readable from `signal` until `drain`.
    let descriptor: Int32
    private let input: Int32

    /// Throws `unreachable` when the process has no descriptors left.
    init() throws(PostgresError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .unreachable("pipe: \(errorText(errno))") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, input) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(input)
    }

    func signal() {
        var byte: UInt8 = 1
        // A full pipe is readable already.
        _ = write(input, &byte, 1)
    }

    func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) == bytes.count {}
    }
}

/// Waits up to some milliseconds until a descriptor is readable, closed or broken.
func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
}

func errorText(_ number: Int32) -> String {
    var text = [CChar](repeating: 0, count: 128)
    guard strerror_r(number, &text, text.count) == 0 else { return "error \(number)" }
    return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
}
