import Glibc

/// A request body that lies in a file, because it may be larger than there is room for in memory. The file has no name;
/// its space is free again when the last reference is gone.
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

    deinit { close(descriptor) }
}
