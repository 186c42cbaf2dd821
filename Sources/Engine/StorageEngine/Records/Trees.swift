package import LMDBStorage

/// The trees of an open file.
package struct Trees: Sendable {
    package let meta: LMDBDatabase
    package let classes: LMDBDatabase
    package let leaves: LMDBDatabase
    package let overflow: LMDBDatabase
    package let index: LMDBDatabase
    package let words: LMDBDatabase
    package let backlinks: LMDBDatabase
    package let log: LMDBDatabase
    package let records: LMDBDatabase

    /// Opens the trees by their names.
    package init(open tree: (String) throws -> LMDBDatabase) rethrows {
        meta = try tree(FileFormat.metaTree)
        classes = try tree(FileFormat.classTree)
        leaves = try tree(FileFormat.leafTree)
        overflow = try tree(FileFormat.overflowTree)
        index = try tree(FileFormat.indexTree)
        words = try tree(FileFormat.wordTree)
        backlinks = try tree(FileFormat.backlinkTree)
        log = try tree(FileFormat.logTree)
        records = try tree(FileFormat.recordTree)
    }

    package var all: [LMDBDatabase] { [meta, classes, leaves, overflow, index, words, backlinks, log, records] }
}
