import Glibc

/// What the system says of a file.
package struct FileStatus: Sendable {
    package enum Kind: Sendable, Hashable {
        case file
        case directory
        /// A pipe, a device, a socket.
        case other
    }

    package let kind: Kind
    /// Bytes; of a file only.
    package let size: Int

    /// Nil when there is nothing at the path, or it cannot be looked at.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Of an open file; nil for a descriptor that is none.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            default: .other
            }
        size = Int(status.st_size)
    }
}
