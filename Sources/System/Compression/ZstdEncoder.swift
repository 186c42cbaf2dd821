import CZstd

final class ZstdEncoder: EncoderStream {
    private let context: OpaquePointer
    private let block: UnsafeMutablePointer<UInt8>

    init(_ effort: Encoder.Effort) throws(CompressionError) {
        guard let context = ZSTD_createCCtx() else { throw .outOfMemory }
        self.context = context
        block = .allocate(capacity: outputBlock)
        switch effort {
        case .quick:
            ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 3)
            // A window of a quarter of a megabyte: more would mostly cost memory.
            ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 18)
        case .best:
            ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 12)
            // HTTP clients need not support windows beyond 8 MB.
            ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 23)
        }
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    }

    deinit {
        ZSTD_freeCCtx(context)
        block.deallocate()
    }

    func run(
        _ input: UnsafeRawBufferPointer, finishing: Bool, into output: inout [UInt8]
    ) throws(CompressionError) {
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        while true {
            var target = ZSTD_outBuffer(dst: block, size: outputBlock, pos: 0)
            let remaining = ZSTD_compressStream2(context, &target, &source, finishing ? ZSTD_e_end : ZSTD_e_continue)
            guard ZSTD_isError(remaining) == 0 else { throw .outOfMemory }
            output.append(contentsOf: UnsafeBufferPointer(start: block, count: target.pos))
            if finishing ? remaining == 0 : source.pos == source.size { return }
        }
    }

    func reset() throws(CompressionError) {
        guard ZSTD_isError(ZSTD_CCtx_reset(context, ZSTD_reset_session_only)) == 0 else { throw .damaged }
    }
}
