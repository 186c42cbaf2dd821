/// A Realm file, opened for reading. The file stays as it is, and nothing is written beside it.
package final class RealmFile: Sendable {
    /// The number of bytes of an encryption key.
    package static let keyLength = 64

    /// The number of the file's format: 11, or 20 to 24.
    package let format: Int
    /// The number of the snapshot that is read; 0 in a file that was written in one go and has none.
    package let version: UInt64
    /// The version that the app gave its schema; nil where no app did.
    package let schemaVersion: UInt64?
    /// All tables in the order of the file, also those that are no classes.
    package let tables: [RealmTable]

    /// Opens the file at a path, and copies it into memory: an own copy is what no other program can change or cut off
    /// while it is read.
    ///
    /// - Parameter key: the 64 bytes that the file was encrypted with. A file that is not encrypted needs none.
    package init(path: String, key: [UInt8]? = nil) throws(RealmFileFault) {
        throw .unreadable(code: 0)
    }

    /// Calls the body with all objects of a table, in the order of their keys. Costs the memory of one cluster, which is
    /// at most 256 objects in files that Realm writes.
    ///
    /// Throws ``RealmFileFault`` and what the body throws.
    package func forEachObject(of table: RealmTable, _ body: (RealmObject) throws -> Void) throws {
    }

    /// The number of objects, which is counted without reading them.
    package func objectCount(of table: RealmTable) throws(RealmFileFault) -> Int { 0 }

    /// Throws `inUse` when another program has written to the file since it was opened. What is read stays the same
    /// snapshot all the same, because it is read from a copy.
    package func checkUnchanged() throws(RealmFileFault) {
    }
}
