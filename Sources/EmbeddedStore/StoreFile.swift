import Columnar
import Glibc
import ObjectModel
import StoreContract
import Synchronization

/// How an embedded store is opened.
package struct EmbeddedStoreOptions: Sendable {
    /// Slots per cluster of a new file: a multiple of 64 up to 65,472. An existing file keeps its own.
    package var clusterCapacity = Cluster.defaultCapacity
    /// The size that the file may grow to, in bytes. Only address space is taken; the file grows as needed.
    package var maximumSize = 1 << 40
    /// Snapshots that may be open at once, over all processes.
    package var maximumReaders = 4096
    /// Versions that the change log keeps.
    package var changeLogVersions = 100_000
    /// Seconds that the change log keeps a version.
    package var changeLogSeconds: Int64 = 24 * 3600

    package init() {}
}

/// The open file: its environment, trees, and what is known of its schema.
final class StoreFile: Sendable {
    let path: String
    let environment: LMDBEnvironment
    let trees: Trees
    let options: EmbeddedStoreOptions
    private let knownSchema = Mutex<KnownSchema?>(nil)

    /// Opens the file, or makes a new one where there is none. Throws `StoreError`.
    init(path: String, schema: Schema, options: EmbeddedStoreOptions) throws {
        self.path = path
        self.options = options
        do {
            if try !Self.exists(path) {
                try Self.create(path: path, options: options) { environment in
                    _ = try Self.prepare(environment, path: path, schema: schema, options: options)
                }
            }
            environment = try LMDBEnvironment(
                path: path, mapSize: options.maximumSize, maximumReaders: options.maximumReaders)
            // LMDB takes an empty file for a new one; so do we, as a program may have made it to reserve the name.
            let size = Self.fileSize(path)
            guard environment.usedBytes <= size else {
                throw StoreError(
                    .invalidFile,
                    "'\(path)' is truncated: it has \(size) bytes where \(environment.usedBytes) are in use. Restore it from a backup."
                )
            }
            trees = try Self.prepare(environment, path: path, schema: schema, options: options)
        } catch let error as LMDBError {
            throw error.storeError(path: path)
        } catch is DamagedRecord {
            throw StoreError.damaged(path)
        }
    }

    /// The catalogue that a transaction starts from.
    func catalogue(_ transaction: LMDBTransaction) throws -> Catalogue {
        let known = knownSchema.withLock { $0 }
        let catalogue = try Catalogue(transaction, trees, known: known)
        if known?.schema != catalogue.schema { knownSchema.withLock { $0 = KnownSchema(catalogue.schema) } }
        return catalogue
    }

    /// A read transaction at the newest version, and LMDB's number of that version. Throws `StoreError`.
    func snapshot() throws -> (snapshot: EmbeddedSnapshot, transaction: Int) {
        do {
            let transaction = try environment.begin(readOnly: true)
            let number = transaction.number
            return (EmbeddedSnapshot(transaction, trees, try catalogue(transaction), path: path), number)
        } catch {
            throw storeError(error)
        }
    }

    /// See `Store.changes(after:)`.
    func changes(after version: Version) throws -> [ChangeSet]? {
        do {
            let transaction = try environment.begin(readOnly: true)
            let newest = try catalogue(transaction).version
            return try ChangeLog.entries(after: version, upTo: newest, transaction, trees)
        } catch {
            throw storeError(error)
        }
    }

    /// What went wrong below, in the store's terms; other errors stay what they are.
    func storeError(_ error: any Error) -> any Error {
        switch error {
        case let error as LMDBError: error.storeError(path: path)
        case LeafError.full:
            StoreError(
                .valueTooLarge,
                "The strings of neighbouring objects are together too long for one cluster. Store long texts elsewhere."
            )
        case is DamagedRecord, is LeafError: StoreError.damaged(path)
        default: error
        }
    }

    /// Whether there is a file; throws for something that is no file, before LMDB touches it.
    private static func exists(_ path: String) throws -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw LMDBError(code: errno, action: "Opening") }
            return false
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.fileAccess, "'\(path)' is not a regular file. Name a file to store the data in.")
        }
        return true
    }

    private static func fileSize(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    private static func prepare(
        _ environment: LMDBEnvironment, path: String, schema: Schema, options: EmbeddedStoreOptions
    ) throws -> Trees {
        let transaction = try environment.begin(readOnly: false)
        let existing = try transaction.database(FileFormat.metaTree, create: false)
        if let existing {
            let format = try transaction.get(existing, FileFormat.formatKey)?.bigEndian(at: 0, as: UInt32.self)
            guard let format else { throw DamagedRecord() }
            guard format == FileFormat.number else {
                throw StoreError(
                    .unsupportedFormat,
                    "'\(path)' has format \(format); this version reads format \(FileFormat.number).")
            }
        } else if try transaction.hasForeignContent() {
            throw StoreError(.invalidFile, "'\(path)' is an LMDB file of another program. Name another file.")
        }
        func tree(_ name: String) throws -> LMDBDatabase {
            guard let tree = try transaction.database(name, create: true) else { throw DamagedRecord() }
            return tree
        }
        let trees = Trees(
            meta: try tree(FileFormat.metaTree), classes: try tree(FileFormat.classTree),
            leaves: try tree(FileFormat.leafTree), outsized: try tree(FileFormat.outsizedTree),
            index: try tree(FileFormat.indexTree), words: try tree(FileFormat.wordTree),
            backlinks: try tree(FileFormat.backlinkTree),
            log: try tree(FileFormat.logTree))
        if existing == nil {
            var format = TreeKey(capacity: 4)
            format.append(FileFormat.number)
            var capacity = TreeKey(capacity: 4)
            capacity.append(UInt32(options.clusterCapacity))
            try transaction.put(trees.meta, FileFormat.formatKey, format.bytes)
            try transaction.put(trees.meta, FileFormat.capacityKey, capacity.bytes)
            try transaction.put(trees.meta, FileFormat.versionKey, Catalogue.versionRecord(Version(1)))
            try transaction.put(trees.meta, FileFormat.schemaKey, SchemaRecord.encode(schema))
        }
        try transaction.commit()
        return trees
    }
}
