import CLMDB

extension LMDBTransaction {
    /// Pages that hold nothing which the newest version needs. Cost: a visit to the list of them.
    func freePageCount() throws(LMDBError) -> Int {
        // The tree of free pages has the first handle in every environment. Each value begins with a count.
        let cursor = try openCursor(LMDBDatabase.freePages)
        defer { mdb_cursor_close(cursor) }
        var count = 0
        var key = MDB_val()
        var value = MDB_val()
        var code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
        while code == 0 {
            if value.mv_size >= MemoryLayout<Int>.size {
                count &+= UnsafeRawBufferPointer(value).loadUnaligned(as: Int.self)
            }
            code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        guard code == MDB_NOTFOUND else { throw LMDBError(code: code, action: "Reading from") }
        return count
    }

    /// The first page behind those that the file has, this write transaction's own included.
    ///
    /// LMDB does not say it, so it is read from where LMDB 0.9 has it, behind two pointers. Who relies on it asks at the
    /// beginning of the transaction, too, when it must be what the environment says.
    var nextPage: Int { UnsafeRawPointer(pointer).load(fromByteOffset: 2 * MemoryLayout<Int>.size, as: Int.self) }

    /// Pages that the version which this transaction reads or writes consists of, those of the free list included.
    func pagesInUse(_ databases: [LMDBDatabase]) throws(LMDBError) -> Int {
        var pages = 2
        for database in databases + [.freePages, .named] { pages &+= try pageCount(database) }
        return pages
    }

    /// Pages that a tree consists of. Cost: constant.
    func pageCount(_ database: LMDBDatabase) throws(LMDBError) -> Int {
        var statistics = MDB_stat()
        try check(mdb_stat(pointer, database.handle, &statistics), "Reading from")
        // The counts of a damaged file can be anything.
        return Int(statistics.ms_branch_pages) &+ Int(statistics.ms_leaf_pages) &+ Int(statistics.ms_overflow_pages)
    }
}
