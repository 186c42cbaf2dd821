import Basics
import CMicrohttpd
import Glibc

/// Returns the system's message for an error number.
func errorText(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return buffer.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { String(cString: $0) } ?? ""
    }
}

/// Returns the system's directory for temporary files: `TMPDIR`, or `/tmp`.
package func systemTemporaryDirectory() -> String {
    getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
}

/// Returns the time of the monotonic clock in milliseconds.
func monotonicMilliseconds() -> Int64 { SystemClock.monotonic / 1_000_000 }

/// For sockets that loops write to: never blocks, never raises SIGPIPE.
let sendFlags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
