import Columnar
import Glibc
package import ObjectModel
import StoreContract

/// What a check of a whole file found.
package struct FileReport: Sendable {
    /// What is wrong, in words for a person, worst first; at most `EmbeddedStore.checkLimit` entries.
    package var faults: [String] = []
    /// Whether the structure of the file was looked at, which only who is alone with it can do.
    package var didCheckPages = false
    /// Pages of the trees; 0 when they were not looked at.
    package var treePages = 0
    /// Pages that nothing uses and nothing knows to be free. No harm, but space that only a compaction brings back.
    package var leakedPages = 0
    /// The newest version; nil when the file is too damaged to tell.
    package var version: Version?
    package var sizes: FileSizes?
    package var objects = 0
    /// Entries in indexes, full-text indexes and backlinks.
    package var entries = 0
}

extension EmbeddedStore {
    /// Faults that a check reports at the most.
    package static let checkLimit = 20

    /// Checks the whole file: its structure, every value, and that indexes and backlinks say the same as the objects.
    /// It is read, not changed. Somebody else may have it open; then the structure is taken for sound.
    ///
    /// Throws `StoreError` when there is no such file, it cannot be read, or it is no store; faults are in the report.
    /// `progress` is told now and then how many objects have been looked at.
    package static func check(path: String, progress: @escaping (Int) -> Void = { _ in }) throws -> FileReport {
        guard FileIdentity(path: path) != nil else {
            throw StoreError(.fileAccess, "There is no file '\(path)'.")
        }
        let presence = try FilePresence.take(path)
        let isAlone = presence.becomeExclusive()
        defer { if isAlone { presence.becomeShared() } }
        guard presence.fileSize > 0 else { throw StoreError(.invalidFile, "'\(path)' is empty.") }
        var report = FileReport()
        if isAlone {
            let found = try PageCheck(presence, path: path).run {
                PageVerifier($0, limit: checkLimit, isThorough: true)
            }
            if found.isForeign { throw StoreError.foreign(path) }
            if let format = found.format, format > FileFormat.number {
                throw StoreError.unsupportedFormat(path, format)
            }
            report.didCheckPages = true
            report.treePages = found.treePages
            report.leakedPages = found.leakedPages
            report.faults = found.faults
            // LMDB must not see a file whose structure is not sound.
            guard found.faults.isEmpty else { return report }
        }
        do {
            let file = try OpenFile(path: path, presence, schema: .empty, options: EmbeddedStoreOptions())
            if isAlone { try CatalogueCheck(file, path: path).verify() }
            report.sizes = try file.sizes()
            try ContentCheck(file, path: path, progress: progress).run(&report)
        } catch let error as LMDBError {
            throw error.storeError(path: path)
        } catch let error as StoreError where error.code == .invalidFile {
            report.faults.append(error.message)
        } catch is DamagedRecord {
            report.faults.append("a record of the catalogue cannot be read")
        }
        return report
    }
}
