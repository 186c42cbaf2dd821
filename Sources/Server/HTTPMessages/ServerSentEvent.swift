extension SharedBytes {
    /// Encodes a server-sent event once for all its subscribers.
    ///
    /// A line break in `data` starts another `data:` line, as the format requires; `id` and `name` must not contain
    /// line breaks (they are truncated there). Event data from JSON encoders has no line breaks and is copied as a
    /// whole.
    package static func event(
        id: String? = nil, name: String? = nil, retry milliseconds: Int? = nil, data: some Collection<UInt8>
    ) -> SharedBytes {
        var out: [UInt8] = []
        out.reserveCapacity(data.count + 64)
        func field(_ label: StaticString, _ value: some Sequence<UInt8>) {
            label.withUTF8Buffer { out.append(contentsOf: $0) }
            out.append(contentsOf: value)
            out.append(0x0a)
        }
        if let milliseconds { field("retry: ", "\(milliseconds)".utf8) }
        if let id { field("id: ", id.utf8.prefix { $0 != 0x0a && $0 != 0x0d && $0 != 0 }) }
        if let name { field("event: ", name.utf8.prefix { $0 != 0x0a && $0 != 0x0d }) }
        var rest = data[...]
        while let lineEnd = rest.firstIndex(where: { $0 == 0x0a || $0 == 0x0d }) {
            field("data: ", rest[..<lineEnd])
            var next = rest.index(after: lineEnd)
            if rest[lineEnd] == 0x0d, next < rest.endIndex, rest[next] == 0x0a { next = rest.index(after: next) }
            rest = rest[next...]
        }
        field("data: ", rest)
        out.append(0x0a)
        return SharedBytes(out)
    }

    /// Encodes a comment line, which clients ignore: the heartbeat. No empty line follows, which some clients interpret
    /// as an event without data.
    package static func comment(_ text: String = "") -> SharedBytes {
        SharedBytes(":\(text.isEmpty ? "" : " ")\(text)\n")
    }
}
