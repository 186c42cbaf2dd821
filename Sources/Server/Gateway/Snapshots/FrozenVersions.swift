import Dispatch
import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import StoreContract
import Synchronization

/// The snapshots of all callers, each with a lifetime. Their number is limited, because a snapshot retains disk space
/// that later versions no longer need.
final class FrozenVersions: Sendable {
    private let versions = Mutex<[String: FrozenVersion]>([:])
    private let settings: LiveConfiguration
    private let queue = DispatchQueue(label: "realmgate.snapshots")
    /// Snapshots rejected because their caller had too many.
    let limited = Atomic(0)

    private var configuration: GatewayConfiguration { settings.value }

    init(_ settings: LiveConfiguration) { self.settings = settings }

    /// Releases expired snapshots every few seconds, while this object exists.
    func expireRegularly() {
        queue.asyncAfter(deadline: .now() + .seconds(5)) { [weak self] in
            self?.expire()
            self?.expireRegularly()
        }
    }

    /// Releases expired snapshots.
    func expire() {
        let now = configuration.clock()
        // Released outside of the lock, because releasing a version may take a while.
        _ = versions.withLock { versions in
            let over = versions.values.filter { $0.expires <= now }
            for version in over { versions[version.id] = nil }
            return over
        }
    }

    /// The number of snapshots.
    var count: Int { versions.withLock { $0.count } }

    /// Retains a version for a number of seconds. Throws 429 if the caller has reached its limit, and 503 if the total
    /// limit is reached.
    func keep(
        _ snapshot: any Snapshot, for seconds: Int, _ owner: FrozenVersion.Owner, on account: LimitKey
    ) throws(Problem) -> FrozenVersion {
        expire()
        let now = configuration.clock()
        let frozen = FrozenVersion(
            id: Self.newID(), snapshot: snapshot, owner: owner, account: account,
            expires: Timestamp(seconds: now.seconds + Int64(seconds), nanoseconds: now.nanoseconds) ?? now)
        let (most, mostOwn) = (configuration.maximumSnapshots, configuration.snapshotsPerCaller ?? .max)
        let isKept = try versions.withLock { versions throws(Problem) in
            let own = versions.values.filter { $0.account == account }
            guard own.count < mostOwn else {
                limited.add(1, ordering: .relaxed)
                throw Self.limited(own, now)
            }
            guard versions.count < most else { return false }
            versions[frozen.id] = frozen
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
        return frozen
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
        let now = configuration.clock()
        guard let found = versions.withLock({ $0[id] }), found.owner == owner, found.expires > now else { return nil }
        return found
    }

    /// Releases a snapshot. Returns false if it does not exist.
    func drop(_ id: String, of owner: FrozenVersion.Owner) -> Bool {
        guard find(id, of: owner) != nil else { return false }
        return versions.withLock { $0.removeValue(forKey: id) } != nil
    }

    /// Returns all snapshots of one owner or of all owners, oldest version first.
    func all(of owner: FrozenVersion.Owner?) -> [FrozenVersion] {
        let now = configuration.clock()
        return versions.withLock { versions in
            versions.values.filter { $0.expires > now && (owner == nil || $0.owner == owner) }
        }.sorted { ($0.snapshot.version, $0.expires, $0.id) < ($1.snapshot.version, $1.expires, $1.id) }
    }

    /// Returns an id that cannot be guessed: 128 bits from the system's cryptographic generator.
    private static func newID() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64.url.encode((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
