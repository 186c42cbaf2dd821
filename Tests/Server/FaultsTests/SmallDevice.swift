import Foundation
import Glibc
import ProgramTesting
import RepositoryFiles
import TestBasics

/// A small file system in memory. Only root may mount one.
final class SmallDevice {
    let path: String

    /// Whether the tests of full devices run.
    static let isWanted = TestNeed.isMet(works, "full devices", because: "this user may not mount file systems")

    private static var works: Bool {
        guard let directory = try? TestDirectory() else { return false }
        return (try? SmallDevice(directory.file("device"), kilobytes: 100)) != nil
    }

    init(_ path: String, kilobytes: Int) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else {
            throw TestFailure("cannot mount: \(String(cString: strerror(errno)))")
        }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    func resize(kilobytes: Int) throws {
        guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=\(kilobytes)k") == 0 else {
            throw TestFailure("cannot remount: \(String(cString: strerror(errno)))")
        }
    }
}
