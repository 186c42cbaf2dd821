import LMDBStorage
import Columnar
import Glibc
package import ObjectModel
package import StoreContract

/// The findings of a check of a whole file.
package struct FileReport: Sendable {
    /// The faults, as sentences for a person, worst first; at most `EmbeddedStore.checkLimit` entries.
    package var faults: [String] = []
    /// Whether the page structure was checked, which needs exclusive access to the file.
    package var didCheckPages = false
    /// Pages of the trees; 0 when they were not checked.
    package var treePages = 0
    /// Pages that are neither used nor listed as free: harmless, but only a compaction recovers their space.
    package var leakedPages = 0
    /// The newest version; nil when the file is too damaged to read it.
    package var version: Version?
    package var schemaVersion: UInt64?
    /// The classes in the order of the schema.
    package var classes: [CopyReport.Class] = []
    package var sizes: FileSizes?
    package var objects = 0
    /// Entries in indexes, full-text indexes and backlinks.
    package var entries = 0
}

extension EmbeddedStore {
    /// The maximum number of faults in a report.
    package static let checkLimit = 20

    /// Checks the whole file: its structure, every value, and that indexes and backlinks agree with the objects. Reads
    /// it without changes. If another process has it open, the structure is assumed to be sound.
    ///
    /// Throws `StoreError` when there is no such file, it cannot be read, or it is not a store; faults are in the
    /// report. `progress` is called now and then with the number of objects checked; an error that it throws ends the
    /// check.
    package static func check(path: String, progress: (Int) throws -> Void = { _ in }) throws -> FileReport {
        guard FileIdentity(path: path) != nil else {
            throw StoreError(.fileAccess, "There is no file '\(path)'.")
        }
        try ByteOrder.check(path)
        let presence = try FilePresence.acquire(path)
        let isAlone = presence.becomeExclusive()
        defer { if isAlone { presence.becomeShared() } }
        guard presence.fileSize > 0 else { throw StoreError(.invalidFile, "'\(path)' is empty.") }
        var report = FileReport()
        if isAlone {
            let found = try PageCheck(presence, path: path).run {
                PageVerifier($0, limit: checkLimit, isThorough: true)
            }
            if let refusal = found.refusal(path) { throw refusal }
            report.didCheckPages = true
            report.treePages = found.treePages
            report.leakedPages = found.leakedPages
            report.faults = found.faults
            // LMDB must not open a file whose structure is not sound.
            guard found.faults.isEmpty else { return report }
        }
        do {
            let file = try OpenFile(path: path, presence, schema: .empty, options: EmbeddedStoreOptions())
            if isAlone { try CatalogueCheck(file, path: path).verify() }
            report.sizes = try file.sizes()
            try withoutActuallyEscaping(progress) { progress in
                try ContentCheck(file, path: path, progress: progress).run(&report)
            }
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

extension EmbeddedStore {
    /// See `Store.checkCopy`.
    package func checkCopy(at path: String, progress: (_ objects: Int) throws -> Void) throws -> CopyReport {
        var copy = CopyReport()
        do {
            let report = try Self.check(path: path, progress: progress)
            copy.faults = report.faults
            copy.version = report.version
            copy.schemaVersion = report.schemaVersion
            copy.classes = report.classes
            copy.objects = report.objects
            copy.entries = report.entries
            copy.leakedPages = report.leakedPages
            // Without its structure nothing of the file is certain.
            if !report.didCheckPages {
                throw StoreError(.busy, "'\(path)' is open in another program, so it cannot be checked.")
            }
        } catch let error as StoreError where error.code == .invalidFile || error.code == .unsupportedFormat {
            copy.faults.append(error.message)
        }
        return copy
    }
}
