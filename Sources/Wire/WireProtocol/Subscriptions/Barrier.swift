package import JSONCoding
package import ObjectModel

/// What a client calls a moment that it wants to be told of: when everything that was committed before has been told on
/// a stream of its subscription set, `barrier` comes there with the token.
///
/// A barrier is asked of the streams that are open. A client that loses the connection asks again on the next stream.
package struct BarrierToken: Hashable, Sendable {
    /// Most bytes of one.
    package static let longest = 128

    package let text: String

    /// Nil for text that could not stand in a path: empty, too long, or with control characters.
    package init?(_ text: String) {
        let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
        guard !text.isEmpty, text.utf8.count <= Self.longest, isPrintable, text != ".", text != ".." else { return nil }
        self.text = text
    }
}

/// The answer to a request for a barrier.
package struct BarrierAnswer: Hashable, Sendable {
    private enum Field {
        static let version = "version"
        static let streams = "streams"
    }

    /// What was committed up to this version will have been told.
    package var version: Version
    /// How many streams of the set the event goes to.
    package var streams: Int

    package init(version: Version, streams: Int) {
        self.version = version
        self.streams = streams
    }

    /// Nil for what is no such answer.
    package init?(_ json: JSONValue) {
        guard let version = json.int(Field.version), version >= 0, let streams = json.int(Field.streams) else {
            return nil
        }
        self.init(version: Version(UInt64(version)), streams: streams)
    }

    package func write(into json: JSONWriter) {
        json.beginObject()
        json.name(Field.version)
        json.int(version.rawValue)
        json.name(Field.streams)
        json.int(streams)
        json.endObject()
    }
}
