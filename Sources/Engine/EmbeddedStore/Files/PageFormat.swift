// The file layout of LMDB 0.9 on a 64-bit little-endian machine. All numbers little endian, offsets in bytes.
//
// The file is a row of pages of one size, a power of two: the system's page size when the file was created. Pages 0 and
// 1 are meta pages, which commits write in turn: transaction t writes page t mod 2, and the one with the higher
// transaction number is valid. Any other page belongs to one tree, is part of one value, or is free.
//
//   page     0 u64 its own number   8 u16 (unused here)   10 u16 kind, one of the flags below
//            12 u16 lower  14 u16 upper   for branch and leaf pages, or
//            12 u32 count                 for the first page of a value that spans pages
//            16 contents
//   meta     contents: 0 u32 magic  4 u32 format = 1  8 u64 address  16 u64 map size
//            24 tree of the free pages   72 tree of the named trees
//            120 u64 last page  128 u64 transaction
//            The first field of the tree of free pages is the page size, its flags are the environment's.
//   tree     0 u32 (unused here)  4 u16 flags  6 u16 depth  8 u64 branch pages  16 u64 leaf pages
//            24 u64 pages of long values  32 u64 entries  40 u64 root page, all ones when empty
//   branch   u16 offsets of the nodes, in key order, from 16 to lower; the nodes are from upper to the page's end,
//   leaf     without gaps, in any order, each at an even offset
//   node     0 u16 low  2 u16 high  4 u16 flags  6 u16 key length  8 key, then the data
//            branch: low, high and flags are the child's page number, there is no data; the first key counts as lowest
//            leaf: low and high are the data's length; with `bigData` the data is the number of the first of the pages
//            that hold it from offset 16; with `subTree` the data is a tree and the key its name
//   free     key: u64 transaction; data: u64 count, then as many page numbers, descending

enum PageFormat {
    static let headerSize = 16
    static let magic: UInt32 = 0xBEEF_C0DE
    static let version: UInt32 = 1
    static let metaPages = 2
    /// The minimum size of a meta page.
    static let metaSize = 136
    static let noPage = UInt64.max
    static let treeSize = 48
    static let nodeHeaderSize = 8
    static let maximumKeyLength = 511
    static let maximumDepth = 32
    static let pageSizes = 512...32_768

    enum Kind {
        static let branch: UInt16 = 0x01
        static let leaf: UInt16 = 0x02
        static let overflow: UInt16 = 0x04
        static let meta: UInt16 = 0x08
    }

    enum NodeFlag {
        static let bigData: UInt16 = 0x01
        static let subTree: UInt16 = 0x02
    }

    /// For the tree of free pages: keys are integers. The bit of an environment without a directory of its own may be
    /// set.
    static let freeTreeFlags: UInt16 = 0x08
    static let noSubdirectoryFlag: UInt16 = 0x4000

    /// The largest node in a leaf; longer ones have their data in separate pages.
    static func maximumNodeSize(pageSize: Int) -> Int { (((pageSize - headerSize) / 2) & -2) - 2 }

    /// The number of pages of a value that has its own.
    static func pages(forValueOf length: Int, pageSize: Int) -> Int { (headerSize - 1 + length) / pageSize + 1 }
}

/// The record of a tree in a meta page or in a node of the tree of named trees.
struct TreeRecord {
    let pad: UInt32
    let flags: UInt16
    let depth: Int
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    let entries: UInt64
    let root: UInt64

    /// The bytes must be in bounds.
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        pad = bytes.littleEndian(offset)
        flags = bytes.littleEndian(offset + 4)
        depth = Int(bytes.littleEndian(offset + 6, as: UInt16.self))
        branchPages = bytes.littleEndian(offset + 8)
        leafPages = bytes.littleEndian(offset + 16)
        overflowPages = bytes.littleEndian(offset + 24)
        entries = bytes.littleEndian(offset + 32)
        root = bytes.littleEndian(offset + 40)
    }
}

extension UnsafeRawBufferPointer {
    /// The caller has checked that the bytes are in bounds.
    @inline(__always)
    func littleEndian<T: FixedWidthInteger>(_ offset: Int, as type: T.Type = T.self) -> T {
        T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}
