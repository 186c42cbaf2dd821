import StorageEngine
import StoredRecords
import LMDBStorage
import Columnar
import ObjectModel
import StoreContract

/// The moment of a snapshot: LMDB's number of the newest transaction, which starts again with each compacted file.
struct Moment: Hashable, Sendable {
    /// The number of compactions of the file since the store was opened.
    var generation: Int
    var transaction: Int
}

/// One open environment with its trees, as of a generation of the file.
final class OpenFile: Sendable {
    let environment: LMDBEnvironment
    let trees: Trees
    let generation: Int
    let reserve: DiskReserve

    var moment: Moment { Moment(generation: generation, transaction: environment.lastTransaction) }

    /// Opens the presence's file, and initialises it if it is empty. Throws `LMDBError`, `DamagedRecord`, `StoreError`.
    init(
        path: String, _ presence: FilePresence, schema: Schema, options: EmbeddedStoreOptions, generation: Int = 0
    ) throws {
        environment = try LMDBEnvironment(
            path: path, presence, mapSize: options.mapSize, maximumReaders: options.maximumReaders)
        trees = try Self.prepare(environment, path: path, schema: schema, options: options)
        if options.isUnsynced { environment.stopSyncing() }
        self.generation = generation
        reserve = DiskReserve(presence)
        // The file can be opened even if the disk is full.
        _ = reserve.isWhole(behind: environment.usedBytes)
    }

    /// Throws `LMDBError`. Cost: a pass over the list of free pages.
    func sizes() throws(LMDBError) -> FileSizes {
        let transaction = try environment.begin(readOnly: true)
        let total = environment.presence.fileSize
        let free = try transaction.freePageCount() * environment.pageSize
        return FileSizes(totalBytes: total, usedBytes: max(0, environment.usedBytes - free), freeBytes: free)
    }

    /// Opens the trees, creates them in an empty environment, and upgrades those of an older format.
    static func prepare(
        _ environment: LMDBEnvironment, path: String, schema: Schema, options: EmbeddedStoreOptions
    ) throws -> Trees {
        let transaction = try environment.begin(readOnly: false)
        let existing = try transaction.database(FileFormat.metaTree, create: false)
        var isOld = false
        if let existing {
            let format = try transaction.get(existing, FileFormat.formatKey)?.bigEndian(at: 0, as: UInt32.self)
            guard let format else { throw DamagedRecord() }
            guard FormatUpgrade.oldest...FileFormat.number ~= format else {
                throw StoreError.unsupportedFormat(path, format)
            }
            isOld = format < FileFormat.number
        } else if try transaction.hasForeignContent() {
            throw StoreError.foreign(path)
        }
        let trees = try Trees { name in
            guard let tree = try transaction.database(name, create: true) else { throw DamagedRecord() }
            return tree
        }
        if existing == nil {
            var capacity = TreeKey(capacity: 4)
            capacity.append(UInt32(options.clusterCapacity))
            try transaction.put(trees.meta, FileFormat.formatKey, FileFormat.formatRecord)
            try transaction.put(trees.meta, FileFormat.capacityKey, capacity.bytes)
            try transaction.put(trees.meta, FileFormat.versionKey, Catalogue.versionRecord(Version(1)))
            try transaction.put(trees.meta, FileFormat.schemaKey, SchemaRecord.encode(schema))
        }
        try HistoryRecord.ensure(in: transaction, trees.meta)
        if isOld { try FormatUpgrade.run(transaction, trees, path: path) }
        try transaction.commit()
        return trees
    }
}
