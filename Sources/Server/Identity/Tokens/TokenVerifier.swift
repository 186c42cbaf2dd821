import JSONCoding
package import Logging
package import ObjectModel
import Synchronization

/// Verifies JSON Web Tokens: signature, validity period, issuer and audience.
///
/// The first verification of a token costs a signature check: about 1 µs for HS, 30 µs for RS and PS, 200 µs for ES256
/// and EdDSA, 400 µs for ES384 and 900 µs for ES512. Then it is cached until the token expires, and costs a hash.
package final class TokenVerifier: Sendable {
    /// The maximum number of cached tokens.
    static let memory = 10_000
    /// The maximum number of keys that are tried for one token.
    private static let maximumTries = 8

    private struct State {
        var keys: [TokenKey]
        var stamp: FileStamp?
        var known: [[UInt8]: Principal] = [:]
        var fault: String?
    }

    package let settings: TokenSettings
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private let state: Mutex<State>

    /// Loads the keys. Throws if they are invalid or if there are none.
    package init(
        _ settings: TokenSettings, clock: @escaping @Sendable () -> Timestamp = { .now() },
        logger: Logger = Logger(label: "tokens")
    ) throws(IdentityError) {
        self.settings = settings
        self.clock = clock
        self.logger = logger
        let stamp = settings.keyFile.flatMap { FileStamp($0) }
        state = Mutex(State(keys: try TokenKey.load(settings), stamp: stamp))
    }

    /// Returns the caller that a token identifies.
    package func principal(of text: String) throws(CredentialError) -> Principal {
        let digest = Secret.hash(text)
        let now = clock()
        if let known = state.withLock({ $0.known[digest] }) {
            if let end = known.expires, end <= now { throw .expired }
            return known
        }
        guard let token = CompactSignature(text) else { throw .invalid }
        let keys = state.withLock { $0.keys }.lazy.filter { $0.suits(token) }
        guard let key = keys.prefix(Self.maximumTries).first(where: { $0.verifies(token) }),
            let claims = TokenClaims(token.payload)
        else { throw .invalid }
        let principal = try principal(with: claims, signer: key.fingerprint, now.seconds)
        state.withLock { state in
            // Keys that were replaced meanwhile are no longer valid.
            guard state.keys.contains(where: { $0.fingerprint == key.fingerprint }) else { return }
            if state.known.count >= Self.memory {
                state.known = state.known.filter { $0.value.expires.map { $0 > now } ?? true }
                if state.known.count >= Self.memory { state.known = [:] }
            }
            state.known[digest] = principal
        }
        return principal
    }

    /// Whether tokens of this signer are still accepted.
    package func accepts(signer: String) -> Bool {
        state.withLock { $0.keys.contains { $0.fingerprint == signer } }
    }

    /// Reads the file of keys again if it has changed, and returns whether it has. If it is invalid, logs that and
    /// keeps the present keys.
    @discardableResult
    package func refreshOrLog() -> Bool {
        guard let path = settings.keyFile else { return false }
        let stamp = FileStamp(path)
        guard state.withLock({ $0.stamp != stamp }) else { return false }
        do {
            let keys = try TokenKey.load(settings)
            state.withLock { state in
                state.keys = keys
                state.known = [:]
                state.stamp = stamp
                state.fault = nil
            }
            logger.info("The token keys were reloaded.", metadata: ["keys": "\(keys.count)"])
            return true
        } catch {
            let isUnreported = state.withLock { state in
                defer { state.fault = error.description }
                return state.fault != error.description
            }
            if isUnreported { logger.error("The token keys were not changed.", metadata: ["error": "\(error)"]) }
            return false
        }
    }

    private func principal(
        with claims: TokenClaims, signer: String, _ now: Int64
    ) throws(CredentialError) -> Principal {
        let end = try claims.date("exp")
        if let end, end + settings.leeway <= now { throw .expired }
        if end == nil, settings.requiresExpiry { throw .invalid }
        if let start = try claims.date("nbf"), start - settings.leeway > now { throw .notYetValid }
        if let made = try claims.date("iat"), made - settings.leeway > now { throw .notYetValid }
        var subject: String?
        switch claims["sub"] {
        case nil: break
        case .string(let text)?: subject = text
        default: throw .invalid
        }
        if !settings.issuers.isEmpty {
            guard case .string(let issuer)? = claims["iss"], settings.issuers.contains(issuer) else {
                throw .invalid
            }
        }
        if !settings.audiences.isEmpty, settings.audiences.isDisjoint(with: claims.names(at: ["aud"])) {
            throw .invalid
        }
        return Principal(
            credential: .token(signer: signer), subject: subject, roles: claims.names(at: settings.rolePaths),
            claims: claims.values, expires: end.map { Timestamp(seconds: $0 + settings.leeway) })
    }
}
