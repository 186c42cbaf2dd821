import Synchronization

/// What requests are called in answers and in the log.
enum RequestLabel {
    static let header = "X-Request-Id"

    /// Tells this process from others, also from the one before it.
    private static let process = hex(UInt64.random(in: 0...(1 << 40 - 1)), digits: 10)
    private static let last = Atomic<UInt64>(0)

    /// The label that the client gave, if it is fit for a log and a header, or a new one.
    static func of(_ request: Request) -> String {
        if let given = request.header(header), isSane(given) { return given }
        return new()
    }

    /// A label that no other request has.
    static func new() -> String { "\(process)-\(hex(last.wrappingAdd(1, ordering: .relaxed).newValue, digits: 6))" }

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

    private static func hex(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
    }
}

extension HeaderFields {
    /// What a refusal by the server itself lacks, which no middleware has seen; nothing for other answers.
    var missingFields: [(name: String, value: String)] {
        guard self["Content-Type"] == "application/problem+json", self[RequestLabel.header] == nil else { return [] }
        return [
            (RequestLabel.header, RequestLabel.new()), ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", "no-store"),
        ]
    }
}

extension Response {
    /// Says what the request is called: in a header, and in the document when this is a problem.
    mutating func label(_ label: String) {
        headers[RequestLabel.header] = label
        guard status >= 400, case .bytes(var bytes) = body, bytes.count > 2, bytes.last == UInt8(ascii: "}"),
            headers["Content-Type"] == "application/problem+json"
        else { return }
        // A sane label needs no escapes.
        bytes.removeLast()
        bytes += ",\"requestId\":\"\(label)\"}".utf8
        body = .bytes(bytes)
    }
}
