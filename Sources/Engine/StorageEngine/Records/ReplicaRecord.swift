package import LMDBStorage
import Columnar
import Glibc
import ObjectModel

/// What makes a file a replica: the log that it follows, and whether all of its pages are on disk.
///
/// A replica does not sync its commits. It survives the end of the process, because the system has the pages, but not a
/// crash of the machine. So it is used again when it was closed with a sync, or when the machine has run since.
package struct ReplicaRecord: Equatable, Sendable {
    /// See `CommitLog.id`.
    package var log: Int64
    /// The machine's run in which the file was last open for writing; 0 when it was closed with a sync.
    package var run: UInt64

    private static let length = 16

    package init(log: Int64, run: UInt64) {
        self.log = log
        self.run = run
    }

    /// Nil in an ordinary file. Throws `LMDBError`, `DamagedRecord`.
    package init?(_ transaction: LMDBTransaction, _ meta: LMDBDatabase) throws {
        guard let bytes = try transaction.get(meta, FileFormat.replicaKey) else { return nil }
        guard bytes.count == Self.length else { throw DamagedRecord() }
        log = Int64(bitPattern: bytes.bigEndian(at: 0, as: UInt64.self))
        run = bytes.bigEndian(at: 8)
    }

    package func put(in transaction: LMDBTransaction, _ meta: LMDBDatabase) throws {
        var record = TreeKey(capacity: Self.length)
        record.append(UInt64(bitPattern: log))
        record.append(run)
        try transaction.put(meta, FileFormat.replicaKey, record.bytes)
    }

    /// Whether all commits to the file are readable.
    package var isWhole: Bool { run == 0 || run == Self.presentRun }

    /// Identifies the machine's present run, from the kernel's boot id; a random number where there is none.
    package static let presentRun: UInt64 = {
        let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return .random(in: 1 ... .max) }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 64)
        let length = read(file, &text, text.count)
        guard length >= 36 else { return .random(in: 1 ... .max) }
        var digits: UInt64 = 0
        for byte in text.prefix(length) {
            if let digit = Character(UnicodeScalar(byte)).hexDigitValue { digits = digits << 4 | UInt64(digit) }
        }
        // The last 16 of the 32 digits, which are random.
        return max(digits, 1)
    }()
}
