package import LMDBStorage
import Columnar
package import ObjectModel

// The file, format 2. One LMDB environment without a subdirectory, nine named trees. All integers in keys are
// big endian, so that LMDB's byte order is numeric order.
//
//   meta       "format"            the format number, u32
//              "capacity"          slots per cluster, u32
//              "version"           the newest version, u64
//              "schema"            the schema with its stable numbers, see SchemaRecord
//              "history"           the history of the versions, see HistoryRecord. Files from before there were such records get it
//                                  when they are opened
//              "replica"           only in a replica: what it is a replica of, see ReplicaRecord
//   classes    class u32           next object key u64, object count u64
//   leaves     class u32, cluster u32, column u16
//                                  a leaf as Columnar encodes it; column 0 is the live mask, the rest are property ids.
//                                  A cluster's leaves are adjacent, so that creating objects touches only the end of the tree
//   outsized   class u32, property u16, object key u64, block u32
//                                  a value that is too long for a leaf (over OverflowTree.limit): block 0 is a text, data or mixed value,
//                                  or the directory of a collection (BlockDirectory), whose elements are in the other blocks
//                                  (ElementBlock)
//   index      class u32, property u16, value (IndexKey), object key u64
//                                  empty; indexed properties and primary keys that are not Int
//              class u32, property u16, 1, value / 256 (sign flipped, 7 bytes)
//                                  primary keys of type Int: the objects of 256 neighbouring values, see KeyBlock
//              class u32, property u16, 0
//                                  the object whose Int primary key is null, u64
//   words      class u32, property u16, word, 0, object key u64
//                                  empty; full-text indexes
//   backlinks  origin class u32, property u16, target key u64, origin key u64
//              origin class u32, property u16, target class u32, target key u64, origin key u64, where the property is mixed
//                                  the number of links from origin to target, variable length; empty for one
//   log        version u64         a change set, see ChangeSetRecord
//   records    0, key              a side record: its expiry, seconds as u64, then the bytes
//              1, seconds u64, key empty; records by expiry. Files from before there were records get the tree
//                                  when they are opened
//
// Cost per object: the leaves' bytes (see Columnar); 0.15 bytes in `index` for an Int primary key that counts
// up and some 40 for one that jumps, 33 for an indexed Int; 40 bytes in `backlinks` per link; each with LMDB's
// 10 bytes of node overhead included, at a page fill of 50-97 %. A value outside the leaf costs its length plus 28
// bytes, or whole pages above 2 KB. Reading one field is one tree descent (three to four pages at a
// million objects), or one array access once the snapshot has a directory of the class.
//
// Format 1 had no `outsized` and `words`, and one entry per object in `index` for Int primary keys. It is
// upgraded when opened.

package enum FileFormat {
    package static let number: UInt32 = 2

    package static var formatRecord: [UInt8] {
        var record = TreeKey(capacity: 4)
        record.append(number)
        return record.bytes
    }

    package static let metaTree = "meta"
    package static let classTree = "classes"
    package static let leafTree = "leaves"
    package static let indexTree = "index"
    package static let overflowTree = "outsized"
    package static let wordTree = "words"
    package static let backlinkTree = "backlinks"
    package static let logTree = "log"
    package static let recordTree = "records"

    package static let formatKey = Array("format".utf8)
    package static let capacityKey = Array("capacity".utf8)
    package static let versionKey = Array("version".utf8)
    package static let schemaKey = Array("schema".utf8)
    static let historyKey = Array("history".utf8)
    static let replicaKey = Array("replica".utf8)

    /// The column of a cluster's live mask; property ids start at 1.
    package static let liveMaskColumn = PropertyID(0)
}

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

/// The address of a leaf.
package struct LeafAddress: Hashable {
    package var classID: ClassID
    package var cluster: Int

    package init(classID: ClassID, cluster: Int) {
        self.classID = classID
        self.cluster = cluster
    }

    /// Numbers are compared in place, and not by a call for each.
    package static func == (a: LeafAddress, b: LeafAddress) -> Bool {
        a.cluster == b.cluster && a.classID.rawValue == b.classID.rawValue
    }

    package func key(_ column: PropertyID) -> [UInt8] {
        // Built in one pass: reads of single values use it repeatedly.
        [UInt8](unsafeUninitializedCapacity: 10) { bytes, count in
            let bytes = UnsafeMutableRawBufferPointer(bytes)
            bytes.storeBytes(of: classID.rawValue.bigEndian, toByteOffset: 0, as: UInt32.self)
            bytes.storeBytes(of: UInt32(cluster).bigEndian, toByteOffset: 4, as: UInt32.self)
            bytes.storeBytes(of: column.rawValue.bigEndian, toByteOffset: 8, as: UInt16.self)
            count = 10
        }
    }
}

/// A key under construction.
package struct TreeKey {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int = 32) { bytes.reserveCapacity(capacity) }

    package mutating func append(_ value: some FixedWidthInteger & UnsignedInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func append(contentsOf other: [UInt8]) { bytes.append(contentsOf: other) }

    package mutating func append(_ key: ObjectKey) { append(UInt64(bitPattern: key.rawValue)) }

    /// The prefix of the backlinks from one property to one object; `targetClass` is given for mixed properties.
    package static func backlinks(
        from origin: ClassID, _ property: PropertyID, to target: ObjectKey, targetClass: ClassID? = nil
    ) -> TreeKey {
        var key = entries(of: origin, property)
        if let targetClass { key.append(targetClass.rawValue) }
        key.append(target)
        return key
    }

    /// The prefix of a word's entries in a full-text index. A word contains no zero byte, so none is a prefix of
    /// another.
    package static func word(_ word: [UInt8], of classID: ClassID, _ property: PropertyID) -> TreeKey {
        var key = entries(of: classID, property)
        key.append(contentsOf: word)
        key.append(UInt8(0))
        return key
    }

    /// The key of the block of an Int primary key; see `KeyBlock`.
    static func keyBlock(of classID: ClassID, _ property: PropertyID, _ block: Int64) -> TreeKey {
        var key = entries(of: classID, property)
        // The block's number has 56 bits, so the first byte is free to mark it as not null.
        key.append(UInt64(bitPattern: block ^ (-1 << 55)) & (1 << 56 - 1) | 1 << 56)
        return key
    }

    /// The key of the object whose Int primary key is null.
    static func nullKey(of classID: ClassID, _ property: PropertyID) -> TreeKey {
        var key = entries(of: classID, property)
        key.append(UInt8(0))
        return key
    }

    /// The prefix of all entries of a property in the index, or in the backlinks as their origin.
    package static func entries(of classID: ClassID, _ property: PropertyID) -> TreeKey {
        var key = TreeKey()
        key.append(classID.rawValue)
        key.append(property.rawValue)
        return key
    }
}

extension UnsafeRawBufferPointer {
    /// A big-endian integer at a byte offset; zero where the bytes end before it.
    @inlinable
    package func bigEndian<T: FixedWidthInteger>(at offset: Int, as type: T.Type = T.self) -> T {
        guard offset >= 0, offset + MemoryLayout<T>.size <= count else { return 0 }
        return T(bigEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// The number of links from a backlink's origin to its target.
    package var linkCount: Int {
        guard !isEmpty else { return 1 }
        var reader = ByteReader(self)
        return (try? reader.integer(Int.self)) ?? 1
    }

    /// The object key in the last eight bytes of an index or backlink key.
    var trailingObjectKey: ObjectKey { ObjectKey(Int64(bitPattern: bigEndian(at: count - 8, as: UInt64.self))) }
}
