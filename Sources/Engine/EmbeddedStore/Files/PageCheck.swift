import StorageEngine
import LMDBStorage
import Glibc
import StoreContract

/// Runs the page verifier over a file that cannot change meanwhile, because its presence is held exclusively.
struct PageCheck {
    private let presence: FilePresence
    private let path: String

    init(_ presence: FilePresence, path: String) {
        self.presence = presence
        self.path = path
    }

    /// Throws `invalidFile` or `unsupportedFormat` with the fault; returns when LMDB may open the file.
    func verify() throws {
        let found = try run { PageVerifier($0) }
        if let refusal = found.refusal(path) { throw refusal }
        if let fault = found.faults.first {
            throw StoreError(.invalidFile, "'\(path)' is damaged: \(fault). Restore it from a backup.")
        }
    }

    /// The verifier after its run; `make` makes it from the bytes of the file.
    func run(_ make: (UnsafeRawBufferPointer) -> PageVerifier) throws -> PageVerifier {
        let size = presence.fileSize
        guard size > 0 else {
            let verifier = make(UnsafeRawBufferPointer(start: nil, count: 0))
            verifier.run()
            return verifier
        }
        guard let start = mmap(nil, size, PROT_READ, MAP_SHARED, presence.descriptor, 0), start != MAP_FAILED else {
            throw LMDBError(code: errno, action: "Reading").storeError(path: path)
        }
        defer { munmap(start, size) }
        let verifier = make(UnsafeRawBufferPointer(start: start, count: size))
        verifier.run()
        return verifier
    }
}

extension PageVerifier {
    /// Why the file is not one of this program's; nil if it is one, intact or damaged.
    func refusal(_ path: String) -> StoreError? {
        if let otherVersion { return .otherLMDB(path, version: otherVersion) }
        if isForeign { return .foreign(path) }
        guard let format, format > FileFormat.number else { return nil }
        return .unsupportedFormat(path, format)
    }
}

extension StoreError {
    static func foreign(_ path: String) -> StoreError {
        StoreError(
            .invalidFile, "'\(path)' is not a Realmgate file. Choose another file.")
    }

    static func unsupportedFormat(_ path: String, _ format: UInt32) -> StoreError {
        StoreError(
            .unsupportedFormat,
            "'\(path)' has format \(format); this version reads format \(FileFormat.number). Use the version that wrote it."
        )
    }

    /// - Parameter version: the number of LMDB's data format that the file names.
    static func otherLMDB(_ path: String, version: UInt32) -> StoreError {
        StoreError(
            .unsupportedFormat,
            "'\(path)' was written with another LMDB: its data format is \(version), that of LMDB 0.9 is \(PageFormat.version). It may be intact. Export its objects with the program that wrote it, and import them with this one."
        )
    }
}
