import Glibc
import HTTPMessages

/// The head of a response that does not go through the library: a status line and fields, of which one closes the
/// connection.
struct ResponseHead {
    let bytes: [UInt8]

    /// - Parameter contentLength: `nil` for a body that ends with the connection.
    init(_ response: Response, contentLength: Int?) {
        var text = "HTTP/1.1 \(response.status) \(reasonPhrase(response.status))\r\nDate: \(httpDate(time(nil)))\r\n"
        text += "Connection: close\r\n"
        // A value with a line break could inject fields; the library omits such fields as well.
        for field in Array(response.headers) + Array(response.headers.missingFields)
        where !field.name.utf8.contains(where: isBreak) && !field.value.utf8.contains(where: isBreak) {
            text += "\(field.name): \(field.value)\r\n"
        }
        if let contentLength { text += "Content-Length: \(contentLength)\r\n" }
        bytes = Array((text + "\r\n").utf8)
    }
}

private func isBreak(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d || byte == 0 }

/// Returns a date in the form of RFC 9110: `Sun, 06 Nov 1994 08:49:37 GMT`.
func httpDate(_ seconds: time_t) -> String {
    var seconds = seconds
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "Thu, 01 Jan 1970 00:00:00 GMT" }
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(1900 + parts.tm_year) "
        + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
}
