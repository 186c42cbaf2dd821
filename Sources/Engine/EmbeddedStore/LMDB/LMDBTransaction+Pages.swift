import CLMDB

extension LMDBTransaction {
    /// The number of pages that the newest version does not use. Cost: a pass over the list of them.
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

    /// The number of the first page beyond the end of the file, including this write transaction's own pages.
    ///
    /// LMDB has no function for it, so it is read from its place in LMDB 0.9's structures, behind two pointers. A
    /// caller that relies on it also reads it at the beginning of the transaction, when it must agree with the
    /// environment.
    var nextPage: Int { UnsafeRawPointer(pointer).load(fromByteOffset: 2 * MemoryLayout<Int>.size, as: Int.self) }

    /// The number of pages of the version that this transaction reads or writes, including those of the free list.
    func pagesInUse(_ databases: [LMDBDatabase]) throws(LMDBError) -> Int {
        var pages = 2
        for database in databases + [.freePages, .named] { pages &+= try pageCount(database) }
        return pages
    }

    /// The number of pages of a tree. Cost: constant.
    func pageCount(_ database: LMDBDatabase) throws(LMDBError) -> Int {
        var statistics = MDB_stat()
        try check(mdb_stat(pointer, database.handle, &statistics), "Reading from")
        // The counts of a damaged file can be anything.
        return Int(statistics.ms_branch_pages) &+ Int(statistics.ms_leaf_pages) &+ Int(statistics.ms_overflow_pages)
    }
}
