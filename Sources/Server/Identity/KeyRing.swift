package import Logging
package import ObjectModel
import Synchronization

/// The API keys of a server, in a file that the command line may write at the same time.
///
/// A key is `rg_`, its id, `_` and 43 random letters and digits; only the SHA-256 of it is kept. It is looked up by its
/// id and compared in constant time. What another process wrote is seen within a second, and at once by a key that was
/// unknown.
package final class KeyRing: Sendable {
    /// What every key begins with, so that one that leaked is recognised.
    package static let prefix = "rg_"
    /// The id of the key that was given at the start.
    package static let initialKey = "initial"
    /// The fewest characters that a key given at the start may have.
    package static let shortestInitialKey = 32
    /// Most keys, those taken back included.
    static let limit = 10_000
    /// How long a key that was taken back stays in the list, in seconds.
    static let memory: Int64 = 90 * 86_400
    /// Seconds that the time of the last use may lag behind on disk.
    static let useLag: Int64 = 600

    private struct State {
        var keys: [String: APIKey] = [:]
        var stamp: FileStamp?
        /// Uses that are not in the file yet.
        var uses: [String: Timestamp] = [:]
        var wasUsed = false
        var fault: String?

        mutating func adopt(_ keys: [APIKey]) {
            self.keys = Dictionary(keys.map { ($0.id, $0) }) { _, last in last }
            if !keys.isEmpty { wasUsed = true }
        }

        func withUse(_ key: APIKey) -> APIKey {
            var key = key
            if let use = uses[key.id] { key.lastUsed = max(use, key.lastUsed ?? use) }
            return key
        }
    }

    private let file: KeyFile?
    private let initial: (hash: [UInt8], role: String)?
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - path: the file, which need not be there.
    ///   - initialKey: a key that is good besides those of the file, and is never written. It gives the role `admin`.
    /// - Throws: when the file is there and cannot be read.
    package init(
        path: String, initialKey: String? = nil, clock: @escaping @Sendable () -> Timestamp = { .now() },
        logger: Logger = Logger(label: "keys")
    ) throws(IdentityError) {
        let file = KeyFile(path: path)
        self.file = file
        initial = try Self.initial(initialKey)
        self.clock = clock
        self.logger = logger
        let stamp = file.stamp
        let keys = try file.read()
        state.withLock {
            $0.stamp = stamp
            $0.adopt(keys)
        }
    }

    /// Keys in memory only, besides one that is good for the role `admin`. Throws when that is too short.
    package init(
        initialKey: String?, clock: @escaping @Sendable () -> Timestamp = { .now() },
        logger: Logger = Logger(label: "keys")
    ) throws(IdentityError) {
        file = nil
        initial = try Self.initial(initialKey)
        self.clock = clock
        self.logger = logger
    }

    private static func initial(_ key: String?) throws(IdentityError) -> (hash: [UInt8], role: String)? {
        guard let key else { return nil }
        guard key.count >= shortestInitialKey else {
            throw IdentityError(
                "The administrator's key has \(key.count) characters; it must have at least "
                    + "\(shortestInitialKey), random ones.")
        }
        return (Secret.hash(key), "admin")
    }

    /// Keys in memory only.
    package init(clock: @escaping @Sendable () -> Timestamp = { .now() }) {
        file = nil
        initial = nil
        self.clock = clock
        logger = Logger(label: "keys")
    }

    /// Whether there is a key, or was one: from then on callers must show one.
    package var isInUse: Bool { initial != nil || state.withLock { $0.wasUsed } }

    /// All keys in the order made, those taken back lately included.
    package var keys: [APIKey] {
        state.withLock { state in
            state.keys.values.map { state.withUse($0) }.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
        }
    }

    package func key(_ id: String) -> APIKey? {
        state.withLock { state in state.keys[id].map { state.withUse($0) } }
    }

    /// Makes a key. The secret is given here and never again.
    package func create(_ details: APIKey.Details) throws(IdentityError) -> (key: APIKey, secret: String) {
        let id = Secret.random(8)
        let secret = "\(Self.prefix)\(id)_\(Secret.random(43))"
        let now = clock()
        let key = APIKey(id: id, details: details, created: now, hash: Secret.hash(secret))
        try update { (keys: inout [APIKey]) throws(IdentityError) in
            keys.removeAll { $0.revoked.map { $0.seconds < now.seconds - Self.memory } ?? false }
            guard keys.count < Self.limit else {
                throw IdentityError("There are \(Self.limit) keys, which is as many as there may be.")
            }
            keys.append(key)
        }
        return (key, secret)
    }

    /// Takes a key back for good; nothing changes for one that was taken back before. Nil when there is none of that
    /// id.
    package func revoke(_ id: String) throws(IdentityError) -> APIKey? {
        // Nothing is written for an id that nobody has.
        try refresh()
        guard let known = key(id) else { return nil }
        guard known.revoked == nil else { return known }
        let now = clock()
        return try update { (keys: inout [APIKey]) throws(IdentityError) in
            guard let index = keys.firstIndex(where: { $0.id == id }) else { return nil }
            if keys[index].revoked == nil { keys[index].revoked = now }
            return keys[index]
        }
    }

    /// Who shows this secret. Cost: a hash and a lock; for a key that is unknown a look at the file as well.
    package func principal(of secret: String) throws(CredentialFault) -> Principal {
        let hash = Secret.hash(secret)
        if let initial, Secret.areEqual(initial.hash, hash) {
            return Principal(credential: .key(Self.initialKey), roles: [initial.role])
        }
        guard let id = Self.id(in: secret) else { throw .invalid }
        if key(id) == nil { refreshOrLog() }
        let now = clock()
        guard let key = key(id), Secret.areEqual(key.hash, hash), key.revoked == nil else { throw .invalid }
        guard !key.isExpired(at: now) else { throw .expired }
        state.withLock { $0.uses[id] = now }
        return key.principal
    }

    /// Whether a key that was good is good still.
    package func isValid(_ id: String) -> Bool {
        if id == Self.initialKey { return initial != nil }
        guard let key = key(id) else { return false }
        return key.revoked == nil && !key.isExpired(at: clock())
    }

    /// Reads the file again if it was written since, and says whether other keys are good than before.
    @discardableResult
    package func refresh() throws(IdentityError) -> Bool {
        guard let file else { return false }
        let stamp = file.stamp
        guard state.withLock({ $0.stamp != stamp }) else { return false }
        let keys = try file.read()
        return state.withLock { state in
            let before = state.keys.values.filter { $0.revoked == nil }.map(\.id)
            state.adopt(keys)
            state.stamp = stamp
            state.fault = nil
            return Set(before) != Set(state.keys.values.filter { $0.revoked == nil }.map(\.id))
        }
    }

    /// As `refresh`; a file that cannot be read is logged once, and the keys stay as they are.
    @discardableResult
    package func refreshOrLog() -> Bool {
        do {
            return try refresh()
        } catch {
            let isNews = state.withLock { state in
                defer { state.fault = error.description }
                return state.fault != error.description
            }
            if isNews { logger.error("The keys stay as they were.", metadata: ["error": "\(error)"]) }
            return false
        }
    }

    /// Writes down when keys were used, for those where the file lags behind by more than ten minutes. Called now and
    /// then; a fault is of no consequence.
    package func saveUses() {
        let late = state.withLock { state in
            state.uses.contains { id, use in
                state.keys[id].map { $0.lastUsed.map { $0.seconds + Self.useLag < use.seconds } ?? true } ?? false
            }
        }
        guard late, file != nil else { return }
        let uses = state.withLock { $0.uses }
        try? update { (keys: inout [APIKey]) throws(IdentityError) in
            for index in keys.indices {
                if let use = uses[keys[index].id] { keys[index].lastUsed = max(use, keys[index].lastUsed ?? use) }
            }
        }
        state.withLock { $0.uses = [:] }
    }

    private func update<R>(_ change: (inout [APIKey]) throws(IdentityError) -> R) throws(IdentityError) -> R {
        guard let file else {
            return try state.withLock { state throws(IdentityError) in
                var keys = Array(state.keys.values)
                let result = try change(&keys)
                state.adopt(keys)
                return result
            }
        }
        let (result, keys) = try file.update(change)
        // Without the stamp: whoever wrote meanwhile is seen at the next look.
        state.withLock { $0.adopt(keys) }
        return result
    }

    /// The id in a text of the form of a key.
    private static func id(in secret: String) -> String? {
        let parts = secret.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "rg", parts[1].count == 8, parts[2].count == 43 else { return nil }
        return String(parts[1])
    }
}
