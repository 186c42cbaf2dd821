import Cryptography
package import Logging
package import ObjectModel
import Synchronization

/// The API keys of a server, in a document that the command line and other servers can change at the same time.
///
/// A key consists of `rg_`, its id, `_` and 43 random letters and digits; only its SHA-256 is stored. It is looked up
/// by its id and compared in constant time. Changes by another process take effect within a second, and a new key at
/// once.
package final class KeyRing: Sendable {
    /// The prefix of every key, by which a leaked one is recognised.
    package static let prefix = "rg_"
    /// The id of the initial key.
    package static let initialKey = "initial"
    /// The minimum length of the initial key.
    package static let shortestInitialKey = 32
    /// The maximum number of keys, including revoked ones.
    static let limit = 10_000
    /// The time in seconds for which a revoked key stays in the list.
    static let memory: Int64 = 90 * 86_400
    /// The time in seconds by which the stored time of the last use may lag behind.
    static let useLag: Int64 = 600

    private struct State {
        var keys: [String: APIKey] = [:]
        var stamp: [Int64] = []
        /// Uses that are not yet in the document.
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

    private let document: (any KeyDocument)?
    private let initial: (hash: [UInt8], role: String)?
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - path: the file, which need not exist.
    ///   - initialKey: an additional key, which is never written. It has the role `admin`.
    /// - Throws: an error if the file exists and cannot be read.
    package convenience init(
        path: String, initialKey: String? = nil, clock: @escaping @Sendable () -> Timestamp = { .now() },
        logger: Logger = Logger(label: "keys")
    ) throws(IdentityError) {
        try self.init(KeyFile(path: path), initialKey: initialKey, clock: clock, logger: logger)
    }

    /// Keeps the keys in a document. Throws if there is one that cannot be read.
    package init(
        _ document: any KeyDocument, initialKey: String? = nil,
        clock: @escaping @Sendable () -> Timestamp = { .now() }, logger: Logger = Logger(label: "keys")
    ) throws(IdentityError) {
        self.document = document
        initial = try Self.initial(initialKey)
        self.clock = clock
        self.logger = logger
        let stamp = document.stamp
        let keys = try KeyList.decode(try document.read(), document.name)
        state.withLock {
            $0.stamp = stamp
            $0.adopt(keys)
        }
    }

    /// Keeps the keys in memory, with an initial key that has the role `admin`. Throws if that is too short.
    package init(
        initialKey: String?, clock: @escaping @Sendable () -> Timestamp = { .now() },
        logger: Logger = Logger(label: "keys")
    ) throws(IdentityError) {
        document = nil
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

    /// Keeps the keys in memory.
    package init(clock: @escaping @Sendable () -> Timestamp = { .now() }) {
        document = nil
        initial = nil
        self.clock = clock
        logger = Logger(label: "keys")
    }

    /// Whether a key exists or has existed: from then on callers must send a credential.
    package var isInUse: Bool { initial != nil || state.withLock { $0.wasUsed } }

    /// All keys in the order of their creation, including recently revoked ones.
    package var keys: [APIKey] {
        state.withLock { state in
            state.keys.values.map { state.withUse($0) }.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
        }
    }

    package func key(_ id: String) -> APIKey? {
        state.withLock { state in state.keys[id].map { state.withUse($0) } }
    }

    /// Creates a key. Returns its secret, which is not stored.
    package func create(_ details: APIKey.Details) throws(IdentityError) -> (key: APIKey, secret: String) {
        let id = Secret.random(8)
        let secret = "\(Self.prefix)\(id)_\(Secret.random(43))"
        let now = clock()
        let key = APIKey(id: id, details: details, created: now, hash: Secret.hash(secret))
        try update { (keys: inout [APIKey]) throws(IdentityError) in
            keys.removeAll { $0.revoked.map { $0.seconds < now.seconds - Self.memory } ?? false }
            guard keys.count < Self.limit else {
                throw IdentityError(
                    "There are \(Self.limit) keys, which is the limit. Wait until revoked ones are removed, after 90 days."
                )
            }
            keys.append(key)
        }
        return (key, secret)
    }

    /// Revokes a key permanently; does nothing if it was revoked before. Returns nil if there is no key with that id.
    package func revoke(_ id: String) throws(IdentityError) -> APIKey? {
        // Nothing is written for an unknown id.
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

    /// Returns the caller with this secret. Cost: a hash and a lock; for an unknown key also a check of the file.
    package func principal(of secret: String) throws(CredentialError) -> Principal {
        let hash = Secret.hash(secret)
        if let initial, ConstantTime.areEqual(initial.hash, hash) {
            return Principal(credential: .key(Self.initialKey), roles: [initial.role])
        }
        guard let id = Self.id(in: secret) else { throw .invalid }
        if key(id) == nil { refreshOrLog() }
        let now = clock()
        guard let key = key(id), ConstantTime.areEqual(key.hash, hash), key.revoked == nil else { throw .invalid }
        guard !key.isExpired(at: now) else { throw .expired }
        state.withLock { $0.uses[id] = now }
        return key.principal
    }

    /// Whether a key is still valid.
    package func isValid(_ id: String) -> Bool {
        if id == Self.initialKey { return initial != nil }
        guard let key = key(id) else { return false }
        return key.revoked == nil && !key.isExpired(at: clock())
    }

    /// Reads the document again if it has changed. Returns whether the set of valid keys has changed.
    @discardableResult
    package func refresh() throws(IdentityError) -> Bool {
        guard let document else { return false }
        let stamp = document.stamp
        guard state.withLock({ $0.stamp != stamp }) else { return false }
        let keys = try KeyList.decode(try document.read(), document.name)
        return state.withLock { state in
            let before = state.keys.values.filter { $0.revoked == nil }.map(\.id)
            state.adopt(keys)
            state.stamp = stamp
            state.fault = nil
            return Set(before) != Set(state.keys.values.filter { $0.revoked == nil }.map(\.id))
        }
    }

    /// Does the same as `refresh`. If the document cannot be read, logs that once and keeps the present keys.
    @discardableResult
    package func refreshOrLog() -> Bool {
        do {
            return try refresh()
        } catch {
            let isUnreported = state.withLock { state in
                defer { state.fault = error.description }
                return state.fault != error.description
            }
            if isUnreported { logger.error("The keys were not changed.", metadata: ["error": "\(error)"]) }
            return false
        }
    }

    /// Stores the times of last use for keys whose stored time is more than ten minutes old. Called now and then; a
    /// failure has no consequences.
    package func saveUses() {
        let late = state.withLock { state in
            state.uses.contains { id, use in
                state.keys[id].map { $0.lastUsed.map { $0.seconds + Self.useLag < use.seconds } ?? true } ?? false
            }
        }
        guard late, document != nil else { return }
        let uses = state.withLock { $0.uses }
        try? update { (keys: inout [APIKey]) throws(IdentityError) in
            for index in keys.indices {
                if let use = uses[keys[index].id] { keys[index].lastUsed = max(use, keys[index].lastUsed ?? use) }
            }
        }
        state.withLock { $0.uses = [:] }
    }

    private func update<R>(_ change: (inout [APIKey]) throws(IdentityError) -> R) throws(IdentityError) -> R {
        guard let document else {
            return try state.withLock { state throws(IdentityError) in
                var keys = Array(state.keys.values)
                let result = try change(&keys)
                state.adopt(keys)
                return result
            }
        }
        var outcome: (result: R, keys: [APIKey])?
        try document.update { bytes throws(IdentityError) in
            var keys = try KeyList.decode(bytes, document.name)
            outcome = (try change(&keys), keys)
            return KeyList.encode(keys)
        }
        guard let (result, keys) = outcome else { throw IdentityError("\(document.name) was not changed.") }
        // Without the stamp, so that the next check finds writes by other processes meanwhile.
        state.withLock { $0.adopt(keys) }
        return result
    }

    /// Returns the id in a string that has the form of a key.
    private static func id(in secret: String) -> String? {
        let parts = secret.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "rg", parts[1].count == 8, parts[2].count == 43 else { return nil }
        return String(parts[1])
    }
}
