import Glibc

/// The type, size and other attributes of a file.
package struct FileStatus: Sendable {
    package enum Kind: Sendable, Hashable {
        case file
        case directory
        /// A pipe, a device, a socket.
        case other
    }

    package let kind: Kind
    /// The size in bytes; 0 unless it is a regular file.
    package let size: Int

    /// Returns nil if nothing exists at the path or it is not accessible.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Returns the status of an open file; nil for an invalid descriptor.
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
