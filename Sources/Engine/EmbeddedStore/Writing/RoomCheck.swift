import ObjectModel

/// Whether what a write transaction is about to commit has a place, within the maximum size and on the disk. What only
/// deletes always has one: it may use the reserves that other writes have to leave.
struct RoomCheck {
    private let file: StoreFile
    private let transaction: LMDBTransaction
    private let open: OpenFile
    private let pagesBefore: Int
    /// The first page behind the file's; nil when that cannot be relied on.
    private let end: Int?
    /// See `EmbeddedStoreOptions.undoLimit`. Nothing while the reserve is not whole: then what takes back is what there
    /// is no space for.
    let undoLimit: Int

    /// At the beginning of the transaction.
    init(_ file: StoreFile, _ transaction: LMDBTransaction) throws {
        self.file = file
        self.transaction = transaction
        open = try file.current
        pagesBefore = try transaction.pagesInUse(open.trees.all)
        let used = open.environment.usedBytes
        end = transaction.nextPage * open.environment.pageSize == used ? transaction.nextPage : nil
        undoLimit = open.reserve.isWhole(behind: used) ? file.options.undoLimit : 0
    }

    /// At its end, when all is written but the commit. Throws `MDB_MAP_FULL`, `ENOSPC` and its like.
    func check(for changes: [ChangeSet]) throws {
        let pages = try transaction.pagesInUse(open.trees.all)
        if pages < pagesBefore || changes.allSatisfy(\.onlyDeletes) { return }
        let size = open.environment.pageSize
        if pages > pagesBefore, pages > file.options.maximumSize / size { throw LMDBError.full }
        // What takes no page that the file did not have before needs no space on the disk.
        if let end, transaction.nextPage == end { return }
        let length = end == nil ? open.environment.usedBytes : transaction.nextPage * size
        try open.reserve.keep(behind: length)
    }
}

extension ChangeSet {
    /// Whether something was deleted or taken out, and nothing put in.
    fileprivate var onlyDeletes: Bool {
        guard !schemaChanged, !classes.isEmpty, classes.values.allSatisfy(\.insertions.isEmpty) else { return false }
        // What linked to a deleted object is modified with it.
        return classes.values.contains { !$0.deletions.isEmpty } || classes.values.allSatisfy(\.onlyTakesOut)
    }
}

extension ClassChanges {
    /// Whether all that was done is that elements were taken out of lists, sets and maps.
    fileprivate var onlyTakesOut: Bool {
        modifications.allSatisfy { key, properties in
            properties.members.allSatisfy { edits[key]?[$0]?.onlyTakesOut == true }
        }
    }
}

extension CollectionEdit {
    fileprivate var onlyTakesOut: Bool {
        switch self {
        case .list(let edit): edit.insertions.isEmpty && edit.modifications.isEmpty
        case .set(let edit): edit.insertions.isEmpty
        case .map(let edit): edit.insertions.isEmpty && edit.modifications.isEmpty
        }
    }
}
