import Basics
import Dispatch
import HTTPServer
import Logging
import ObjectModel
import StoreContract
import Synchronization

/// What a gateway knows of the sets of all gateways of a log.
final class SharedSets: Sendable {
    let records: any RecordStore
    /// The name of this gateway in records.
    let gateway: String
    private let state = Mutex(State())
    let isRefreshScheduled = Atomic(false)

    private struct State {
        /// The last known revision of each record, and since when it is known, by this gateway's clock.
        var seen: [String: (revision: Int64, since: Timestamp)] = [:]
        /// When sets that are in use were last marked so.
        var told: Timestamp?
    }

    init(_ records: any RecordStore) {
        self.records = records
        var generator = SystemRandomNumberGenerator()
        gateway = Base64.url.encode((0..<12).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// The number of sets at the last look.
    var count: Int { state.withLock { $0.seen.count } }

    /// Notes the revisions of all records. Returns those that have not changed since `limit`, which nobody uses.
    func record(_ revisions: [String: Int64], _ now: Timestamp, unusedSince limit: Timestamp) -> [String: Int64] {
        state.withLock { state in
            state.seen = state.seen.filter { revisions[$0.key] != nil }
            var unused: [String: Int64] = [:]
            for (name, revision) in revisions {
                if let known = state.seen[name], known.revision == revision {
                    if known.since < limit { unused[name] = revision }
                } else {
                    state.seen[name] = (revision, now)
                }
            }
            return unused
        }
    }

    /// Whether sets in use are to be marked so again, after a number of seconds.
    func mustTell(_ now: Timestamp, after seconds: Int) -> Bool {
        state.withLock { state in
            guard let told = state.told, now.seconds - told.seconds < Int64(seconds), now >= told else {
                state.told = now
                return true
            }
            return false
        }
    }
}

/// Clocks of gateways may differ. So a record has no time of its last use: a gateway that uses a set changes its record
/// now and then, and each deletes the records that it has not seen change for the lifetime of sets.
extension SubscriptionSets {
    /// Returns the set as the log has it; nil when there is none.
    func existing(_ id: SubscriptionSetID, _ shared: SharedSets) throws -> SubscriptionSet? {
        let set = sets.withLock { $0[id] } ?? newSet(id, nil, shared)
        guard let record = set.record, try set.refresh(from: record) else { return nil }
        return kept(set)
    }

    /// Returns the set, which the log has after its first change.
    func made(_ id: SubscriptionSetID, for account: LimitKey, _ shared: SharedSets) throws -> SubscriptionSet {
        if let set = try existing(id, shared), set.touch(now) { return set }
        let all = try shared.records.recordRevisions(prefix: SetRecord.prefix)
        let prefix = SetRecord.prefix(ofOwner: id.owner)
        // The accounts of callers without identity are known only of sets that were made here.
        let own =
            id.owner == nil
            ? sets.withLock { $0.values.count { $0.id.owner == nil && $0.account == account } }
            : all.keys.count { $0.hasPrefix(prefix) }
        try checkRoom(own: own, of: all.count)
        let set = kept(newSet(id, account, shared))
        return set.touch(now) ? set : try made(id, for: account, shared)
    }

    private func newSet(_ id: SubscriptionSetID, _ account: LimitKey?, _ shared: SharedSets) -> SubscriptionSet {
        SubscriptionSet(
            id, SetContent(revision: .revision(at: now)), lastUse: now, largest: settings.maximumSubscriptions,
            for: account, in: SetRecord(of: id, in: shared.records, gateway: shared.gateway))
    }

    /// Keeps the set; returns the one that is kept already, if there is one.
    private func kept(_ set: SubscriptionSet) -> SubscriptionSet {
        sets.withLock { sets in
            if let present = sets[set.id], !present.current.isGone { return present }
            sets[set.id] = set
            return set
        }
    }

    /// Marks the sets in use, deletes those that no gateway uses, and forgets those that are used elsewhere. Blocks.
    func expire(_ shared: SharedSets) {
        let now = now
        let lifetime = settings.lifetime
        let present = sets.withLock { Array($0.values) }
        do {
            if shared.mustTell(now, after: max(lifetime / 4, 1)) { for set in present { try set.tellUse() } }
            let limit = Timestamp(seconds: now.seconds - Int64(lifetime))
            let revisions = try shared.records.recordRevisions(prefix: SetRecord.prefix)
            for (name, revision) in shared.record(revisions, now, unusedSince: limit)
            where try shared.records.deleteRecord(name, at: revision) {
                logger.info("An unused subscription set was deleted.", metadata: ["set": "\(name)"])
            }
        } catch {
            // The log is away: nothing expires until it is back.
            logger.debug("Subscription sets were not looked after.", metadata: ["error": "\(error)"])
        }
        let limit = Timestamp(seconds: now.seconds - Int64(max(lifetime / 2, 1)))
        sets.withLock { sets in
            for set in present where sets[set.id] === set && set.expire(unusedSince: limit) { sets[set.id] = nil }
        }
    }

    /// Looks for what other gateways do to the sets that have streams here: on a hint, and once a second.
    package func watch() {
        guard let shared else { return }
        shared.records.onRecordHint { [weak self] in self?.lookSoon(shared, after: .milliseconds(5)) }
        lookRegularly(shared)
    }

    private func lookRegularly(_ shared: SharedSets) {
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            self?.refresh(shared)
            self?.lookRegularly(shared)
        }
    }

    /// One look serves all hints of a few milliseconds.
    private func lookSoon(_ shared: SharedSets, after time: DispatchTimeInterval) {
        guard shared.isRefreshScheduled.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
        else {
            return
        }
        queue.asyncAfter(deadline: .now() + time) { [weak self] in
            shared.isRefreshScheduled.store(false, ordering: .relaxed)
            self?.refresh(shared)
        }
    }

    private func refresh(_ shared: SharedSets) {
        let watched = sets.withLock { Array($0.values) }.filter { !$0.current.streams.isEmpty }
        // The next refresh is in a second.
        guard !watched.isEmpty,
            let revisions = try? shared.records.recordRevisions(of: watched.compactMap { $0.record?.name })
        else { return }
        for set in watched {
            guard let record = set.record else { continue }
            if revisions[record.name] != set.current.recordRevision { _ = try? set.refresh(from: record) }
            set.obey()
        }
    }

    /// Lets another gateway know that a set has no streams here any more. A failure only delays barriers.
    package func release(_ set: SubscriptionSet) {
        guard shared != nil else { return }
        queue.async { try? set.release() }
    }
}
