import CZlib

final class GzipDecoder: DecoderStream {
    // The library keeps a pointer to the stream, so it needs an address of its own.
    private let stream: UnsafeMutablePointer<z_stream>
    private let block: UnsafeMutablePointer<UInt8>
    private(set) var isAtEnd = false

    init() throws(CompressionError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        block = .allocate(capacity: outputBlock)
        // `deinit` runs for this throw as well; the library ignores a stream that has not begun.
        guard rg_zlib_begin_expanding(stream) == Z_OK else { throw .outOfMemory }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
        block.deallocate()
    }

    func run(
        _ input: UnsafeRawBufferPointer, into output: inout [UInt8], atMost most: Int
    ) throws(CompressionError) -> Int {
        // The library counts input in 32 bits, reads it and does not write to it.
        let size = min(input.count, 1 << 30)
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(size)
        var room = most
        while true {
            if isAtEnd {
                guard stream.pointee.avail_in > 0 else { break }
                guard inflateReset(stream) == Z_OK else { throw .damaged }
                isAtEnd = false
            }
            stream.pointee.next_out = block
            stream.pointee.avail_out = UInt32(outputBlock)
            let status = inflate(stream, Z_NO_FLUSH)
            let made = outputBlock - Int(stream.pointee.avail_out)
            output.append(contentsOf: UnsafeBufferPointer(start: block, count: made))
            room -= made
            switch status {
            case Z_STREAM_END: isAtEnd = true
            case Z_OK, Z_BUF_ERROR: break
            case Z_MEM_ERROR: throw .outOfMemory
            default: throw .damaged
            }
            if room < 0 || (status != Z_STREAM_END && stream.pointee.avail_out > 0) { break }
        }
        let used = size - Int(stream.pointee.avail_in)
        guard room >= 0, used == size, size < input.count else { return used }
        return used + (try run(UnsafeRawBufferPointer(rebasing: input[size...]), into: &output, atMost: room))
    }
}
