import Glibc

/// A directory for the files of one run, which only this user can read. Files in it have no directories of their own.
struct TemporaryDirectory {
    let path: String

    /// `TMPDIR`, else `/tmp`.
    static var parent: String {
        guard let given = getenv("TMPDIR").map({ String(cString: $0) }), !given.isEmpty else { return "/tmp" }
        return given
    }

    /// Throws `CommandError`.
    init(prefix: String) throws(CommandError) {
        var template = Array("\(Self.parent)/\(prefix)XXXXXX".utf8CString)
        let isMade = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { mkdtemp($0) != nil } ?? false
        }
        guard isMade else { throw Self.failure }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Deletes the directory with its files. They remain usable for those who have them open.
    func remove() {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { unlink(path + "/" + name) }
            }
            closedir(directory)
        }
        rmdir(path)
    }

    /// Opens a new file without a name, whose space is freed when it is closed. Throws `CommandError`.
    static func unnamedFile() throws(CommandError) -> Int32 {
        var template = Array("\(parent)/realmgate-XXXXXX".utf8CString)
        let descriptor = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkstemp($0) } ?? -1 }
        guard descriptor >= 0 else { throw failure }
        template.withUnsafeBufferPointer { if let name = $0.baseAddress { _ = unlink(name) } }
        return descriptor
    }

    private static var failure: CommandError {
        CommandError(
            "Cannot create a temporary file in '\(parent)': \(String(cString: strerror(errno))). Set TMPDIR to a directory that can be written to.",
            exitCode: 73
        )
    }
}
