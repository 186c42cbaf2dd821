package import ObjectModel
package import StoreContract

/// A store as one thread, serial queue or actor sees it: at one version, which changes only there, between turns or on
/// request. Observers registered with it are called there.
///
/// It may be passed around, but is used on its scheduler: all throwing methods throw `incorrectThread` elsewhere. Its
/// tokens keep it alive.
package final class LiveInstance: Sendable {
    let hub: InstanceHub
    package let scheduler: any LiveScheduler
    let inbox: InstanceInbox
    private let core: Confined<InstanceCore>
    /// Its count increases when the instance moves from one version to another, or releases its version. It does not
    /// apply to a frozen instance.
    package let reads: ReadEpochHolder
    /// The fixed version of a frozen instance, usable on any thread.
    private let frozen: (any Snapshot)?

    init(_ hub: InstanceHub, _ scheduler: any LiveScheduler, _ inbox: InstanceInbox, at snapshot: any Snapshot) {
        self.hub = hub
        self.scheduler = scheduler
        self.inbox = inbox
        reads = ReadEpochHolder(scheduler.mark)
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

    /// Whether the calling code may use the instance: it runs on its scheduler, or the instance is frozen.
    package var isConfinedHere: Bool {
        frozen != nil || reads.epoch.pointee.isCertainlyHere || scheduler.isCurrent
    }

    /// Throws `incorrectThread`.
    package func checkConfinement() throws {
        guard isConfinedHere else { throw InstanceError.incorrectThread }
    }

    func enter<R>(_ body: (InstanceCore) throws -> R) throws -> R { try core.enter(body) }

    /// The store at the instance's version. In a write, `transaction` includes its changes.
    package var snapshot: any Snapshot {
        get throws { try frozen ?? enter { try $0.snapshot() } }
    }

    package var version: Version {
        get throws { try snapshot.version }
    }

    /// The number of views kept for observers, for tests.
    package var viewCount: Int {
        get throws { try enter { $0.observers.views.count } }
    }

    // MARK: Frozen instances

    package var isFrozen: Bool { frozen != nil }

    /// An instance that stays at the present version, and is used on any thread.
    package func freeze() throws -> LiveInstance { try LiveInstance(freezing: self, at: snapshot) }

    // MARK: Versions

    /// Whether the instance moves to versions that others commit between turns; initially true. Otherwise they wait
    /// for `refresh` or `beginWrite`; the instance's own commits are still reported, and first calls are made.
    package var autorefresh: Bool {
        get throws { try isFrozen ? false : enter { $0.autorefresh } }
    }

    /// See `autorefresh`. Throws `frozen` when it is turned on for a frozen instance.
    package func setAutorefresh(_ isOn: Bool) throws {
        guard !isFrozen else {
            if isOn { throw InstanceError.frozenStays }
            return
        }
        try enter { $0.autorefresh = isOn }
    }

    /// Moves to the newest version and calls the observers before it returns, also for the first time: waits for views
    /// in preparation. Returns whether the version changed; false, with nothing done, within a write or within an
    /// observer's block, and for a frozen instance. Throws `readOnly`.
    @discardableResult
    package func refresh() throws -> Bool {
        if isFrozen { return false }
        if hub.isReadOnly { throw InstanceError.readOnlyStays }
        return try enter { try $0.refresh() }
    }

    /// Cancels an open write and releases the version; the next access or turn takes the newest one. Observers stay
    /// registered, pin the version that they last saw, and are notified of the difference. Does nothing within an
    /// observer's block.
    package func invalidate() throws {
        guard !isFrozen else { return }
        try enter { $0.invalidate() }
    }

    /// Releases the version that the instance was created with: the first access takes the newest one. Does nothing
    /// when there are observers, or an open write.
    package func rest() throws {
        guard !isFrozen else { return }
        try enter { $0.rest() }
    }

    /// Adopts a version of the same store, which may be older than the newest; does nothing when the instance already
    /// has a version.
    package func begin(at snapshot: any Snapshot) throws {
        guard !isFrozen else { return }
        try enter { try $0.begin(at: snapshot) }
    }

    func turn() {
        // Elsewhere than on its scheduler nothing can be done: that would be the scheduler's fault.
        try? enter { $0.turn() }
    }

    func forget(_ order: Int) { inbox.leave(order) }
}
