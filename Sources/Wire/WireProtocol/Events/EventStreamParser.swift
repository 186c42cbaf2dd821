/// An event of a `text/event-stream`.
package struct ServerEvent: Sendable, Equatable {
    package var id: String?
    package var name: String
    package var data: [UInt8]

    package init(id: String? = nil, name: String, data: [UInt8]) {
        self.id = id
        self.name = name
        self.data = data
    }
}

/// Parses events from the chunks of a stream, wherever these are split. Ignores comments.
package struct EventStreamParser: Sendable {
    private var line: [UInt8] = []
    private var endsWithReturn = false
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    /// The last id, which applies to all later events.
    private var id: String?

    package init() {}

    /// Returns the events that are completed by these bytes.
    package mutating func feed(_ bytes: [UInt8]) -> [ServerEvent] { bytes.withUnsafeBytes { feed($0) } }

    // Not one generic function, because other modules would call it unspecialised.

    /// Returns the events that are completed by these bytes.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [ServerEvent] {
        var events: [ServerEvent] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let isSecondOfTwo = endsWithReturn && end == rest.startIndex && rest[end] == UInt8(ascii: "\n")
            endsWithReturn = rest[end] == UInt8(ascii: "\r")
            line += rest[..<end]
            rest = rest[rest.index(after: end)...]
            if !isSecondOfTwo, let event = endLine() { events.append(event) }
        }
        if !rest.isEmpty { endsWithReturn = false }
        line += rest
        return events
    }

    private mutating func endLine() -> ServerEvent? {
        defer { line.removeAll(keepingCapacity: line.count < 1 << 16) }
        guard !line.isEmpty else {
            defer {
                name = ""
                data = []
                hasData = false
            }
            return hasData ? ServerEvent(id: id, name: name.isEmpty ? "message" : name, data: data) : nil
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
        var value = line[min(colon + 1, line.count)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "id": id = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        default: break
        }
        return nil
    }
}
