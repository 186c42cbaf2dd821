/// Writes CSV fields in a form that `CSVReader` reads back unchanged.
package enum CSVText {
    /// Appends one record and CR LF; nil is written as an empty field without quotes.
    package static func append(_ fields: [String?], to bytes: inout [UInt8]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if let field { append(field, to: &bytes) }
        }
        bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        default: false
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        guard text.isEmpty || text.utf8.contains(where: isSpecial) else {
            bytes += text.utf8
            return
        }
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
