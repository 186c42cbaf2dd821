import HTTPMessages
import Synchronization

/// The identifiers of requests in responses and in the log.
enum RequestLabel {
    static let header = "X-Request-Id"

    /// Identifies this process, also against the preceding one: ten digits and a dash.
    private static let process: [UInt8] = {
        let number = UInt64.random(in: 0...(1 << 40 - 1))
        return (0..<10).map { digit(number >> UInt64(36 - $0 * 4)) } + [UInt8(ascii: "-")]
    }()
    private static let last = Atomic<UInt64>(0)

    /// Returns the identifier that the client sent, if it is safe for a log and a header, or a new one.
    static func of(_ request: Request) -> String {
        if let given = request.header(header), isSane(given) { return given }
        return new()
    }

    /// Returns an identifier that no other request has.
    static func new() -> String {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        let digits = max((64 - number.leadingZeroBitCount + 3) / 4, 6)
        return String(unsafeUninitializedCapacity: process.count + digits) { text in
            _ = text.initialize(from: process)
            for index in 0..<digits {
                text[process.count + index] = digit(number >> UInt64((digits - 1 - index) * 4))
            }
            return process.count + digits
        }
    }

    static func isSane(_ label: String) -> Bool {
        (1...128).contains(label.utf8.count)
            && label.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: ".-_~+/=:@".utf8.contains(byte)
                }
            }
    }

    /// Returns the lowest four bits as a hexadecimal digit.
    private static func digit(_ number: UInt64) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: number & 15)
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

extension HeaderFields {
    /// The fields that an error response of the server itself lacks because it did not pass the middlewares; empty for
    /// others.
    var missingFields: HeaderFields {
        guard !has(RequestLabel.header), has("Content-Type", "application/problem+json") else { return [:] }
        return [
            RequestLabel.header: RequestLabel.new(), "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
        ]
    }
}

extension Response {
    /// Adds the request's identifier: in a header, and in the document if this is a problem.
    mutating func label(_ label: String) {
        headers[RequestLabel.header] = label
        guard status >= 400, case .bytes(var bytes) = body, bytes.count > 2, bytes.last == UInt8(ascii: "}"),
            headers.has("Content-Type", "application/problem+json")
        else { return }
        // A checked identifier needs no escapes.
        bytes.removeLast()
        bytes += ",\"requestId\":\"\(label)\"}".utf8
        body = .bytes(bytes)
    }
}
