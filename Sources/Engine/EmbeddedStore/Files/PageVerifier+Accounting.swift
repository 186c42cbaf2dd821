import StoreContract

/// The accounting of pages to their owners.
extension PageVerifier {
    func take(_ page: UInt64, _ count: Int, for owner: String) -> Bool {
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
