import Basics
import Dispatch
package import HTTPServer
import JSONCoding
package import ObjectCoding
package import ObjectModel
package import StoreContract
package import Synchronization

/// The snapshots of all callers, each with a lifetime. Their number is limited, because a snapshot retains disk space
/// that later versions no longer need.
///
/// The gateways of a log share theirs: each keeps those that any of them has made since it was started, and counts them.
package final class FrozenVersions: Sendable {
    private struct State {
        var versions: [String: FrozenVersion] = [:]
        /// The owners of the quotas of shared snapshots that are being made, by the ids of their pins.
        var pending: [[UInt8]: LimitKey] = [:]
    }

    private let state = Mutex(State())
    private let settings: LiveConfiguration
    private let queue = DispatchQueue(label: "realmgate.snapshots")
    /// Snapshots rejected because their caller had too many.
    package let limited = Atomic(0)

    init(_ settings: LiveConfiguration) { self.settings = settings }

    /// Releases expired snapshots every few seconds, while this object exists.
    func expireRegularly() {
        queue.asyncAfter(deadline: .now() + .seconds(5)) { [weak self] in
            self?.expire()
            self?.expireRegularly()
        }
    }

    /// Releases expired snapshots.
    package func expire() {
        let now = settings.now.clock()
        // Released outside of the lock, because releasing a version may take a while.
        _ = state.withLock { state in
            let over = state.versions.values.filter { $0.ends <= now }
            for version in over { state.versions[version.id] = nil }
            return over
        }
    }

    /// The number of snapshots.
    package var count: Int { state.withLock { $0.versions.count } }

    /// Retains a version for a number of seconds. Throws 429 if the caller has reached its limit, and 503 if the total
    /// limit is reached.
    package func keep(
        _ snapshot: any Snapshot, for seconds: Int, _ owner: FrozenVersion.Owner, on account: LimitKey
    ) throws(Problem) -> FrozenVersion {
        let expires = time(after: seconds)
        let frozen = FrozenVersion(
            id: Base64.url.encode(Self.newID()), snapshot: snapshot, owner: owner, account: account, expires: expires,
            ends: expires)
        try checkRoom(for: account) { $0.versions[frozen.id] = frozen }
        return frozen
    }

    /// The time in a number of seconds.
    private func time(after seconds: Int) -> Timestamp {
        let now = settings.now.clock()
        return Timestamp(seconds: now.seconds + Int64(seconds), nanoseconds: now.nanoseconds) ?? now
    }

    /// Calls `add` if there is room for one more snapshot. Throws as `keep` does.
    private func checkRoom(for account: LimitKey, _ add: @Sendable (inout State) -> Void) throws(Problem) {
        expire()
        let now = settings.now.clock()
        let (most, maximumOwn) = (settings.now.maximumSnapshots, settings.now.snapshotsPerCaller ?? .max)
        let isKept = try state.withLock { state throws(Problem) in
            let own = state.versions.values.filter { $0.account == account }
            guard own.count + state.pending.values.count(where: { $0 == account }) < maximumOwn else {
                limited.add(1, ordering: .relaxed)
                throw Self.limited(own, now)
            }
            guard state.versions.count + state.pending.count < most else { return false }
            add(&state)
            return true
        }
        guard isKept else {
            var problem = Problem(
                .snapshotTooMany,
                "There are \(most) snapshots, which is the limit. Delete one that is no longer needed, or wait until one expires."
            )
            problem.retryAfter = 5
            throw problem
        }
    }

    // MARK: Shared snapshots

    /// Hears of the snapshots of all gateways.
    func share(with versions: any SharedVersions) {
        versions.onPin { [weak self] event in self?.record(event) }
    }

    /// Has all gateways keep the next version, and calls `action` with what this one keeps. Throws as `keep` does.
    package func keepShared(
        in versions: any SharedVersions, for seconds: Int, _ owner: FrozenVersion.Owner, on account: LimitKey,
        then action: @escaping @Sendable (Result<FrozenVersion, any Error>) -> Void
    ) throws(Problem) {
        let id = Self.newID()
        try checkRoom(for: account) { $0.pending[id] = account }
        let pin = SnapshotPin(owner: owner, account: account, seconds: seconds, expires: time(after: seconds))
        versions.pin(VersionPin(id: id, note: pin.encoded)) { [self] result in
            // One that failed no longer counts when its caller hears of it, and may try again at once.
            state.withLock { $0.pending[id] = nil }
            action(
                result.flatMap { version -> Result<FrozenVersion, any Error> in
                    let known = state.withLock { $0.versions[Self.sharedID(id, version)] }
                    // It was passed on before this is called, and may have expired since.
                    return known.map { .success($0) }
                        ?? .failure(
                            Problem(.snapshotGone, "The snapshot expired while it was being made. Make another one."))
                })
        }
    }

    /// Has all gateways release a snapshot, this one before `action` is called without an error.
    package func dropShared(
        _ frozen: FrozenVersion, in versions: any SharedVersions,
        then action: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) {
        guard let id = Self.pinID(frozen.id) else { return action(.success(frozen.snapshot.version)) }
        versions.unpin(id, completion: action)
    }

    /// On the writer's thread.
    private func record(_ event: PinEvent) {
        switch event {
        case .pinned(let pin, let snapshot):
            // Another form is that of a later program, whose snapshots are only there.
            guard let note = SnapshotPin(pin.note) else { return }
            let id = Self.sharedID(pin.id, snapshot.version)
            let frozen = FrozenVersion(
                id: id, snapshot: snapshot, owner: note.owner, account: note.account, expires: note.expires,
                ends: time(after: note.seconds))
            state.withLock { state in
                state.pending[pin.id] = nil
                state.versions[id] = frozen
            }
        case .unpinned(let id):
            // Released outside of the lock.
            _ = state.withLock { state -> FrozenVersion? in
                guard let known = state.versions.keys.first(where: { Self.pinID($0) == id }) else { return nil }
                return state.versions.removeValue(forKey: known)
            }
        }
    }

    /// `VERSION.ID`: a gateway that does not have the version yet knows from it what to wait for.
    private static func sharedID(_ id: [UInt8], _ version: Version) -> String {
        "\(version.rawValue).\(Base64.url.encode(id))"
    }

    private static func pinID(_ id: String) -> [UInt8]? {
        let parts = id.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 ? Base64.url.decode(String(parts[1])) : nil
    }

    /// The version of a shared snapshot; nil for another text.
    static func version(of id: String) -> Version? {
        let parts = id.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 ? UInt64(parts[0]).map { Version($0) } : nil
    }

    private static func limited(_ own: [FrozenVersion], _ now: Timestamp) -> Problem {
        let first = own.map(\.expires).min() ?? now
        var problem = Problem(
            .snapshotLimited,
            "You have \(own.count) snapshots, which is your limit (snapshot.perCaller). Delete one that you no longer need with DELETE /v1/snapshots/{snapshot}, or wait until one expires."
        )
        problem.retryAfter = Int(clamping: max(first.seconds - now.seconds, 0) + 1)
        return problem
    }

    /// Returns the owner's snapshot with that id; nil if it does not exist or has expired.
    func find(_ id: String, of owner: FrozenVersion.Owner) -> FrozenVersion? {
        let now = settings.now.clock()
        guard let found = state.withLock({ $0.versions[id] }), found.owner == owner, found.ends > now else {
            return nil
        }
        return found
    }

    /// Releases a snapshot. Returns false if it does not exist.
    package func drop(_ id: String, of owner: FrozenVersion.Owner) -> Bool {
        guard find(id, of: owner) != nil else { return false }
        return state.withLock { $0.versions.removeValue(forKey: id) } != nil
    }

    /// Returns all snapshots of one owner or of all owners, oldest version first.
    package func all(of owner: FrozenVersion.Owner?) -> [FrozenVersion] {
        let now = settings.now.clock()
        return state.withLock { state in
            state.versions.values.filter { $0.ends > now && (owner == nil || $0.owner == owner) }
        }.sorted { ($0.snapshot.version, $0.expires, $0.id) < ($1.snapshot.version, $1.expires, $1.id) }
    }

    /// Returns an id that cannot be guessed: 128 bits from the system's cryptographic generator.
    private static func newID() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
