/// Compresses a stream of bytes. Not sendable: one thread at a time.
///
/// An encoder holds between 0.3 and 1.5 MB, whose pages cost more to allocate than a small answer costs to compress:
/// keep it and `reset` it, as ``EncoderPool`` does.
package final class Encoder {
    /// The effort of the compression.
    package enum Effort: Sendable {
        /// For output that is compressed for each reader: about 100 MB/s with gzip, 400 with zstd.
        case quick
        /// For output that is compressed once and sent often: some 10 MB/s.
        case best
    }

    package let coding: Coding
    private let stream: any EncoderStream

    package init(_ coding: Coding, _ effort: Effort = .quick) throws(CompressionError) {
        self.coding = coding
        switch coding {
        case .gzip: stream = try GzipEncoder(effort)
        case .zstd: stream = try ZstdEncoder(effort)
        }
    }

    /// Compresses bytes and appends the output that is ready, which may be empty.
    package func add(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) throws(CompressionError) {
        guard !bytes.isEmpty else { return }
        try stream.run(bytes, finishing: false, into: &output)
    }

    /// Appends the rest. Nothing may be added then until `reset`.
    package func finish(into output: inout [UInt8]) throws(CompressionError) {
        try stream.run(UnsafeRawBufferPointer(start: nil, count: 0), finishing: true, into: &output)
    }

    /// Begins a new stream, whatever was added before.
    package func reset() throws(CompressionError) { try stream.reset() }

    /// Compresses bytes as a whole. The encoder must be fresh or reset.
    package func encode(_ bytes: UnsafeRawBufferPointer) throws(CompressionError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count / 3 + 64)
        try stream.run(bytes, finishing: true, into: &output)
        return output
    }
}

/// The common interface of the codings' libraries.
protocol EncoderStream: AnyObject {
    /// Compresses all of `input` and appends the output that is ready; with `finishing`, all of it.
    func run(
        _ input: UnsafeRawBufferPointer, finishing: Bool, into output: inout [UInt8]
    ) throws(CompressionError)
    func reset() throws(CompressionError)
}

/// Bytes that the libraries write at a time before they are appended to an array.
let outputBlock = 32 * 1024
