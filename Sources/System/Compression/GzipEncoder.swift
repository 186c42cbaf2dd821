import CZlib

final class GzipEncoder: EncoderStream {
    // The library keeps a pointer to the stream, so it needs an address of its own.
    private let stream: UnsafeMutablePointer<z_stream>
    private let block: UnsafeMutablePointer<UInt8>

    init(_ effort: Encoder.Effort) throws(CompressionError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        block = .allocate(capacity: outputBlock)
        let level: Int32 =
            switch effort {
            case .quick: 5
            case .best: 9
            }
        // `deinit` runs for this throw as well; the library ignores a stream that has not begun.
        guard rg_zlib_begin_gzip(stream, level) == Z_OK else { throw .outOfMemory }
    }

    deinit {
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
        block.deallocate()
    }

    func run(
        _ input: UnsafeRawBufferPointer, finishing: Bool, into output: inout [UInt8]
    ) throws(CompressionError) {
        // The library counts input in 32 bits.
        var rest = input[...]
        repeat {
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            rest = rest.dropFirst(part.count)
            try run(part, finishing && rest.isEmpty ? Z_FINISH : Z_NO_FLUSH, into: &output)
        } while !rest.isEmpty
    }

    private func run(
        _ input: UnsafeRawBufferPointer, _ flush: Int32, into output: inout [UInt8]
    ) throws(CompressionError) {
        // The library reads its input and does not write to it.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(input.count)
        repeat {
            stream.pointee.next_out = block
            stream.pointee.avail_out = UInt32(outputBlock)
            let status = deflate(stream, flush)
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { throw .outOfMemory }
            output.append(
                contentsOf: UnsafeBufferPointer(start: block, count: outputBlock - Int(stream.pointee.avail_out)))
            // A block that was not filled means that no output is left.
        } while stream.pointee.avail_out == 0
    }

    func reset() throws(CompressionError) {
        guard deflateReset(stream) == Z_OK else { throw .damaged }
    }
}
