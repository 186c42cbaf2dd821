package import HTTPMessages
import Glibc

/// A request body in a file, for bodies that may be too large for memory. The file has no name; its space is freed with
/// the last reference.
package final class BodyFile: Sendable {
    /// The descriptor, open for reading, at position 0.
    package let descriptor: Int32
    /// The size in bytes.
    package let count: Int

    /// Takes ownership of the descriptor.
    package init(adopting descriptor: Int32, count: Int) {
        self.descriptor = descriptor
        self.count = count
    }

    /// Creates a body from memory, for tests and internal calls.
    ///
    /// - Throws: the 507 or 500 for the client if the directory for temporary files cannot hold it.
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

    /// Reads up to `most` bytes from an offset; returns fewer only at the end. Does not move the descriptor's position,
    /// so any number of threads may read.
    ///
    /// - Throws: the 500 for the client if the file cannot be read.
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
