import Synchronization

/// What requests are called in answers and in the log.
enum RequestLabel {
    static let header = "X-Request-Id"

    /// Tells this process from others, also from the one before it: ten digits and a dash.
    private static let process: [UInt8] = {
        let number = UInt64.random(in: 0...(1 << 40 - 1))
        return (0..<10).map { digit(number >> UInt64(36 - $0 * 4)) } + [UInt8(ascii: "-")]
    }()
    private static let last = Atomic<UInt64>(0)

    /// The label that the client gave, if it is fit for a log and a header, or a new one.
    static func of(_ request: Request) -> String {
        if let given = request.header(header), isSane(given) { return given }
        return new()
    }

    /// A label that no other request has.
    static func new() -> String {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        let digits = max((64 - number.leadingZeroBitCount + 3) / 4, 6)
        return String(unsafeUninitializedCapacity: process.count + digits) { text in
            _ = text.initialize(from: process)
            for place in 0..<digits {
                text[process.count + place] = digit(number >> UInt64((digits - 1 - place) * 4))
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

    /// The last four bits as a hexadecimal digit.
    private static func digit(_ number: UInt64) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: number & 15)
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
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
