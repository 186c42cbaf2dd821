import CLMDB
import Glibc

/// An LMDB transaction; aborted when it is dropped without a commit.
///
/// The bytes that it returns are borrowed from the map: in a read transaction they are valid until the transaction
/// ends, in a write transaction until its next write.
///
/// Sendable although LMDB requires one thread at a time per transaction: a write transaction is created, used and ended
/// by the one thread that runs the group commit, and a read transaction is only reached through `EmbeddedSnapshot`'s
/// lock.
package final class LMDBTransaction: @unchecked Sendable {
    let pointer: OpaquePointer
    private let environment: LMDBEnvironment
    package private(set) var isOpen = true

    init(_ pointer: OpaquePointer, environment: LMDBEnvironment) {
        self.pointer = pointer
        self.environment = environment
    }

    deinit { abort() }

    package func abort() {
        guard isOpen else { return }
        isOpen = false
        mdb_txn_abort(pointer)
    }

    /// Writes and syncs; when it returns the changes survive a power loss.
    package func commit() throws(LMDBError) {
        guard isOpen else { return }
        isOpen = false
        try check(mdb_txn_commit(pointer), "Committing to")
    }

    /// LMDB's own number of the version that the transaction reads or writes.
    package var number: Int { Int(mdb_txn_id(pointer)) }

    /// Whether the unnamed tree has entries, as in every file that was used.
    package func hasForeignContent() throws(LMDBError) -> Bool {
        var handle: MDB_dbi = 0
        try check(mdb_dbi_open(pointer, nil, 0, &handle), "Reading from")
        var statistics = MDB_stat()
        try check(mdb_stat(pointer, handle, &statistics), "Reading from")
        return statistics.ms_entries > 0
    }

    package func get(_ database: LMDBDatabase, _ key: [UInt8]) throws(LMDBError) -> UnsafeRawBufferPointer? {
        var value = MDB_val()
        let code = withKey(key) { mdb_get(pointer, database.handle, $0, &value) }
        if code == MDB_NOTFOUND { return nil }
        try check(code, "Reading from")
        return UnsafeRawBufferPointer(value)
    }

    package func put(_ database: LMDBDatabase, _ key: [UInt8], _ value: [UInt8]) throws(LMDBError) {
        let code = value.withUnsafeBytes { bytes in
            var data = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return withKey(key) { mdb_put(pointer, database.handle, $0, &data, 0) }
        }
        try check(code, "Writing to")
    }

    /// Returns false when there was no such key.
    @discardableResult
    package func delete(_ database: LMDBDatabase, _ key: [UInt8]) throws(LMDBError) -> Bool {
        let code = withKey(key) { mdb_del(pointer, database.handle, $0, nil) }
        if code == MDB_NOTFOUND { return false }
        try check(code, "Writing to")
        return true
    }

    package func entryCount(_ database: LMDBDatabase) throws(LMDBError) -> Int {
        var statistics = MDB_stat()
        try check(mdb_stat(pointer, database.handle, &statistics), "Reading from")
        return Int(statistics.ms_entries)
    }

    /// Visits the entries whose keys start with `prefix`, from `start` (itself starting with the prefix) in key order,
    /// until the body returns false.
    package func scan(
        _ database: LMDBDatabase, prefix: [UInt8], from start: [UInt8]? = nil,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(LMDBError) {
        let cursor = try openCursor(database)
        defer { mdb_cursor_close(cursor) }
        var value = MDB_val()
        var key = MDB_val()
        var code = (start ?? prefix).withUnsafeBytes { bytes in
            key = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            // LMDB cannot seek with an empty key; it means the first entry.
            return mdb_cursor_get(cursor, &key, &value, bytes.isEmpty ? MDB_FIRST : MDB_SET_RANGE)
        }
        while code == 0 {
            let found = UnsafeRawBufferPointer(key)
            guard found.hasPrefix(prefix), body(found, UnsafeRawBufferPointer(value)) else { return }
            code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        guard code == MDB_NOTFOUND else { throw LMDBError(code: code, action: "Reading from") }
    }

    /// Deletes every entry whose key starts with `prefix`.
    package func deleteAll(_ database: LMDBDatabase, prefix: [UInt8]) throws(LMDBError) {
        var doomed: [[UInt8]] = []
        try scan(database, prefix: prefix) { key, _ in
            doomed.append(Array(key))
            return true
        }
        for key in doomed { try delete(database, key) }
    }

    /// Deletes all entries of a tree. Cost: a visit to its inner pages.
    package func clear(_ database: LMDBDatabase) throws(LMDBError) {
        try check(mdb_drop(pointer, database.handle, 0), "Emptying")
    }

    func openCursor(_ database: LMDBDatabase) throws(LMDBError) -> OpaquePointer {
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(pointer, database.handle, &cursor), "Reading from")
        guard let cursor else { throw LMDBError(code: ENOMEM, action: "Reading from") }
        return cursor
    }

    private func withKey<R>(_ key: [UInt8], _ body: (UnsafeMutablePointer<MDB_val>) -> R) -> R {
        key.withUnsafeBytes { bytes in
            var value = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return body(&value)
        }
    }
}

extension UnsafeRawBufferPointer {
    init(_ value: MDB_val) {
        self.init(start: value.mv_data, count: value.mv_size)
    }

    package func hasPrefix(_ prefix: [UInt8]) -> Bool {
        guard count >= prefix.count, let baseAddress else { return prefix.isEmpty }
        return memcmp(baseAddress, prefix, prefix.count) == 0
    }
}

extension LMDBTransaction {
    /// The number of pages that the newest version does not use. Cost: a pass over the list of them.
    package func freePageCount() throws(LMDBError) -> Int {
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
    /// LMDB has no function for it, so it is read at its offset in LMDB 0.9's structures, behind two pointers. A
    /// caller that relies on it also reads it at the beginning of the transaction, when it must agree with the
    /// environment.
    package var nextPage: Int {
        UnsafeRawPointer(pointer).load(fromByteOffset: 2 * MemoryLayout<Int>.size, as: Int.self)
    }

    /// The number of pages of the version that this transaction reads or writes, including those of the free list.
    package func pagesInUse(_ databases: [LMDBDatabase]) throws(LMDBError) -> Int {
        var pages = 2
        for database in databases + [.freePages, .named] { pages &+= try pageCount(database) }
        return pages
    }

    /// The number of pages of a tree. Cost: constant.
    package func pageCount(_ database: LMDBDatabase) throws(LMDBError) -> Int {
        var statistics = MDB_stat()
        try check(mdb_stat(pointer, database.handle, &statistics), "Reading from")
        // The counts of a damaged file can be anything.
        return Int(statistics.ms_branch_pages) &+ Int(statistics.ms_leaf_pages) &+ Int(statistics.ms_overflow_pages)
    }
}
