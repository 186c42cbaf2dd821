/// Expands a stream of compressed bytes, so much at a time as the caller has room for. Not sendable: one thread at a time.
///
/// A few bytes may expand to gigabytes. So the caller says how much it takes at once, and `limit` ends a stream that
/// gives more altogether than anybody wants.
package final class Decoder {
    package let coding: Coding
    private let stream: any DecoderStream
    private let limit: Int
    private var total = 0

    /// - Parameter limit: bytes that may come out altogether.
    package init(_ coding: Coding, limit: Int) throws(CompressionError) {
        self.coding = coding
        self.limit = limit
        switch coding {
        case .gzip: stream = try GzipDecoder()
        case .zstd: stream = try ZstdDecoder()
        }
    }

    /// Appends what the input expands to, until it is used up or about `most` bytes, 32 KiB more at the most, have come
    /// out. After a call that stopped because of `most` there may be more to come even when all input is used up: call
    /// again, with no input, as long as as much comes out.
    ///
    /// - Returns: how many bytes of the input are done with.
    package func add(
        _ input: UnsafeRawBufferPointer, to output: inout [UInt8], atMost most: Int = .max
    ) throws(CompressionError) -> Int {
        let before = output.count
        let used = try stream.run(input, into: &output, atMost: min(most, limit - total))
        total += output.count - before
        guard total <= limit else { throw .tooLarge(limit: limit) }
        return used
    }

    /// Throws when the stream has not come to an end.
    package func finish() throws(CompressionError) {
        guard stream.isAtEnd else { throw .truncated }
    }

    /// What compressed bytes expand to as a whole.
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

/// What the codings' libraries have in common.
protocol DecoderStream: AnyObject {
    /// Expands until the input is used up and everything has come out, or more than `most` bytes have. Several streams one
    /// after the other count as one.
    func run(
        _ input: UnsafeRawBufferPointer, into output: inout [UInt8], atMost most: Int
    ) throws(CompressionError) -> Int
    /// The last stream is whole, and there was one.
    var isAtEnd: Bool { get }
}
