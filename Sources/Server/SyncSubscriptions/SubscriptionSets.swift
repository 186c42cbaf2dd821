import Dispatch
package import HTTPServer
package import Logging
package import ObjectCoding
package import ObjectModel
package import StoreContract
package import Synchronization
import WireProtocol

/// The subscription sets of all clients. A set without a stream and without requests is deleted after a while.
///
/// The gateways of a log share theirs, as records of the log: this is then what this gateway knows of them, and most
/// functions block. See `SubscriptionSets+Sharing.swift`.
package final class SubscriptionSets: Sendable {
    let sets: Mutex<[SubscriptionSetID: SubscriptionSet]>
    private let file: SubscriptionFile?
    /// The sets of all gateways; nil for sets of this gateway.
    let shared: SharedSets?
    private let present: @Sendable () -> SubscriptionSettings
    let logger: Logger
    let queue = DispatchQueue(label: "realmgate.subscriptions")
    /// Sets rejected because their caller had too many.
    package let limited = Atomic(0)

    /// The maximum length of a set's or a subscription's name in bytes.
    static let maximumNameLength = 128

    var settings: SubscriptionSettings { present() }

    /// - Parameters:
    ///   - present: returns the present settings; `file` counts once, here.
    ///   - records: where gateways share sets, if they do.
    package init(
        _ present: @escaping @Sendable () -> SubscriptionSettings, _ logger: Logger, _ records: (any RecordStore)? = nil
    ) {
        self.present = present
        let settings = present()
        self.logger = logger
        shared = records.map { SharedSets($0) }
        file = records == nil ? settings.file.map { SubscriptionFile($0, logger) } : nil
        let saved = file?.load(settings.clock(), largest: settings.maximumSubscriptions) ?? []
        sets = Mutex(Dictionary(saved.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last }))
    }

    /// Whether other gateways have the same sets; then most functions block.
    package var areShared: Bool { shared != nil }

    /// The present time.
    ///
    /// In milliseconds, as sets are saved: times reported to clients must not change with a restart.
    package var now: Timestamp {
        let now = settings.clock()
        return Timestamp(seconds: now.seconds, nanoseconds: now.nanoseconds - now.nanoseconds % 1_000_000) ?? now
    }

    /// Checks periodically for sets to delete, while this object exists.
    package func expireRegularly() {
        let interval = min(max(settings.lifetime / 4, 1), 60)
        queue.asyncAfter(deadline: .now() + .seconds(interval)) { [weak self] in
            self?.expire()
            self?.expireRegularly()
        }
    }

    /// Deletes the sets that were not used for their lifetime.
    package func expire() {
        if let shared { return expire(shared) }
        let now = now
        let limit = Timestamp(seconds: now.seconds - Int64(settings.lifetime))
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
    package func existing(_ name: String, of owner: String?) throws -> SubscriptionSet {
        let id = SubscriptionSetID(owner, name)
        let found = try shared.map { try existing(id, $0) } ?? sets.withLock { $0[id] }
        guard let found, found.touch(now) else {
            throw Problem(
                .subscriptionUnknownSet,
                "There is no subscription set '\(name)'. The first subscription creates it; it is deleted when it is not used."
            )
        }
        return found
    }

    /// Returns the owner's set with that name, and creates it if there is none. Throws 400 for invalid names, and 429
    /// if there are too many sets in total, or of the owner or, without an owner, of the account.
    package func made(_ name: String, of owner: String?, for account: LimitKey) throws -> SubscriptionSet {
        try Self.check(name, "set")
        let id = SubscriptionSetID(owner, name)
        if let shared { return try made(id, for: account, shared) }
        expire()
        let now = now
        return try sets.withLock { sets throws(Problem) in
            if let set = sets[id], set.touch(now) { return set }
            let own = sets.values.count { $0.id.owner == owner && (owner != nil || $0.account == account) }
            try checkRoom(own: own, of: sets.count)
            let set = SubscriptionSet(
                id, SetContent(revision: .revision(at: now)), lastUse: now,
                largest: settings.maximumSubscriptions, for: account)
            sets[id] = set
            return set
        }
    }

    /// Throws 429 if there may be no more sets, of all callers or of one.
    func checkRoom(own: Int, of all: Int) throws(Problem) {
        guard all < settings.maximumSets else {
            throw Problem(
                .subscriptionTooManySets, "There are \(all) subscription sets, which is the limit. Try again later.")
        }
        guard let most = settings.setsPerCaller, own >= most else { return }
        limited.add(1, ordering: .relaxed)
        throw Problem(
            .subscriptionSetsLimited,
            "You have \(own) subscription sets, which is your limit (subscription.setsPerCaller). Use one of them for several queries, or stop using one: without a stream it is deleted after \(settings.lifetime) s."
        )
    }

    /// Throws 400 for a name that cannot be used in a path, or that has the form of an id.
    package static func check(_ name: String, _ what: String) throws(Problem) {
        let isPrintable = name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        guard !name.isEmpty, name.utf8.count <= maximumNameLength, isPrintable,
            !name.hasPrefix(SubscriptionName.idPrefix),
            name != ".",
            name != ".."
        else {
            throw Problem(
                .subscriptionInvalidName,
                "The name of a \(what) has 1 to \(maximumNameLength) bytes, no control characters, no '$' at the beginning, and is neither '.' nor '..'."
            )
        }
    }

    /// Calls `action` once the present sets have been saved; at once if they are kept in memory only.
    package func save(then action: @escaping @Sendable () -> Void) {
        guard let file else { return action() }
        file.save({ [self] in all }, then: action)
    }

    /// The number of sets; of shared ones, the number at the last look.
    package var count: Int { max(shared?.count ?? 0, sets.withLock { $0.count }) }

    private var all: [SubscriptionSet] { sets.withLock { $0.values.sorted { $0.id < $1.id } } }
}

/// The settings of subscription sets.
package struct SubscriptionSettings: Sendable {
    /// The file in which sets survive a restart. Nil to keep them in memory only.
    let file: String?
    /// The time in seconds after which a set without streams and requests is deleted.
    let lifetime: Int
    /// The maximum number of sets.
    let maximumSets: Int
    /// The maximum number of sets of one caller; nil for no limit.
    let setsPerCaller: Int?
    /// The maximum number of subscriptions in a set.
    let maximumSubscriptions: Int
    /// Returns the time of day.
    let clock: @Sendable () -> Timestamp

    package init(
        file: String?, lifetime: Int, maximumSets: Int, setsPerCaller: Int?, maximumSubscriptions: Int,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.file = file
        self.lifetime = lifetime
        self.maximumSets = maximumSets
        self.setsPerCaller = setsPerCaller
        self.maximumSubscriptions = maximumSubscriptions
        self.clock = clock
    }
}
