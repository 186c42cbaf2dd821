import HTTPServer
import JSONCoding
import ObjectModel

/// An event with its data, written once for all streams that it is sent to.
struct EncodedEvent: Sendable {
    let name: String
    /// The state that it leads to; nil for one that belongs to none.
    let mark: Mark?
    /// As it is sent on a stream of its own, with the mark as its id.
    let bytes: SharedBytes

    /// - Parameter data: an object, in one line.
    init(_ name: String, _ mark: Mark?, _ data: JSONWriter) {
        self.init(name, mark, data.withBytes { .event(id: mark?.description, name: name, data: $0) })
    }

    init(_ name: String, _ mark: Mark?, _ bytes: SharedBytes) {
        self.name = name
        self.mark = mark
        self.bytes = bytes
    }

    /// The same, counted as long as clients have yet to take it, if it is large.
    func counted(by memory: EventMemory) -> EncodedEvent {
        bytes.count > Self.mostCopied ? EncodedEvent(name, mark, memory.counted(bytes)) : self
    }

    /// Sends the same event on a stream that it shares with others: with another id, and with members before its own. The
    /// bytes of a large one are shared with other streams all the same.
    ///
    /// - Parameter members: JSON, as it stands within braces.
    func send(on stream: EventStream, as id: String, with members: [UInt8]) -> EventStream.SendResult {
        guard bytes.count > Self.mostCopied else { return stream.send(copy(id, members)) }
        let start = bytes.withUnsafeBytes { $0.firstIndex(of: UInt8(ascii: "{")).map { $0 + 1 } ?? $0.count }
        var out = Array("id: \(id)\nevent: \(name)\ndata: {".utf8)
        out += members
        // An event that is so long has members.
        out.append(UInt8(ascii: ","))
        return stream.send(SharedBytes(out), SharedBytes(bytes, from: start))
    }

    private static let mostCopied = 16 << 10

    private func copy(_ id: String, _ members: [UInt8]) -> SharedBytes {
        bytes.withUnsafeBytes { all in
            // The data is the event's last field, and the first brace is that of its object.
            let start = all.firstIndex(of: UInt8(ascii: "{")).map { $0 + 1 } ?? all.count
            var out = Array("id: \(id)\nevent: \(name)\ndata: {".utf8)
            out.reserveCapacity(out.count + members.count + 1 + all.count - start)
            out += members
            if start < all.count, all[start] != UInt8(ascii: "}") { out.append(UInt8(ascii: ",")) }
            out += all[start...]
            return SharedBytes(out)
        }
    }
}

/// Why there is nothing to observe any more.
struct Ending: Error {
    let event: EncodedEvent
    /// Nil when what was observed is gone.
    let problem: Problem?

    /// Of an object, and of what it held.
    ///
    /// - Parameter mark: nil where there is no store any more to tell the version's history.
    static func deleted(_ version: Version, _ mark: Mark?) -> Ending {
        let json = JSONWriter(capacity: 64)
        json.beginObject()
        json.name("version")
        json.int(version.rawValue)
        json.endObject()
        return Ending(event: EncodedEvent("deleted", mark, json), problem: nil)
    }

    static func error(_ problem: Problem) -> Ending {
        let json = JSONWriter(capacity: 256)
        problem.encode(into: json)
        return Ending(event: EncodedEvent("error", nil, json), problem: problem)
    }
}

extension SharedBytes {
    /// Asks clients to reconnect after two seconds. It belongs to the first event: some clients take a block of its own,
    /// which the format has them ignore, for an event without data.
    static let retry = SharedBytes("retry: 2000\n")
}
