import Glibc

/// What is done with the directory that a file lies in.
package enum Directory {
    /// The directory that a path lies in.
    package static func of(_ path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Makes a new or changed name of a file survive a power loss; syncing the file saves only its contents.
    package static func sync(of path: String) throws(FileFault) { try sync(of: path, .system) }

    static func sync(of path: String, _ calls: FileCalls) throws(FileFault) {
        let directory = of(path)
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // Files may be made in a directory that may not be read; then there is nothing to ask for this with.
            guard errno == EACCES else { throw FileFault(.open, directory, errno) }
            return
        }
        defer { close(descriptor) }
        guard calls.sync(descriptor) != 0 else { return }
        // Some file systems, of networks above all, have no such thing for directories.
        guard errno == EINVAL || errno == EOPNOTSUPP else { throw FileFault(.sync, directory, errno) }
    }
}
