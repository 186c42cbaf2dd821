import Glibc

/// Reads and writes small files as a whole.
package enum WholeFile {
    /// Returns the bytes of a file; nil if it does not exist.
    ///
    /// - Parameter limit: the maximum number of bytes. Of a longer file, one byte more is returned.
    package static func read(_ path: String, limit: Int = .max - 1) throws(FileError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw FileError(.open, path, errno)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(65_536, limit + 1))
        while bytes.count <= limit {
            let wanted = min(chunk.count, limit + 1 - bytes.count)
            let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, wanted) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError(.read, path, errno) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    /// Replaces a file by one with these bytes, which only its owner may read. It is on disk when this returns; if it
    /// throws, the file has either the old content or the new one, complete.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
        try replace(path, with: bytes, .system)
    }

    static func replace(_ path: String, with bytes: [UInt8], _ calls: FileCalls) throws(FileError) {
        let file = try FileReplacement(path, suffix: ".new", mode: 0o600, calls: calls)
        try file.protect(0o600)
        try file.write(bytes)
        try file.finish()
    }
}
