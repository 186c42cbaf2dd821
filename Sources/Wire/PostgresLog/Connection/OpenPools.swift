import Glibc
import Synchronization

/// The pools of the program, which are closed when it exits: exit(3) frees what OpenSSL works with, and a thread that
/// connects then would read freed memory.
enum OpenPools {
    private struct Reference {
        weak var pool: ConnectionPool?
    }

    private static let pools = Mutex<[Reference]>([])

    static func add(_ pool: ConnectionPool) {
        pools.withLock { pools in
            pools.removeAll { $0.pool == nil }
            pools.append(Reference(pool: pool))
        }
    }

    /// Call it after the first attempt to connect: handlers run in the reverse order of their registration, and OpenSSL
    /// registers its own in that attempt.
    static func closeAtExit() { registration }

    private static let registration: Void = {
        atexit { OpenPools.closeAll() }
    }()

    private static func closeAll() {
        for pool in pools.withLock({ $0.compactMap(\.pool) }) { pool.close() }
    }
}
