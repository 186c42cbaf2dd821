import Foundation

/// Support for files that this process can read but not write, such as one installed with the program. The store writes
/// next to a file that it reads, so it reads a copy.
enum UnwritableFile {
    /// Returns the path of a copy, which the caller removes after closing it; nil if the file needs none. No other
    /// process may write the file meanwhile. Throws `Realm.Error` if the file cannot be read.
    static func copy(of path: String) throws -> String? {
        let directory = (path as NSString).deletingLastPathComponent
        guard access(path, W_OK) != 0 || access(directory, W_OK) != 0 else { return nil }
        let copy = NSTemporaryDirectory() + "realm-" + UUID().uuidString
        do {
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
        } catch {
            SharedRealmFile.remove(copy)
            throw Realm.Error(
                .filePermissionDenied,
                "'\(path)' is not writable, and could not be copied for reading: \(error.localizedDescription)",
                path: path)
        }
        return copy
    }
}
