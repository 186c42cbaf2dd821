import LiveQueries
import ObjectModel
import StoreContract

/// The state of an instance and its transitions. Used on the instance's scheduler only; observers' blocks are called
/// from within, and may call it again.
///
/// Each observer has a view of its own, which is at the version that the observer last saw: so one can skip a commit,
/// and one that is called late gets everything at once. Most of the time all are at the same version, and only those
/// that a change can affect are processed.
final class InstanceCore {
    let store: any Store
    let inbox: InstanceInbox

    /// Nil after `invalidate` and `rest`, until the store is read again.
    private(set) var current: (any Snapshot)? { willSet { reads.rise() } }
    private let reads: ReadEpochHolder
    var history: ChangeHistory
    /// The version of all observers without a baseline of their own; nil while there are none.
    var known: (any Snapshot)?
    var observers = InstanceObservers()
    /// Realm-level observers.
    var subscribers: [Int: InstanceSubscriber] = [:]
    private(set) var nextOrder = 0

    var write: PendingWrite?
    var asyncWrites = AsyncWrites()
    var autorefresh = true { didSet { if autorefresh { inbox.wake() } } }
    /// The last version that the instance was at.
    private var last: Version
    /// Whether the last move led to another version, and not just back to the one that was released.
    private(set) var movedOn = false
    /// The newest version that realm-level observers were notified of without the instance moving there.
    private var announced: Version?
    /// The number of running blocks, one within the other.
    private var calls = 0
    /// Whether a turn began while a block was running.
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

    /// The store at the instance's version. Takes the newest version after `invalidate`; waits for a commit in the
    /// background, so that the instance sees what it has written.
    func snapshot() throws -> any Snapshot {
        completeCommit()
        if let current { return current }
        try moveToNewest()
        // The difference is reported in a turn of its own.
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

    /// Returns false when there is nothing newer.
    @discardableResult
    func moveToNewest() throws -> Bool { try move(to: store.snapshot()) }

    @discardableResult
    func move(to snapshot: any Snapshot) throws -> Bool {
        takeInbox()
        if let current, snapshot.version <= current.version { return false }
        if history.end < snapshot.version {
            // It can be read a moment before its change set arrives, or is another process's. Where the log does not
            // reach back, everything is read again.
            let missed = try store.changes(after: history.end)?.filter { $0.version <= snapshot.version }
            history.append(missed ?? [ChangeSet(version: snapshot.version, schemaChanged: true)])
        }
        current = snapshot
        movedOn = snapshot.version > last
        last = snapshot.version
        announced = nil
        return true
    }

    /// Processes the inbox from other threads.
    func takeInbox() {
        let (changes, left) = inbox.take()
        history.append(changes)
        for order in left { remove(order) }
    }

    /// Releases the version; observers keep theirs, to be notified of the difference.
    func invalidate() {
        guard !isCalling else { return }
        if write != nil { try? cancelWrite() }
        current = nil
        announced = nil
        trim()
        inbox.wake()
    }

    /// Releases the version, if nothing depends on it yet.
    func rest() {
        guard !isCalling, write == nil, observers.isEmpty, subscribers.isEmpty else { return }
        current = nil
        trim()
    }

    /// Adopts a version that another instance has, if this one has none and no observer must be notified of the
    /// difference from another.
    func begin(at snapshot: any Snapshot) throws {
        guard current == nil, write == nil, observers.isEmpty, subscribers.isEmpty else { return }
        takeInbox()
        if snapshot.version < history.end {
            // The changes after that version may have been dropped.
            let newest = try store.snapshot().version
            let missed = try store.changes(after: snapshot.version)
            history = ChangeHistory(from: snapshot.version)
            history.append(missed ?? [ChangeSet(version: newest, schemaChanged: true)])
        }
        try move(to: snapshot)
        inbox.wake()
    }

    /// Drops changes that no observer will need.
    func trim() {
        guard !isCalling else { return }
        if !observers.hasViews { known = nil }
        let versions = [known?.version, current?.version, observers.oldestBaseline]
        history.trim(upTo: versions.compactMap { $0 }.min() ?? history.end)
    }

    // MARK: Turns

    /// The scheduler's turn, requested when a commit, a prepared view or an invalidated token arrives.
    func turn() {
        takeInbox()
        guard !isCalling else {
            missedTurn = true
            return
        }
        // The end of the write requests another turn.
        guard write == nil, finishCommit(waiting: false) else { return }
        let limit = nextOrder
        do {
            if autorefresh || current == nil && !(observers.isEmpty && subscribers.isEmpty) {
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

    /// Waits for views in preparation, moves to the newest version, and calls the observers. Returns false within a
    /// write and within a block, and when there is nothing newer.
    func refresh() throws -> Bool {
        guard write == nil, !isCalling else { return false }
        finishCommit(waiting: true)
        let limit = nextOrder
        for view in observers.views.values {
            if case .preparing(let preparation) = view.stage { preparation.finish() }
        }
        let hasMoved = try moveToNewest()
        if hasMoved, movedOn { ring(.didChange) }
        callObservers(newBefore: limit)
        trim()
        return hasMoved
    }
}
