import CLMDB

/// A cursor that is kept open for many look-ups and entries in one tree. LMDB keeps it valid while a write transaction
/// changes the tree.
package final class LMDBCursor {
    private let pointer: OpaquePointer
    /// The cursor closes before the transaction does, which the order of the references guarantees.
    private let transaction: LMDBTransaction
    /// Whether entries have come in ascending order at the end of the tree. Then LMDB fills its pages, which it leaves half
    /// empty when it splits them for an entry that may be anywhere.
    private var appends = true

    package init(_ transaction: LMDBTransaction, _ database: LMDBDatabase) throws(LMDBError) {
        self.transaction = transaction
        pointer = try transaction.openCursor(database)
    }

    deinit {
        // LMDB frees a write transaction's cursors when it ends.
        if transaction.isOpen { mdb_cursor_close(pointer) }
    }

    /// The first key that starts with `prefix`; borrowed until the next write.
    package func first(prefix: [UInt8]) throws(LMDBError) -> UnsafeRawBufferPointer? {
        var key = MDB_val()
        var value = MDB_val()
        let code = prefix.withUnsafeBytes { bytes in
            key = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return mdb_cursor_get(pointer, &key, &value, MDB_SET_RANGE)
        }
        if code == MDB_NOTFOUND { return nil }
        try check(code, "Reading from")
        let found = UnsafeRawBufferPointer(key)
        return found.hasPrefix(prefix) ? found : nil
    }

    /// Writes an entry. Close to the previous key it takes no descent.
    package func put(_ key: [UInt8], _ value: [UInt8]) throws(LMDBError) {
        let code = key.withUnsafeBytes { bytes in
            value.withUnsafeBytes { content in
                var key = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
                var value = MDB_val(
                    mv_size: content.count, mv_data: UnsafeMutableRawPointer(mutating: content.baseAddress))
                if appends {
                    let code = mdb_cursor_put(pointer, &key, &value, UInt32(MDB_APPEND))
                    if code != MDB_KEYEXIST { return code }
                    appends = false
                }
                return mdb_cursor_put(pointer, &key, &value, 0)
            }
        }
        try check(code, "Writing to")
    }

    /// The value of a key; borrowed like the transaction's results. Close to the previous key it takes no descent.
    package func value(_ wanted: [UInt8]) throws(LMDBError) -> UnsafeRawBufferPointer? {
        var value = MDB_val()
        let code = wanted.withUnsafeBytes { bytes in
            var key = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return mdb_cursor_get(pointer, &key, &value, MDB_SET_KEY)
        }
        if code == MDB_NOTFOUND { return nil }
        try check(code, "Reading from")
        return UnsafeRawBufferPointer(value)
    }
}
