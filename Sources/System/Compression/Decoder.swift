/// Expands a stream of compressed bytes, in portions that the caller has room for. Not sendable: one thread at a time.
///
/// A few bytes may expand to gigabytes. So the caller limits each portion, and `limit` ends a stream whose total
/// exceeds it.
package final class Decoder {
    package let coding: Coding
    private let stream: any DecoderStream
    private let limit: Int
    private var total = 0

    /// - Parameter limit: the most bytes of output in total.
    package init(_ coding: Coding, limit: Int) throws(CompressionError) {
        self.coding = coding
        self.limit = limit
        switch coding {
        case .gzip: stream = try GzipDecoder()
        case .zstd: stream = try ZstdDecoder()
        }
    }

    /// Appends the expanded input, until the input is used up or about `most` bytes, at most 32 KiB more, have been
    /// appended. After a call that stopped because of `most`, output may remain even when all input is used up: call
    /// again, with no input, as long as each call appends that much.
    ///
    /// - Returns: the number of input bytes consumed.
    package func add(
        _ input: UnsafeRawBufferPointer, to output: inout [UInt8], atMost most: Int = .max
    ) throws(CompressionError) -> Int {
        let before = output.count
        let used = try stream.run(input, into: &output, atMost: min(most, limit - total))
        total += output.count - before
        guard total <= limit else { throw .tooLarge(limit: limit) }
        return used
    }

    /// Throws unless the stream has reached its end.
    package func finish() throws(CompressionError) {
        guard stream.isAtEnd else { throw .truncated }
    }

    /// Expands compressed bytes as a whole.
    package static func expand(
        _ bytes: UnsafeRawBufferPointer, _ coding: Coding, limit: Int
    ) throws(CompressionError) -> [UInt8] {
        let decoder = try Decoder(coding, limit: limit)
        var output: [UInt8] = []
        output.reserveCapacity(min(bytes.count * 3, limit))
        _ = try decoder.add(bytes, to: &output)
        try decoder.finish()
        return output
    }
}

/// The common interface of the codings' libraries.
protocol DecoderStream: AnyObject {
    /// Expands until the input is used up and all output is appended, or more than `most` bytes are. Several streams
    /// one after the other count as one.
    func run(
        _ input: UnsafeRawBufferPointer, into output: inout [UInt8], atMost most: Int
    ) throws(CompressionError) -> Int
    /// Whether the last stream is complete, and there was one.
    var isAtEnd: Bool { get }
}
