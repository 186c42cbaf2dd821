import Glibc

/// A request body that lies in a file, because it may be larger than there is room for in memory. The file has
/// no name; its space is free again when the last reference is gone.
package final class BodyFile: Sendable {
    /// Open for reading, its position at the beginning.
    package let descriptor: Int32
    /// Bytes.
    package let count: Int

    /// Takes over the descriptor.
    package init(adopting descriptor: Int32, count: Int) {
        self.descriptor = descriptor
        self.count = count
    }

    /// A body made in memory, as tests and internal calls do.
    ///
    /// - Throws: the 507 or 500 that a client gets when the system's directory for temporary files cannot hold it.
    package convenience init(_ bytes: [UInt8]) throws(HTTPError) {
        do throws(BodyFileWriter.Failure) {
            let writer = try BodyFileWriter(in: systemTemporaryDirectory())
            try writer.append(bytes)
            self.init(adopting: writer.release(), count: bytes.count)
        } catch {
            throw error.isFull ? .storageFull : .internalError
        }
    }

    deinit { close(descriptor) }

    /// Bytes from a place on, at most so many; fewer at the end only. Leaves the descriptor's position alone, so any
    /// number of threads may read.
    ///
    /// - Throws: the 500 that a client gets when the system cannot read its own file.
    package func read(at offset: Int, upTo most: Int) throws(HTTPError) -> [UInt8] {
        let wanted = max(min(most, count - offset), 0)
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            while filled < wanted {
                let got = pread(
                    descriptor, buffer.baseAddress.map { $0 + filled }, wanted - filled, off_t(offset + filled))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else {
                    failed = true
                    return
                }
                filled += got
            }
        }
        guard !failed else { throw .internalError }
        return bytes
    }
}
