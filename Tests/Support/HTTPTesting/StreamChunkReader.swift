/// Decodes the chunks of a body that comes bit by bit. What is not a chunk ends the body.
package struct StreamChunkReader {
    private enum State {
        case size
        case bytes(Int)
        /// The line break after the bytes.
        case end
        /// After the last chunk, or after a fault.
        case over
    }

    private var state = State.size
    private var line: [UInt8] = []
    /// The number of chunks that have come whole, without the last one.
    package private(set) var wholeChunks = 0
    /// Whether the last chunk has come.
    package private(set) var hasEnded = false

    package init() {}

    /// Whether the body after a head of these lines is an event stream in chunks.
    package static func isNeeded(after head: [String]) -> Bool {
        let fields = head.map { $0.lowercased() }
        return fields.contains("transfer-encoding: chunked")
            && fields.contains { $0.hasPrefix("content-type: text/event-stream") }
    }

    /// Returns the bytes of the body among the next ones of the connection.
    package mutating func take(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var body: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.first {
            switch state {
            case .size:
                line.append(byte)
                rest = rest.dropFirst()
                if byte == 0x0A { beginChunk() }
            case .bytes(let left):
                let part = rest.prefix(left)
                body += part
                rest = rest.dropFirst(part.count)
                if part.count == left { wholeChunks += 1 }
                state = part.count == left ? .end : .bytes(left - part.count)
            case .end:
                line.append(byte)
                rest = rest.dropFirst()
                guard line.count == 2 else { continue }
                state = line == [0x0D, 0x0A] ? .size : .over
                line = []
            case .over: return body
            }
        }
        return body
    }

    private mutating func beginChunk() {
        let text = String(decoding: line.dropLast(2), as: UTF8.self)
        let isLine = line.suffix(2) == [0x0D, 0x0A]
        line = []
        if hasEnded {
            // The empty line after the last chunk.
            state = .over
        } else if isLine, let count = Int(text, radix: 16), count >= 0 {
            hasEnded = count == 0
            state = count == 0 ? .size : .bytes(count)
        } else {
            state = .over
        }
    }
}
