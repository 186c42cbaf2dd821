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
