import Glibc

/// Operations on the directory that contains a file.
package enum Directory {
    /// The directory that contains a path.
    package static func of(_ path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Makes a new or changed name of a file survive a power loss; syncing the file saves only its contents.
    package static func sync(of path: String) throws(FileError) { try sync(of: path, .system) }

    static func sync(of path: String, _ calls: FileCalls) throws(FileError) {
        let directory = of(path)
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // A process may create files in a directory that it may not read; then there is no descriptor to sync.
            guard errno == EACCES else { throw FileError(.open, directory, errno) }
            return
        }
        defer { close(descriptor) }
        guard calls.sync(descriptor) != 0 else { return }
        // Some file systems, above all network ones, cannot sync directories.
        guard errno == EINVAL || errno == EOPNOTSUPP else { throw FileError(.sync, directory, errno) }
    }
}
