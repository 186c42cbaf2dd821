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
                count += UnsafeRawBufferPointer(value).loadUnaligned(as: Int.self)
            }
            code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        guard code == MDB_NOTFOUND else { throw LMDBError(code: code, action: "Reading from") }
        return count
    }
}
