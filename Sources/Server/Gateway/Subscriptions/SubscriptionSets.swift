import Dispatch
import HTTPServer
import Logging
import ObjectCoding
import ObjectModel
import Synchronization
import WireProtocol

/// The subscription sets of all clients. A set without a stream and without requests is deleted after a while.
final class SubscriptionSets: Sendable {
    private let sets: Mutex<[SubscriptionSetID: SubscriptionSet]>
    private let file: SubscriptionFile?
    private let settings: LiveConfiguration
    private let logger: Logger
    private let queue = DispatchQueue(label: "realmgate.subscriptions")
    /// Sets rejected because their caller had too many.
    let limited = Atomic(0)

    /// The maximum length of a set's or a subscription's name in bytes.
    static let longestName = 128

    private var configuration: GatewayConfiguration { settings.value }

    init(_ settings: LiveConfiguration, _ logger: Logger) {
        self.settings = settings
        let configuration = settings.value
        self.logger = logger
        file = configuration.subscriptionFile.map { SubscriptionFile($0, logger) }
        let saved = file?.load(configuration.clock(), largest: configuration.largestSubscriptionSet) ?? []
        sets = Mutex(Dictionary(saved.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last }))
    }

    /// The present time.
    ///
    /// In milliseconds, as sets are saved: times reported to clients must not change with a restart.
    var now: Timestamp {
        let now = configuration.clock()
        return Timestamp(seconds: now.seconds, nanoseconds: now.nanoseconds - now.nanoseconds % 1_000_000) ?? now
    }

    /// Checks periodically for sets to delete, while this object exists.
    func expireRegularly() {
        let interval = min(max(configuration.subscriptionSetLifetime / 4, 1), 60)
        queue.asyncAfter(deadline: .now() + .seconds(interval)) { [weak self] in
            self?.expire()
            self?.expireRegularly()
        }
    }

    /// Deletes the sets that were not used for their lifetime.
    func expire() {
        let now = now
        let limit = Timestamp(seconds: now.seconds - Int64(configuration.subscriptionSetLifetime))
        let gone = sets.withLock { sets in
            let gone = sets.values.filter { $0.expire(unusedSince: limit) }
            for set in gone { sets[set.id] = nil }
            return gone
        }
        guard !gone.isEmpty else { return }
        for set in gone {
            logger.info("An unused subscription set was deleted.", metadata: ["set": "\(set.name)"])
        }
        save {}
    }

    /// Returns the owner's set with that name. Throws 404 if there is none.
    func existing(_ name: String, of owner: String?) throws(Problem) -> SubscriptionSet {
        guard let set = sets.withLock({ $0[SubscriptionSetID(owner, name)] }), set.touch(now) else {
            throw Problem(
                .subscriptionUnknownSet,
                "There is no subscription set '\(name)'. The first subscription creates it; it is deleted when it is not used."
            )
        }
        return set
    }

    /// Returns the owner's set with that name, and creates it if there is none. Throws 400 for invalid names, and 429
    /// if there are too many sets in total, or of the owner or, without an owner, of the account.
    func made(_ name: String, of owner: String?, for account: LimitKey) throws(Problem) -> SubscriptionSet {
        try Self.check(name, "set")
        expire()
        let now = now
        let id = SubscriptionSetID(owner, name)
        return try sets.withLock { sets throws(Problem) in
            if let set = sets[id], set.touch(now) { return set }
            guard sets.count < configuration.maximumSubscriptionSets else {
                throw Problem(
                    .subscriptionTooManySets,
                    "There are \(sets.count) subscription sets, which is the limit. Try again later.")
            }
            if let most = configuration.subscriptionSetsPerCaller {
                let own = sets.values.count { $0.id.owner == owner && (owner != nil || $0.account == account) }
                guard own < most else {
                    limited.add(1, ordering: .relaxed)
                    throw Problem(
                        .subscriptionSetsLimited,
                        "You have \(own) subscription sets, which is your limit (subscription.setsPerCaller). Use one of them for several queries, or stop using one: without a stream it is deleted after \(configuration.subscriptionSetLifetime) s."
                    )
                }
            }
            let set = SubscriptionSet(
                id, SubscriptionSet.State(revision: .revision(at: now), lastUse: now),
                largest: configuration.largestSubscriptionSet, for: account)
            sets[id] = set
            return set
        }
    }

    /// Throws 400 for a name that cannot be used in a path, or that has the form of an id.
    static func check(_ name: String, _ what: String) throws(Problem) {
        let isPrintable = name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        guard !name.isEmpty, name.utf8.count <= longestName, isPrintable, !name.hasPrefix(SubscriptionName.idPrefix),
            name != ".",
            name != ".."
        else {
            throw Problem(
                .subscriptionInvalidName,
                "The name of a \(what) has 1 to \(longestName) bytes, no control characters, no '$' at the beginning, and is neither '.' nor '..'."
            )
        }
    }

    /// Calls `action` once the present sets have been saved; at once if they are kept in memory only.
    func save(then action: @escaping @Sendable () -> Void) {
        guard let file else { return action() }
        file.save({ [self] in all }, then: action)
    }

    /// The number of sets.
    var count: Int { sets.withLock { $0.count } }

    private var all: [SubscriptionSet] { sets.withLock { $0.values.sorted { $0.id < $1.id } } }
}
