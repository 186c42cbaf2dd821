import Glibc
import ObjectModel
import Synchronization

/// The cells of a frozen realm that its objects are read from: for each thread its own, because a cell looks its column
/// up when it is first read. They exist as long as the realm.
final class FrozenRows: Sendable {
    /// A thread's caches by class.
    ///
    /// Sendable although its parts are not, because it is given only to the thread with its number, and a number is
    /// never used again.
    private final class ThreadRows: @unchecked Sendable {
        private var caches: [ClassID: RowAccessorCache] = [:]
        private var last: (classID: ClassID, cache: RowAccessorCache)?

        func cache(of boundClass: BoundClass) -> RowAccessorCache {
            if let last, last.classID == boundClass.id { return last.cache }
            let cache = caches[boundClass.id] ?? boundClass.newCells()
            caches[boundClass.id] = cache
            last = (boundClass.id, cache)
            return cache
        }
    }

    /// Further threads read values one by one: the caches of threads that have ended are kept, too.
    private static let limit = 64

    private let threads = Mutex<[UInt: ThreadRows]>([:])

    /// Returns the calling thread's cache; nil if too many threads have one.
    func cache(of boundClass: BoundClass, on thread: UInt) -> RowAccessorCache? {
        let rows = threads.withLock { threads -> ThreadRows? in
            if let known = threads[thread] { return known }
            guard threads.count < Self.limit else { return nil }
            let new = ThreadRows()
            threads[thread] = new
            return new
        }
        return rows?.cache(of: boundClass)
    }
}

/// Numbers of threads, which are never used again, other than those of the system.
enum ThreadNumber {
    private static let key = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private static let count = Atomic<UInt>(0)

    /// The calling thread's number; never 0.
    static var current: UInt {
        if let known = pthread_getspecific(key) { return UInt(bitPattern: known) }
        let new = count.add(1, ordering: .relaxed).newValue
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: new))
        return new
    }
}
