import ObjectModel
import StoreContract

/// The state of an instance, and what happens to it. Used on the instance's scheduler only; observers' blocks are called
/// from within, and may call it again.
///
/// Each observer has a subject of its own, which is at the version that the observer was told of: so one can be
/// spared a commit, and one that is told late is told of everything at once. Most of the time all know of the same
/// version, and only those that a change can matter to are looked at.
final class InstanceCore {
    let store: any Store
    let inbox: InstanceInbox

    /// Nil after `invalidate` and `rest`, until the store is looked at again.
    private(set) var current: (any Snapshot)? { willSet { reads.rise() } }
    private let reads: ReadEpochHolder
    var history: ChangeHistory
    /// What all observers without a baseline of their own know of; nil while there are none.
    var known: (any Snapshot)?
    var observers: [Int: InstanceObserver] = [:]
    /// Those that have a subject: they were called, or will be when it changes.
    var joined: Set<Int> = []
    var dependencyIndex = DependencyIndex()
    /// Observers that have a baseline of their own.
    var unsettled: Set<Int> = []
    /// Realm-level observers.
    var bells: [Int: InstanceBell] = [:]
    private(set) var nextOrder = 0

    var write: PendingWrite?
    var asyncWrites = AsyncWrites()
    var autorefresh = true { didSet { if autorefresh { inbox.wake() } } }
    /// The last version that the instance was at.
    private var last: Version
    /// Whether the last move led to another version, and not just back to the one that was given up.
    private(set) var movedOn = false
    /// The newest version that realm-level observers were told of without the instance moving there.
    private var announced: Version?
    /// How many blocks are running, one within the other.
    private var calls = 0
    /// Whether a turn came while a block was running.
    private var missedTurn = false

    init(_ store: any Store, _ inbox: InstanceInbox, at snapshot: any Snapshot, _ reads: ReadEpochHolder) {
        self.reads = reads
        self.store = store
        self.inbox = inbox
        current = snapshot
        last = snapshot.version
        history = ChangeHistory(from: snapshot.version)
    }

    var isCalling: Bool { calls > 0 }

    /// The store as the instance shows it. Looks for the newest version after `invalidate`.
    func snapshot() throws -> any Snapshot {
        if let current { return current }
        try moveToNewest()
        // What became different is told in a turn of its own.
        inbox.wake()
        return try current ?? store.snapshot()
    }

    func takeOrder() -> Int {
        defer { nextOrder += 1 }
        return nextOrder
    }

    /// Runs a block of an observer.
    func call(_ block: () -> Void) {
        calls += 1
        block()
        calls -= 1
        if calls == 0, missedTurn {
            missedTurn = false
            inbox.wake()
        }
    }

    // MARK: Versions

    /// False when there is nothing newer.
    @discardableResult
    func moveToNewest() throws -> Bool { try move(to: store.snapshot()) }

    @discardableResult
    func move(to snapshot: any Snapshot) throws -> Bool {
        takeInbox()
        if let current, snapshot.version <= current.version { return false }
        if history.end < snapshot.version {
            // It can be seen a moment before its change set arrives, or is another process's. Where the log does not
            // reach back, everything is looked at anew.
            let missed = try store.changes(after: history.end)?.filter { $0.version <= snapshot.version }
            history.append(missed ?? [ChangeSet(version: snapshot.version, schemaChanged: true)])
        }
        current = snapshot
        movedOn = snapshot.version > last
        last = snapshot.version
        announced = nil
        return true
    }

    /// Takes what came from other threads.
    func takeInbox() {
        let (changes, left) = inbox.take()
        history.append(changes)
        for order in left { remove(order) }
    }

    /// Gives up the version; observers keep theirs, to be told of the difference.
    func invalidate() {
        guard !isCalling else { return }
        if write != nil { try? cancelWrite() }
        current = nil
        announced = nil
        trim()
        inbox.wake()
    }

    /// Gives up the version, where nothing depends on it yet.
    func rest() {
        guard !isCalling, write == nil, observers.isEmpty, bells.isEmpty else { return }
        current = nil
        trim()
    }

    /// Takes up a version that somebody else has, where there is none and nobody is told what became of another.
    func begin(at snapshot: any Snapshot) throws {
        guard current == nil, write == nil, observers.isEmpty, bells.isEmpty else { return }
        takeInbox()
        if snapshot.version < history.end {
            // What leads on from there may have been forgotten.
            let newest = try store.snapshot().version
            let missed = try store.changes(after: snapshot.version)
            history = ChangeHistory(from: snapshot.version)
            history.append(missed ?? [ChangeSet(version: newest, schemaChanged: true)])
        }
        try move(to: snapshot)
        inbox.wake()
    }

    /// Forgets changes that nobody will be told of.
    func trim() {
        guard !isCalling else { return }
        if observers.isEmpty { known = nil }
        if joined.isEmpty, unsettled.isEmpty { known = nil }
        let versions = [known?.version, current?.version] + observers.values.map { $0.baseline?.version }
        history.trim(upTo: versions.compactMap { $0 }.min() ?? history.end)
    }

    // MARK: Turns

    /// What the scheduler calls when something was committed, prepared or given up.
    func turn() {
        takeInbox()
        guard !isCalling else {
            missedTurn = true
            return
        }
        // The end of the write calls for another turn.
        guard write == nil, finishCommit(waiting: false) else { return }
        let limit = nextOrder
        do {
            if autorefresh || current == nil && !(observers.isEmpty && bells.isEmpty) {
                if try moveToNewest(), movedOn { ring(.didChange) }
            } else if let current, history.end > max(current.version, announced ?? current.version) {
                announced = history.end
                ring(.refreshRequired)
            }
            callObservers(newBefore: limit)
        } catch {
            failAll(error)
        }
        trim()
        completeCommits()
        serveAsyncWrite()
    }

    /// Waits for what is being prepared, moves to the newest version, and calls the observers. False within a
    /// write and within a block, and when there is nothing newer.
    func refresh() throws -> Bool {
        guard write == nil, !isCalling else { return false }
        finishCommit(waiting: true)
        let limit = nextOrder
        for observer in observers.values {
            if case .new(let preparation) = observer.stage { preparation.finish() }
        }
        let hasMoved = try moveToNewest()
        if hasMoved, movedOn { ring(.didChange) }
        callObservers(newBefore: limit)
        trim()
        return hasMoved
    }
}
