package import ObjectModel
package import StoreContract

/// A store as one thread, serial queue or actor sees it: at one version, which changes only there, between turns or
/// when asked to. What is observed through it is told there.
///
/// It may be passed around, but is used on its scheduler: everything that throws does so with `incorrectThread`
/// elsewhere. Its tokens keep it alive.
package final class LiveInstance: Sendable {
    let hub: InstanceHub
    package let scheduler: any LiveScheduler
    let inbox: InstanceInbox
    private let core: Confined<InstanceCore>
    /// Its count rises when the instance goes from one version to another, or gives its version up. For reads of what a
    /// frozen instance shows it says nothing.
    package let reads: ReadEpochHolder
    /// What a frozen instance shows for good, on any thread.
    private let frozen: (any Snapshot)?

    init(_ hub: InstanceHub, _ scheduler: any LiveScheduler, _ inbox: InstanceInbox, at snapshot: any Snapshot) {
        self.hub = hub
        self.scheduler = scheduler
        self.inbox = inbox
        reads = ReadEpochHolder(thread: scheduler.threadMark)
        core = Confined(scheduler, InstanceCore(hub.store, inbox, at: snapshot, reads))
        frozen = nil
        inbox.attach(self)
    }

    private init(freezing instance: LiveInstance, at snapshot: any Snapshot) {
        hub = instance.hub
        scheduler = instance.scheduler
        inbox = instance.inbox
        core = instance.core
        reads = ReadEpochHolder()
        frozen = snapshot
    }

    /// Whether the calling code may use the instance: runs on its scheduler, or the instance is frozen.
    package var isConfinedHere: Bool { frozen != nil || scheduler.isCurrent }

    /// Throws `incorrectThread`.
    package func checkConfinement() throws {
        guard isConfinedHere else { throw InstanceError.incorrectThread }
    }

    func enter<R>(_ body: (InstanceCore) throws -> R) throws -> R { try core.enter(body) }

    /// The store at the instance's version. In a write, `transaction` shows more.
    package var snapshot: any Snapshot {
        get throws { try frozen ?? enter { try $0.snapshot() } }
    }

    package var version: Version {
        get throws { try snapshot.version }
    }

    // MARK: Frozen instances

    package var isFrozen: Bool { frozen != nil }

    /// An instance that stays at the present version, and is used on any thread.
    package func freeze() throws -> LiveInstance { try LiveInstance(freezing: self, at: snapshot) }

    // MARK: Moving on

    /// Whether versions that others commit are taken up between turns, as is so at first. Otherwise they wait for
    /// `refresh` or `beginWrite`; commits of the instance itself are told all the same, and first calls are made.
    package var autorefresh: Bool {
        get throws { try isFrozen ? false : enter { $0.autorefresh } }
    }

    /// See `autorefresh`. Throws `frozen` when a frozen instance is to be refreshed.
    package func setAutorefresh(_ isOn: Bool) throws {
        guard !isFrozen else {
            if isOn { throw InstanceError.frozenStays }
            return
        }
        try enter { $0.autorefresh = isOn }
    }

    /// Moves to the newest version and calls the observers before it returns, also for the first time: waits for
    /// what is being prepared in the background. Says whether the version changed; false, with nothing done, within a
    /// write or within an observer's block, and of a frozen instance. Throws `readOnly`.
    @discardableResult
    package func refresh() throws -> Bool {
        if isFrozen { return false }
        if hub.isReadOnly { throw InstanceError.readOnlyStays }
        return try enter { try $0.refresh() }
    }

    /// Cancels an open write and gives up the version; the next access or turn looks at the newest one. Observers stay
    /// registered, keep the version that they know of from being reused, and are told the difference. Does nothing
    /// within an observer's block.
    package func invalidate() throws {
        guard !isFrozen else { return }
        try enter { $0.invalidate() }
    }

    /// Gives up the version that the instance was made with: the first access looks at the newest one. Does nothing when
    /// somebody observes, or writes.
    package func rest() throws {
        guard !isFrozen else { return }
        try enter { $0.rest() }
    }

    /// Takes up a version of the same store, which may be an older one than the newest; does nothing when the instance has
    /// a version already.
    package func begin(at snapshot: any Snapshot) throws {
        guard !isFrozen else { return }
        try enter { try $0.begin(at: snapshot) }
    }

    func turn() {
        // Elsewhere than on its scheduler there is nothing to be done: that would be the scheduler's fault.
        try? enter { $0.turn() }
    }

    func forget(_ order: Int) { inbox.leave(order) }
}
