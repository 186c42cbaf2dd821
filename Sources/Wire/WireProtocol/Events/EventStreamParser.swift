import Glibc

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
///
/// The data of an event is most of a stream: it is copied once, from the chunk to where the event has it.
package struct EventStreamParser: Sendable {
    /// The present line, unless it is one of data.
    private var line: [UInt8] = []
    /// Whether the present line is known to be one of data, so that its bytes are appended there.
    private var isInData = false
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
        var rest = bytes
        while let end = Self.lineEnd(rest) {
            let isSecondOfTwo = endsWithReturn && end == 0 && rest[end] == UInt8(ascii: "\n")
            endsWithReturn = rest[end] == UInt8(ascii: "\r")
            append(UnsafeRawBufferPointer(rebasing: rest[..<end]))
            rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
            if !isSecondOfTwo, let event = endLine() { events.append(event) }
        }
        if !rest.isEmpty { endsWithReturn = false }
        append(rest)
        return events
    }

    /// Returns where the first line of a text ends; nil if it does not end there.
    private static func lineEnd(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        let feed = memchr(base, Int32(UInt8(ascii: "\n")), bytes.count).map { UnsafeRawPointer($0) - base }
        return memchr(base, Int32(UInt8(ascii: "\r")), feed ?? bytes.count).map { UnsafeRawPointer($0) - base } ?? feed
    }

    /// The beginning of a line of data; a space after it is not part of the data.
    private static let dataField = [UInt8]("data:".utf8)

    private mutating func append(_ part: UnsafeRawBufferPointer) {
        var part = part
        let headCount = Self.dataField.count + 1
        if !isInData, line.count < headCount {
            let head = part.prefix(headCount - line.count)
            line.append(contentsOf: head)
            part = UnsafeRawBufferPointer(rebasing: part[head.endIndex...])
            if line.count == headCount, line.starts(with: Self.dataField) {
                isInData = true
                if hasData { data.append(UInt8(ascii: "\n")) }
                if let first = line.last, first != UInt8(ascii: " ") { data.append(first) }
                line.removeAll(keepingCapacity: true)
            }
        }
        if isInData { data.append(contentsOf: part) } else { line.append(contentsOf: part) }
    }

    private mutating func endLine() -> ServerEvent? {
        guard !isInData else {
            isInData = false
            hasData = true
            return nil
        }
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
