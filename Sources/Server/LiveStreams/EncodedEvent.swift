import HTTPProblems
package import HTTPMessages
package import HTTPServer
package import JSONCoding
package import ObjectCoding
package import ObjectModel
package import WireProtocol

/// An event with its data, encoded once for all streams that receive it.
package struct EncodedEvent: Sendable {
    let name: EventKind
    /// The state after the event; nil for an event without a state.
    package let mark: Mark?
    /// The bytes for a stream of its own, with the mark as event id.
    package let bytes: SharedBytes

    /// - Parameter data: a JSON object in one line.
    package init(_ name: EventKind, _ mark: Mark?, _ data: JSONWriter) {
        self.init(name, mark, data.withBytes { .event(id: mark?.description, name: name.rawValue, data: $0) })
    }

    init(_ name: EventKind, _ mark: Mark?, _ bytes: SharedBytes) {
        self.name = name
        self.mark = mark
        self.bytes = bytes
    }

    /// Returns the event; if it is large, counts its memory until all clients have read it.
    func counted(by memory: EventMemory) -> EncodedEvent {
        bytes.count > Self.maximumCopied ? EncodedEvent(name, mark, memory.counted(bytes)) : self
    }

    /// Sends the event on a stream that several subscriptions share: with another id, and with additional members
    /// first. The bytes of a large event are still shared with other streams.
    ///
    /// - Parameter members: JSON members without the braces.
    package func send(on stream: EventStream, as id: String, with members: [UInt8]) -> EventStream.SendResult {
        guard bytes.count > Self.maximumCopied else { return stream.send(copy(id, members)) }
        let start = bytes.withUnsafeBytes { $0.firstIndex(of: UInt8(ascii: "{")).map { $0 + 1 } ?? $0.count }
        var out = Array("id: \(id)\nevent: \(name.rawValue)\ndata: {".utf8)
        out += members
        // An event of this size has members.
        if !members.isEmpty { out.append(UInt8(ascii: ",")) }
        return stream.send(SharedBytes(out), SharedBytes(bytes, from: start))
    }

    private static let maximumCopied = 16 << 10

    private func copy(_ id: String, _ members: [UInt8]) -> SharedBytes {
        bytes.withUnsafeBytes { all in
            // The data is the event's last field, and the first brace is that of its object.
            let start = all.firstIndex(of: UInt8(ascii: "{")).map { $0 + 1 } ?? all.count
            var out = Array("id: \(id)\nevent: \(name.rawValue)\ndata: {".utf8)
            out.reserveCapacity(out.count + members.count + 1 + all.count - start)
            out += members
            let isFollowed = start < all.count && all[start] != UInt8(ascii: "}")
            if isFollowed, !members.isEmpty { out.append(UInt8(ascii: ",")) }
            out += all[start...]
            return SharedBytes(out)
        }
    }
}

/// The reason why an observation has ended.
package struct Ending: Error {
    package let event: EncodedEvent
    /// Nil if the observed object was deleted.
    package let problem: Problem?

    /// The end of an observed object or its property.
    ///
    /// - Parameter mark: nil if the store is closed, so that the history is unknown.
    package static func deleted(_ version: Version, _ mark: Mark?) -> Ending {
        let json = JSONWriter(capacity: 64)
        json.beginObject()
        json.member(version)
        json.endObject()
        return Ending(event: EncodedEvent(.deleted, mark, json), problem: nil)
    }

    package static func error(_ problem: Problem) -> Ending {
        let json = JSONWriter(capacity: 256)
        problem.encode(into: json)
        return Ending(event: EncodedEvent(.error, nil, json), problem: problem)
    }
}

extension SharedBytes {
    /// Asks clients to reconnect after two seconds. It is part of the first event: some clients interpret a separate
    /// block as an event without data, although the format says to ignore it.
    package static let retry = SharedBytes("retry: 2000\n")
}
