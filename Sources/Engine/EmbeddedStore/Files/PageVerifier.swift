import StorageEngine
import Glibc
import StoreContract

/// Checks every page that LMDB will reach by a page number, because LMDB itself trusts the contents of the file: a
/// wrong offset or page number makes it read or write anywhere.
///
/// When it finds no fault, every branch, leaf and free-page record leads to pages inside the file that have no other
/// use, nodes lie within their pages without overlapping, and keys are in order. The contents of values are not
/// checked; their readers do that. Cost: about a microsecond per tree page, and one page read per long value.
///
/// The file must not change meanwhile.
final class PageVerifier {
    /// The faults, as sentences for a person; at most `limit` entries.
    var faults: [String] = []
    /// Pages that are neither used nor listed as free: lost space, which a compaction recovers, but harmless.
    var leakedPages = 0
    private(set) var treePages = 0
    /// Whether the file is not a store file, as far as that can be recognised.
    private(set) var isForeign = false
    /// The number of the data format, if another LMDB wrote the file.
    private(set) var otherVersion: UInt32?
    /// The format number in the file.
    private(set) var format: UInt32?

    private let bytes: UnsafeRawBufferPointer
    let limit: Int
    /// Also compares the counts that trees keep of their pages and entries.
    private let isThorough: Bool
    private var pageSize = 0
    var filePages = 0
    var lastPage: UInt64 = 0
    var used: [UInt64] = []
    var free: [UInt64] = []
    /// Free pages beyond the present end of the file.
    var freeBehindEnd: Set<UInt64> = []
    /// The sizes of a page's nodes by half their offset.
    private var nodeSizes: [UInt16] = []
    private var walk = Walk("")
    private var visit: (_ key: UnsafeRawBufferPointer, _ flags: UInt16, _ value: UnsafeRawBufferPointer) -> Void = {
        _, _, _ in
    }

    /// The results for one tree.
    private struct Walk {
        let name: String
        let hasIntegerKeys: Bool
        var branchPages: UInt64 = 0
        var leafPages: UInt64 = 0
        var overflowPages: UInt64 = 0
        var entries: UInt64 = 0

        init(_ name: String, hasIntegerKeys: Bool = false) {
            self.name = name
            self.hasIntegerKeys = hasIntegerKeys
        }
    }

    /// `bytes` is the whole file.
    init(_ bytes: UnsafeRawBufferPointer, limit: Int = 1, isThorough: Bool = false) {
        self.bytes = bytes
        self.limit = limit
        self.isThorough = isThorough
    }

    /// Checks everything. Afterwards the properties have the results.
    func run() {
        guard let meta = newestMeta() else { return }
        used = [UInt64](repeating: 0, count: filePages / 64 + 1)
        free = used
        nodeSizes = [UInt16](repeating: 0, count: pageSize / 2)

        var trees: [(name: String, record: TreeRecord)] = []
        var hasForeignEntries = false
        visit = { key, flags, value in
            guard flags == PageFormat.NodeFlag.subTree, value.count == PageFormat.treeSize else {
                hasForeignEntries = true
                return
            }
            trees.append((String(decoding: key, as: UTF8.self), TreeRecord(value, at: 0)))
        }
        walkTree(TreeRecord(bytes, at: meta + 72), Walk("the trees' names"))
        guard faults.isEmpty else { return }
        let metaTree = trees.first { $0.name == FileFormat.metaTree }
        if hasForeignEntries || (metaTree == nil && !trees.isEmpty) {
            isForeign = true
            return
        }
        // The format comes first: in a newer one, other rules may apply.
        if let metaTree {
            visit = { [unowned self] key, flags, value in
                if key.elementsEqual(FileFormat.formatKey), flags == 0, value.count == 4 {
                    format = value.bigEndian(at: 0)
                }
            }
            walkTree(metaTree.record, Walk("'\(metaTree.name)'"))
            if let format, format > FileFormat.number { return }
        }
        visit = { _, _, _ in }
        for (name, record) in trees where name != FileFormat.metaTree { walkTree(record, Walk("'\(name)'")) }

        let transaction = bytes.littleEndian(meta + 128, as: UInt64.self)
        visit = { [unowned self] key, _, value in noteFreePages(key, value, before: transaction) }
        walkTree(
            TreeRecord(bytes, at: meta + 24), Walk("the free pages", hasIntegerKeys: true))
        visit = { _, _, _ in }
        if faults.isEmpty { accountForPages() }
    }

    // MARK: Meta pages

    /// The offset of the valid meta page's contents.
    private func newestMeta() -> Int? {
        guard bytes.count >= PageFormat.headerSize + PageFormat.metaSize,
            bytes.littleEndian(PageFormat.headerSize, as: UInt32.self) == PageFormat.magic
        else {
            otherVersion = versionElsewhere()
            isForeign = otherVersion == nil
            return nil
        }
        pageSize = Int(bytes.littleEndian(PageFormat.headerSize + 24, as: UInt32.self))
        otherVersion = versionOfBoth()
        guard otherVersion == nil else { return nil }
        guard PageFormat.pageSizes.contains(pageSize), pageSize & (pageSize - 1) == 0 else {
            return fail("the first page gives a page size of \(pageSize) bytes")
        }
        filePages = bytes.count / pageSize
        guard filePages >= PageFormat.metaPages else { return fail("it ends within the first two pages") }
        var newest: (offset: Int, transaction: UInt64)?
        var transactions: [UInt64] = []
        for page in 0..<PageFormat.metaPages {
            let offset = page * pageSize + PageFormat.headerSize
            let free = TreeRecord(bytes, at: offset + 24)
            guard bytes.littleEndian(page * pageSize, as: UInt64.self) == UInt64(page),
                bytes.littleEndian(page * pageSize + 10, as: UInt16.self) == PageFormat.Kind.meta,
                bytes.littleEndian(offset, as: UInt32.self) == PageFormat.magic,
                bytes.littleEndian(offset + 4, as: UInt32.self) == PageFormat.version,
                free.pad == pageSize, free.flags & ~PageFormat.noSubdirectoryFlag == PageFormat.freeTreeFlags
            else { return fail("meta page \(page) is damaged") }
            let transaction = bytes.littleEndian(offset + 128, as: UInt64.self)
            transactions.append(transaction)
            if newest == nil || transaction > newest?.transaction ?? 0 { newest = (offset, transaction) }
        }
        // Every commit has the next number and writes the page that the one before it did not.
        guard
            transactions == [0, 0]
                || (transactions[0] % 2 == 0 && transactions[1] % 2 == 1
                    && (transactions[0] &- transactions[1] == 1 || transactions[1] &- transactions[0] == 1))
        else { return fail("its meta pages are not consecutive (\(transactions[0]), \(transactions[1]))") }
        guard let newest else { return nil }
        lastPage = bytes.littleEndian(newest.offset + 120)
        return newest.offset
    }

    /// The number of another data format in the first page; nil for ours, and when the second page has ours, so that
    /// the first one is damaged.
    private func versionOfBoth() -> UInt32? {
        let first = bytes.littleEndian(PageFormat.headerSize + 4, as: UInt32.self)
        guard first != PageFormat.version else { return nil }
        let offset = pageSize + PageFormat.headerSize + 4
        let second = offset + 4 <= bytes.count ? bytes.littleEndian(offset, as: UInt32.self) : first
        return second == PageFormat.version ? nil : first
    }

    /// The number of the data format that a file of another LMDB has: after the magic number, where the first page's
    /// contents begin, which is not at the same offset in all formats. Nil for a file of another program.
    private func versionElsewhere() -> UInt32? {
        for offset in stride(from: 8, through: 64, by: 4) where offset + 8 <= bytes.count {
            guard bytes.littleEndian(offset, as: UInt32.self) == PageFormat.magic else { continue }
            return bytes.littleEndian(offset + 4, as: UInt32.self)
        }
        return nil
    }

    // MARK: Trees

    private func walkTree(_ tree: TreeRecord, _ walk: Walk) {
        self.walk = walk
        guard tree.root != PageFormat.noPage else {
            if tree.depth != 0 || tree.entries != 0 { fail("the tree of \(walk.name) has no root but entries") }
            return
        }
        guard walk.hasIntegerKeys || (tree.flags == 0 && tree.pad == 0) else {
            fail("the tree of \(walk.name) is of an unknown kind")
            return
        }
        guard (1...PageFormat.maximumDepth).contains(tree.depth) else {
            fail("the tree of \(walk.name) claims to be \(tree.depth) levels deep")
            return
        }
        visitPage(tree.root, level: tree.depth, from: nil, to: nil)
        let found = self.walk
        if isThorough, faults.isEmpty,
            (found.branchPages, found.leafPages, found.overflowPages, found.entries)
                != (tree.branchPages, tree.leafPages, tree.overflowPages, tree.entries)
        {
            fail(
                """
                the tree of \(walk.name) says that it has \(tree.branchPages), \(tree.leafPages) and \
                \(tree.overflowPages) pages and \(tree.entries) entries; it has \(found.branchPages), \
                \(found.leafPages), \(found.overflowPages) and \(found.entries)
                """)
        }
    }

    /// `from` and `to` bound the keys: at least `from`, less than `to`.
    private func visitPage(
        _ page: UInt64, level: Int, from: UnsafeRawBufferPointer?, to: UnsafeRawBufferPointer?
    ) {
        guard faults.count < limit, claim(page, 1, for: walk.name) else { return }
        treePages += 1
        let start = Int(page) * pageSize
        let kind = bytes.littleEndian(start + 10, as: UInt16.self)
        guard bytes.littleEndian(start, as: UInt64.self) == page,
            kind == (level > 1 ? PageFormat.Kind.branch : PageFormat.Kind.leaf)
        else {
            fail("page \(page) is not the page of \(walk.name) that should be there")
            return
        }
        let content = UnsafeRawBufferPointer(rebasing: bytes[start..<start + pageSize])
        guard let count = checkLayout(content, isLeaf: level == 1) else {
            fail("page \(page) of \(walk.name) is damaged")
            return
        }
        if level > 1 {
            walk.branchPages += 1
            visitChildren(content, count, page, level, from, to)
        } else {
            walk.leafPages += 1
            visitEntries(content, count, page, from, to)
        }
    }

    private func visitChildren(
        _ content: UnsafeRawBufferPointer, _ count: Int, _ page: UInt64, _ level: Int, _ from: UnsafeRawBufferPointer?,
        _ to: UnsafeRawBufferPointer?
    ) {
        // LMDB leaves thin branches only in the tree of free pages, and aborts when it meets others.
        guard count >= (walk.hasIntegerKeys ? 1 : 2) else {
            fail("page \(page) of \(walk.name) has too few entries")
            return
        }
        var lower = from
        for index in 0..<count {
            let node = Node(content, index)
            let next = index + 1 < count ? Node(content, index + 1).key : to
            if let lower, let next, !isBefore(lower, next) {
                fail("the entries of page \(page) of \(walk.name) are out of order")
                return
            }
            visitPage(node.child, level: level - 1, from: lower, to: next)
            lower = next
        }
    }

    private func visitEntries(
        _ content: UnsafeRawBufferPointer, _ count: Int, _ page: UInt64, _ from: UnsafeRawBufferPointer?,
        _ to: UnsafeRawBufferPointer?
    ) {
        guard count >= 1 else {
            fail("page \(page) of \(walk.name) has no entries")
            return
        }
        var previous: UnsafeRawBufferPointer?
        for index in 0..<count {
            let node = Node(content, index)
            let isOrdered = previous.map { isBefore($0, node.key) } ?? from.map { !isBefore(node.key, $0) } ?? true
            guard isOrdered else {
                fail("the entries of page \(page) of \(walk.name) are out of order")
                return
            }
            previous = node.key
            walk.entries += 1
            if let value = value(of: node, page) { visit(node.key, node.flags & ~PageFormat.NodeFlag.bigData, value) }
        }
        if let previous, let to, !isBefore(previous, to) {
            fail("the entries of page \(page) of \(walk.name) are out of order")
        }
    }

    /// The value of a leaf's node; the pages of a long one are checked and accounted for.
    private func value(of node: Node, _ page: UInt64) -> UnsafeRawBufferPointer? {
        guard node.flags & PageFormat.NodeFlag.bigData != 0 else { return node.data }
        let first = node.data.littleEndian(0, as: UInt64.self)
        let needed = PageFormat.pages(forValueOf: node.dataLength, pageSize: pageSize)
        guard first >= UInt64(PageFormat.metaPages), first < UInt64(filePages) else {
            return fail("page \(page) of \(walk.name) leads to page \(first), which is not in the file")
        }
        let start = Int(first) * pageSize
        let pages = Int(bytes.littleEndian(start + 12, as: UInt32.self))
        guard bytes.littleEndian(start, as: UInt64.self) == first,
            bytes.littleEndian(start + 10, as: UInt16.self) == PageFormat.Kind.overflow, pages >= needed
        else { return fail("page \(first) is not the value of \(walk.name) that should be there") }
        guard claim(first, pages, for: walk.name) else { return nil }
        walk.overflowPages += UInt64(pages)
        let contents = start + PageFormat.headerSize
        return UnsafeRawBufferPointer(rebasing: bytes[contents..<contents + node.dataLength])
    }

    /// Checks the layout of a page's nodes; returns their number.
    private func checkLayout(_ page: UnsafeRawBufferPointer, isLeaf: Bool) -> Int? {
        let lower = Int(page.littleEndian(12, as: UInt16.self))
        let upper = Int(page.littleEndian(14, as: UInt16.self))
        guard lower >= PageFormat.headerSize, lower % 2 == 0, upper % 2 == 0, lower <= upper, upper <= pageSize else {
            return nil
        }
        let count = (lower - PageFormat.headerSize) / 2
        let largest = PageFormat.maximumNodeSize(pageSize: pageSize)
        return nodeSizes.withUnsafeMutableBufferPointer { sizes -> Int? in
            sizes.update(repeating: 0)
            for index in 0..<count {
                let offset = Int(page.littleEndian(PageFormat.headerSize + 2 * index, as: UInt16.self))
                guard offset % 2 == 0, offset >= upper, offset + PageFormat.nodeHeaderSize <= pageSize,
                    sizes[offset / 2] == 0, let size = nodeSize(page, offset, isLeaf: isLeaf), size <= largest
                else { return nil }
                sizes[offset / 2] = UInt16(size)
            }
            // The nodes fill the rest of the page exactly: one that starts where the one before ended does not overlap
            // it.
            var offset = upper
            for _ in 0..<count {
                guard offset < pageSize, sizes[offset / 2] > 0 else { return nil }
                offset += Int(sizes[offset / 2])
            }
            return offset == pageSize ? count : nil
        }
    }

    /// The size of a node whose header is in the page, rounded up to even; nil when it is not a valid node.
    private func nodeSize(_ page: UnsafeRawBufferPointer, _ offset: Int, isLeaf: Bool) -> Int? {
        let keyLength = Int(page.littleEndian(offset + 6, as: UInt16.self))
        guard keyLength <= PageFormat.maximumKeyLength else { return nil }
        var size = PageFormat.nodeHeaderSize + keyLength
        if isLeaf {
            let flags = page.littleEndian(offset + 4, as: UInt16.self)
            guard flags & ~(PageFormat.NodeFlag.bigData | PageFormat.NodeFlag.subTree) == 0, keyLength > 0,
                !walk.hasIntegerKeys || keyLength == 8
            else { return nil }
            if flags & PageFormat.NodeFlag.bigData != 0 {
                size += 8
            } else {
                size += Int(page.littleEndian(offset, as: UInt32.self))
            }
        } else if walk.hasIntegerKeys, keyLength != 8, keyLength != 0 {
            return nil
        }
        return (size + 1) & ~1
    }

    private func isBefore(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        if walk.hasIntegerKeys {
            guard left.count == 8, right.count == 8 else { return false }
            return left.littleEndian(0, as: UInt64.self) < right.littleEndian(0, as: UInt64.self)
        }
        guard let first = left.baseAddress, let second = right.baseAddress else { return left.count < right.count }
        let order = memcmp(first, second, min(left.count, right.count))
        return order < 0 || (order == 0 && left.count < right.count)
    }
}

/// A node of a page whose layout has been checked.
private struct Node {
    let key: UnsafeRawBufferPointer
    let flags: UInt16
    /// For a branch.
    let child: UInt64
    /// For a leaf: the length of the value, which is elsewhere if it is long.
    let dataLength: Int
    let data: UnsafeRawBufferPointer

    init(_ page: UnsafeRawBufferPointer, _ index: Int) {
        let offset = Int(page.littleEndian(PageFormat.headerSize + 2 * index, as: UInt16.self))
        let length: UInt32 = page.littleEndian(offset)
        flags = page.littleEndian(offset + 4)
        child = UInt64(length) | UInt64(flags) << 32
        let start = offset + PageFormat.nodeHeaderSize
        let end = start + Int(page.littleEndian(offset + 6, as: UInt16.self))
        key = UnsafeRawBufferPointer(rebasing: page[start..<end])
        let isLeaf = page.littleEndian(10, as: UInt16.self) == PageFormat.Kind.leaf
        dataLength = isLeaf ? Int(length) : 0
        let inPage = isLeaf ? (flags & PageFormat.NodeFlag.bigData != 0 ? 8 : dataLength) : 0
        data = UnsafeRawBufferPointer(rebasing: page[end..<end + inPage])
    }
}

/// The accounting of pages to their owners.
extension PageVerifier {
    func claim(_ page: UInt64, _ count: Int, for owner: String) -> Bool {
        guard page >= UInt64(PageFormat.metaPages), page <= lastPage, page < UInt64(filePages),
            count <= filePages - Int(page), UInt64(count) <= lastPage - page + 1
        else {
            fail("\(owner) need page \(page), which is not in the file: it is truncated or damaged")
            return false
        }
        for page in Int(page)..<Int(page) + count {
            guard (used[page / 64] | free[page / 64]) >> UInt64(page % 64) & 1 == 0 else {
                fail("page \(page) is used twice")
                return false
            }
            used[page / 64] |= 1 << UInt64(page % 64)
        }
        return true
    }

    func noteFreePages(_ key: UnsafeRawBufferPointer, _ list: UnsafeRawBufferPointer, before newest: UInt64) {
        guard faults.count < limit else { return }
        let transaction = key.littleEndian(0, as: UInt64.self)
        guard list.count >= 8, list.count % 8 == 0, transaction > 0, transaction <= newest else {
            fail("the list of free pages of transaction \(transaction) is damaged")
            return
        }
        let count = list.littleEndian(0, as: UInt64.self)
        guard count <= UInt64(list.count / 8 - 1) else {
            fail("the list of free pages of transaction \(transaction) is too short")
            return
        }
        var previous = UInt64.max
        for index in 0..<Int(count) {
            let page = list.littleEndian(8 + 8 * index, as: UInt64.self)
            guard page >= UInt64(PageFormat.metaPages), page <= lastPage, page < previous else {
                fail("the list of free pages of transaction \(transaction) is damaged")
                return
            }
            previous = page
            guard page < UInt64(filePages) else {
                freeBehindEnd.insert(page)
                continue
            }
            let bit = UInt64(1) << (page % 64)
            let word = Int(page / 64)
            guard (used[word] | free[word]) & bit == 0 else {
                fail("page \(page) is listed as free but is used")
                return
            }
            free[word] |= bit
        }
    }

    func accountForPages() {
        let pages = lastPage.addingReportingOverflow(1)
        let expectedBehindEnd = pages.partialValue > UInt64(filePages) ? pages.partialValue - UInt64(filePages) : 0
        guard !pages.overflow, UInt64(freeBehindEnd.count) == expectedBehindEnd else {
            fail("it has \(filePages) pages where there should be \(pages.partialValue): it is truncated or damaged")
            return
        }
        let known = zip(used, free).reduce(0) { $0 + ($1.0 | $1.1).nonzeroBitCount }
        leakedPages = min(filePages, Int(clamping: pages.partialValue)) - PageFormat.metaPages - known
    }

    @discardableResult
    func fail<R>(_ fault: String) -> R? {
        fail(fault)
        return nil
    }

    func fail(_ fault: String) {
        if faults.count < limit { faults.append(fault) }
    }
}
