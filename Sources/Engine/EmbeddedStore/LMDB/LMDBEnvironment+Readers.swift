import CLMDB
import Glibc

extension LMDBEnvironment {
    /// The oldest transaction that any process still reads; nil when nobody reads.
    ///
    /// LMDB reports this only as text: a heading, then per reader the process, the thread and the transaction.
    var oldestReader: Int? {
        var oldest: Int?
        withUnsafeMutablePointer(to: &oldest) { oldest in
            _ = mdb_reader_list(
                pointer,
                { line, context in
                    guard let line, let oldest = context?.assumingMemoryBound(to: Int?.self) else { return 0 }
                    let words = String(cString: line).split(whereSeparator: { $0 == " " || $0 == "\n" })
                    guard words.count == 3, let transaction = Int(words[2]) else { return 0 }
                    oldest.pointee = min(oldest.pointee ?? .max, transaction)
                    return 0
                }, oldest)
        }
        return oldest
    }

    /// The number of durable states from the oldest one in use to the newest. Versions of one commit count as one.
    var activeVersions: Int {
        let newest = lastTransaction
        return newest - min(oldestReader ?? newest, newest) + 1
    }
}
