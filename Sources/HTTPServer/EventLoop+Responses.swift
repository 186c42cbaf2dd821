import CMicrohttpd
import Logging

extension EventLoop {
    /// Bodies up to this size are copied for the library in one go; larger ones are handed over piece by piece,
    /// so a big answer is not in memory twice.
    private static let copyLimit = 64 * 1024

    /// The library's form of a response, owned by the caller. `nil` when memory ran out.
    func makeResponse(_ response: Response, closing: Bool) -> OpaquePointer? {
        guard let made = makeBody(response) else { return nil }
        addHeaders(response.headers, to: made)
        if closing || isStopping { MHD_add_response_header(made, "Connection", "close") }
        return made
    }

    func addHeaders(_ headers: HeaderFields, to response: OpaquePointer) {
        for field in headers where MHD_add_response_header(response, field.name, field.value) != .YES {
            // The library refuses line breaks, which is right: they would let a value write headers of its own.
            configuration.logger.error("A response header was left out.", metadata: ["name": "\(field.name)"])
        }
        for field in headers.missingFields { MHD_add_response_header(response, field.name, field.value) }
    }

    private func makeBody(_ response: Response) -> OpaquePointer? {
        switch response.body {
        case .pieces:
            return makeBody(Response(body: .bytes(response.bodyBytes)))
        case .empty:
            return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes) where bytes.count <= Self.copyLimit:
            return bytes.withUnsafeBytes {
                // The library copies what it is told to copy and does not write to it.
                MHD_create_response_from_buffer(
                    $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .bytes(let bytes):
            let source = Unmanaged.passRetained(LargeBody(bytes)).toOpaque()
            let made = MHD_create_response_from_callback(
                UInt64(bytes.count), Self.copyLimit,
                { source, position, buffer, size in
                    guard let source, let buffer else { return -2 }
                    return Unmanaged<LargeBody>.fromOpaque(source).takeUnretainedValue().copy(
                        from: Int(position), to: UnsafeMutableRawBufferPointer(start: buffer, count: size))
                }, source, { source in source.map { Unmanaged<LargeBody>.fromOpaque($0).release() } })
            if made == nil { Unmanaged<LargeBody>.fromOpaque(source).release() }
            return made
        case .shared(let shared):
            let owner = Unmanaged.passRetained(shared).toOpaque()
            let made = MHD_create_response_from_buffer_with_free_callback_cls(
                shared.count, shared.pointer.baseAddress,
                { owner in owner.map { Unmanaged<SharedBytes>.fromOpaque($0).release() } }, owner)
            if made == nil { Unmanaged<SharedBytes>.fromOpaque(owner).release() }
            return made
        }
    }
}

private final class LargeBody {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func copy(from position: Int, to buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, bytes.count - position)
        bytes.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<(position + count)]))
        }
        return count
    }
}
