import CZstd

final class ZstdDecoder: DecoderStream {
    private let context: OpaquePointer
    private let block: UnsafeMutablePointer<UInt8>
    private(set) var isAtEnd = false

    init() throws(CompressionError) {
        guard let context = ZSTD_createDCtx() else { throw .outOfMemory }
        self.context = context
        block = .allocate(capacity: outputBlock)
        // A sender may not demand a window of more than 8 MB, which HTTP guarantees to be enough.
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 23)
    }

    deinit {
        ZSTD_freeDCtx(context)
        block.deallocate()
    }

    func run(
        _ input: UnsafeRawBufferPointer, into output: inout [UInt8], atMost most: Int
    ) throws(CompressionError) -> Int {
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var room = most
        while true {
            // After the end of a frame the library would treat a call without input as the beginning of the next one.
            if isAtEnd, source.pos == source.size { break }
            var target = ZSTD_outBuffer(dst: block, size: outputBlock, pos: 0)
            let hint = ZSTD_decompressStream(context, &target, &source)
            guard ZSTD_isError(hint) == 0 else { throw .damaged }
            output.append(contentsOf: UnsafeBufferPointer(start: block, count: target.pos))
            room -= target.pos
            isAtEnd = hint == 0
            if room < 0 || (source.pos == source.size && target.pos < outputBlock) { break }
        }
        return source.pos
    }
}
