package import JSONCoding
package import ObjectModel

/// A client's name for a barrier: once a stream of the client's subscription set has sent everything that was
/// committed before the request, it sends a `barrier` event with this token.
///
/// A barrier applies to the streams that are open. A client that loses its connection requests it again on the next
/// stream.
package struct BarrierToken: Hashable, Sendable {
    /// The maximum length in bytes.
    package static let maximumLength = 128

    package let text: String

    /// Returns nil for text that cannot be a path segment: empty, too long, `.` or `..`, or with control characters.
    package init?(_ text: String) {
        let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
        guard !text.isEmpty, text.utf8.count <= Self.maximumLength, isPrintable, text != ".", text != ".." else {
            return nil
        }
        self.text = text
    }
}

/// The response to a request for a barrier.
package struct BarrierAnswer: Hashable, Sendable {
    private enum Field {
        static let version = "version"
        static let streams = "streams"
    }

    /// The version up to which the streams will have sent all commits.
    package var version: Version
    /// The number of the set's streams that will send the event.
    package var streams: Int

    package init(version: Version, streams: Int) {
        self.version = version
        self.streams = streams
    }

    /// Returns nil for JSON of another form.
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
