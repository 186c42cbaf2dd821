/// A request's header fields in one allocation, `name NUL value NUL …`, searched when asked.
///
/// Most requests look at two or three of a dozen fields; strings are made for those alone.
struct HeaderBlock: Sendable {
    private(set) var bytes: [UInt8] = []

    init() {}

    init(_ fields: HeaderFields) {
        for field in fields {
            bytes.append(contentsOf: field.name.utf8)
            bytes.append(0)
            bytes.append(contentsOf: field.value.utf8)
            bytes.append(0)
        }
    }

    mutating func reserve(_ byteCount: Int) {
        bytes.reserveCapacity(byteCount)
    }

    /// Neither part may hold a NUL; the server has checked that before.
    mutating func append(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        bytes.append(contentsOf: name)
        bytes.append(0)
        bytes.append(contentsOf: value)
        bytes.append(0)
    }

    func value(of name: String) -> String? {
        var result: String?
        forEach { fieldName, value in
            guard matches(fieldName, name) else { return }
            let text = String(decoding: value, as: UTF8.self)
            result = result.map { "\($0), \(text)" } ?? text
        }
        return result
    }

    var fields: HeaderFields {
        var fields = HeaderFields()
        forEach { name, value in
            fields.add(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
        return fields
    }

    private func matches(_ field: ArraySlice<UInt8>, _ name: String) -> Bool {
        let name = name.utf8
        return field.count == name.count && zip(field, name).allSatisfy { foldedASCII($0) == foldedASCII($1) }
    }

    private func forEach(_ body: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void) {
        var start = bytes.startIndex
        while start < bytes.endIndex, let nameEnd = bytes[start...].firstIndex(of: 0),
            let valueEnd = bytes[(nameEnd + 1)...].firstIndex(of: 0)
        {
            body(bytes[start..<nameEnd], bytes[(nameEnd + 1)..<valueEnd])
            start = valueEnd + 1
        }
    }
}
