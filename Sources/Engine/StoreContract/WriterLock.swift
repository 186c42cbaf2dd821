import Glibc
import ObjectModel
import Promises
import Synchronization

/// Knows which threads write, so that it can refuse a write that could only wait for itself.
///
/// A store reports its own writer with `run`. Interactive writes take turns here: one is not queued with the store
/// before the one ahead is on disk, because a store that commits several pieces of work together would let each wait
/// for the next one's thread.
package enum WriterLock {
    private struct Writers {
        /// The thread that runs the store's work, listeners and completions, with the depth of its calls.
        var own: (thread: UInt, depth: Int)?
        /// The thread whose interactive write is open; 0 until a thread adopts it.
        var interactive: UInt?
        var waiting: [(thread: UInt, grant: @Sendable () -> Void)] = []

        var isIdle: Bool { own == nil && interactive == nil && waiting.isEmpty }
    }

    private static let writers = Mutex<[ObjectIdentifier: Writers]>([:])

    /// Runs `body` as the store's writer, on one thread at a time for each store: work, listeners and completions.
    /// Cost: two locks.
    package static func run<R>(for store: AnyObject, _ body: () throws -> R) rethrows -> R {
        let id = ObjectIdentifier(store)
        let thread = UInt(pthread_self())
        change(id) { $0.own = (thread, ($0.own?.depth ?? 0) + 1) }
        defer {
            change(id) { writers in
                let depth = (writers.own?.depth ?? 1) - 1
                writers.own = depth == 0 ? nil : (thread, depth)
            }
        }
        return try body()
    }

    /// Whether this thread runs the store's work, or has an interactive write open.
    package static func isWriting(_ store: AnyObject) -> Bool {
        let thread = UInt(pthread_self())
        let known = writers.withLock { $0[ObjectIdentifier(store)] }
        return known?.own?.thread == thread || known?.interactive == thread
    }

    /// Throws `nestedWrite` when this thread already writes to the store: for every call that waits for the writer.
    package static func checkNesting(_ store: AnyObject) throws {
        guard !isWriting(store) else {
            throw StoreError(
                .nestedWrite,
                "The Realm is already in a write transaction. Finish it first, or submit the work without waiting.")
        }
    }

    /// Waits until no other interactive write is open, and makes this thread's the open one.
    static func acquire(_ store: AnyObject) throws {
        try checkNesting(store)
        let turn = Promise<Void>()
        acquire(ObjectIdentifier(store), for: UInt(pthread_self())) { turn.set(()) }
        turn.wait()
    }

    /// Acquires the turn without waiting, for a thread that is not known yet.
    ///
    /// - Parameter granted: called when the turn has come, perhaps on the thread that passes it on.
    static func acquire(_ store: AnyObject, granted: @escaping @Sendable () -> Void) {
        acquire(ObjectIdentifier(store), for: 0, granted)
    }

    private static func acquire(
        _ store: ObjectIdentifier, for thread: UInt, _ granted: @escaping @Sendable () -> Void
    ) {
        let isFree = change(store) { writers in
            guard writers.interactive != nil else {
                writers.interactive = thread
                return true
            }
            writers.waiting.append((thread, granted))
            return false
        }
        if isFree { granted() }
    }

    /// Sets the thread that owns the open interactive write.
    static func transfer(_ store: ObjectIdentifier, to thread: UInt) {
        change(store) { writers in
            if writers.interactive != nil { writers.interactive = thread }
        }
    }

    /// Lets the next interactive write begin.
    static func release(_ store: ObjectIdentifier) {
        let grant = change(store) { writers -> (@Sendable () -> Void)? in
            let next = writers.waiting.isEmpty ? nil : writers.waiting.removeFirst()
            writers.interactive = next?.thread
            return next?.grant
        }
        grant?()
    }

    @discardableResult
    private static func change<R: Sendable>(_ id: ObjectIdentifier, _ body: (inout Writers) -> R) -> R {
        writers.withLock { all in
            var entry = all[id] ?? Writers()
            let result = body(&entry)
            all[id] = entry.isIdle ? nil : entry
            return result
        }
    }
}
