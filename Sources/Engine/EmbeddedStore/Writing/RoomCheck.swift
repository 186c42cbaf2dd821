import Basics
import LMDBStorage
import ObjectModel
import StorageEngine

/// Checks whether a write transaction has room to commit, within the maximum size and on the disk. A transaction that
/// only deletes always has: it may use the reserves that other writes must leave.
struct RoomCheck {
    private let file: StoreFile
    private let transaction: LMDBTransaction
    private let open: OpenFile
    private let pagesBefore: Int
    /// The first page beyond the file's pages; nil when that number is not reliable.
    private let end: Int?
    /// See `EmbeddedStoreOptions.undoLimit`. 0 while the reserve is not complete: then there is no space for undo data.
    let undoLimit: Int

    /// Called at the beginning of the transaction.
    init(_ file: StoreFile, _ transaction: LMDBTransaction) throws {
        self.file = file
        self.transaction = transaction
        open = try file.current
        pagesBefore = try transaction.pagesInUse(open.trees.all)
        let used = open.environment.usedBytes
        end = transaction.nextPage * open.environment.pageSize == used ? transaction.nextPage : nil
        undoLimit = open.reserve.isWhole(behind: used) ? file.options.undoLimit : 0
    }

    /// Called at its end, when everything but the commit is written. Throws `MDB_MAP_FULL`, `ENOSPC` and similar
    /// errors.
    func check(for changes: [ChangeSet]) throws {
        let pages = try transaction.pagesInUse(open.trees.all)
        if pages < pagesBefore || changes.allSatisfy(\.onlyDeletes) { return }
        let size = open.environment.pageSize
        if pages > pagesBefore, pages > file.options.maximumSize / size { throw LMDBError.full }
        // A transaction that uses only pages that the file already had needs no space on the disk.
        if let end, transaction.nextPage == end { return }
        let length = end == nil ? open.environment.usedBytes : transaction.nextPage * size
        try open.reserve.keep(behind: length)
    }
}

extension ChangeSet {
    /// Whether objects or elements were only deleted or removed, and nothing added.
    fileprivate var onlyDeletes: Bool {
        guard !schemaChanged, !classes.isEmpty, classes.values.allSatisfy(\.insertions.isEmpty) else { return false }
        // Objects that linked to a deleted object are modified with it.
        return classes.values.contains { !$0.deletions.isEmpty } || classes.values.allSatisfy(\.onlyRemoves)
    }
}

extension ClassChanges {
    /// Whether all changes are removals of elements from lists, sets and maps.
    fileprivate var onlyRemoves: Bool {
        modifications.allSatisfy { key, properties in
            properties.members.allSatisfy { edits[key]?[$0]?.onlyRemoves == true }
        }
    }
}

extension CollectionEdit {
    fileprivate var onlyRemoves: Bool {
        switch self {
        case .list(let edit): edit.insertions.isEmpty && edit.modifications.isEmpty
        case .set(let edit): edit.insertions.isEmpty
        case .map(let edit): edit.insertions.isEmpty && edit.modifications.isEmpty
        }
    }
}
