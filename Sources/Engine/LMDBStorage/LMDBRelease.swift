import CLMDB
import StoreContract

/// A release of the LMDB library. Only those of 0.9 have the file format that the store's files have.
struct LMDBRelease: Equatable, CustomStringConvertible {
    let major: Int32
    let minor: Int32
    let patch: Int32

    /// The library that this process runs with, which need not be the one that it was built with.
    static let loaded: LMDBRelease = {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        mdb_version(&major, &minor, &patch)
        return LMDBRelease(major: major, minor: minor, patch: patch)
    }()

    var description: String { "\(major).\(minor).\(patch)" }

    var readsOurFormat: Bool { (major, minor) == (0, 9) }

    /// The error for a file that this library cannot read, although nothing is wrong with the file.
    func unreadable(_ path: String) -> StoreError {
        StoreError(
            .unsupportedFormat,
            "This program runs with LMDB \(self), which cannot read '\(path)': its format is that of LMDB 0.9. The file is intact. Install LMDB 0.9 (on Debian and Ubuntu the package liblmdb0) and start again."
        )
    }
}
