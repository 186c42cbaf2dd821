package import Glibc

/// Replaces a file atomically: it is written beside the old one, under a name of its own, and replaces that one
/// when it is complete and on disk. An unfinished replacement leaves nothing behind. Used by one thread at a time.
package final class FileReplacement {
    private let path: String
    private let draft: String
    private let calls: FileCalls
    private var descriptor: Int32

    /// - Parameters:
    ///   - suffix: appended to the file's name for the unfinished file; a file that a crashed process left behind is
    ///     used again, so that they do not accumulate.
    ///   - mode: the permissions of the file.
    package convenience init(_ path: String, suffix: String, mode: mode_t) throws(FileError) {
        try self.init(path, suffix: suffix, mode: mode, calls: .system)
    }

    init(_ path: String, suffix: String, mode: mode_t, calls: FileCalls) throws(FileError) {
        self.path = path
        self.calls = calls
        draft = path + suffix
        descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw FileError(.open, draft, errno) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        unlink(draft)
    }

    /// Sets the file's permissions, whatever the process's mask or the mode of a draft that was left behind.
    package func protect(_ mode: mode_t) throws(FileError) {
        guard fchmod(descriptor, mode) == 0 else { throw FileError(.protect, draft, errno) }
    }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        try Files.writeAll(bytes, to: descriptor, draft, calls)
    }

    /// Gives the file its name, under which it survives a power loss. No other method may be called after this.
    ///
    /// When only the last step fails, which makes the name durable, the file already has its name.
    package func finish() throws(FileError) {
        guard calls.sync(descriptor) == 0 else { throw FileError(.sync, draft, errno) }
        guard calls.rename(draft, path) == 0 else { throw FileError(.replace, path, errno) }
        close(descriptor)
        descriptor = -1
        try Directory.sync(of: path, calls)
    }
}

/// The calls that make a file durable, which the tests of this module observe and let fail.
struct FileCalls {
    var write: (Int32, UnsafeRawBufferPointer) -> Int
    var sync: (Int32) -> Int32
    var rename: (String, String) -> Int32

    static var system: FileCalls {
        FileCalls(
            write: { Glibc.write($0, $1.baseAddress, $1.count) }, sync: { Glibc.fsync($0) },
            rename: { Glibc.rename($0, $1) })
    }
}

/// Writes all bytes to an open file, in as many calls as that takes.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32, named path: String) throws(FileError) {
    try writeAll(bytes, to: descriptor, path, .system)
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32, _ path: String, _ calls: FileCalls) throws(FileError) {
    let code = bytes.withUnsafeBytes { bytes -> Int32 in
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = calls.write(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if count < 0, errno == EINTR { continue }
            // A file that accepts no bytes and reports no error is full.
            guard count > 0 else { return count < 0 ? errno : ENOSPC }
            rest = rest.dropFirst(count)
        }
        return 0
    }
    guard code == 0 else { throw FileError(.write, path, code) }
}
