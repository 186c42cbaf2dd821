import Foundation

/// A file to be read that this program may not write to, such as one that came with the program. The store needs to
/// write beside a file that it reads, so it is given a copy.
enum UnwritableFile {
    /// The path of a copy, to be removed when it is closed; nil for a file that needs none. Nobody may be writing the file
    /// meanwhile. Throws `Realm.Error` where it cannot be read, either.
    static func copy(of path: String) throws -> String? {
        let directory = (path as NSString).deletingLastPathComponent
        guard access(path, W_OK) != 0 || access(directory, W_OK) != 0 else { return nil }
        let copy = NSTemporaryDirectory() + "realm-" + UUID().uuidString
        do {
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
        } catch {
            RealmFile.remove(copy)
            throw Realm.Error(
                .filePermissionDenied,
                "'\(path)' may not be written to, and could not be copied to be read: \(error.localizedDescription)",
                path: path)
        }
        return copy
    }
}
