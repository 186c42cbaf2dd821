package import AccessRules
import Dispatch
import HTTPMessages
package import HTTPServer
package import Identity
package import ObjectCoding
package import ObjectModel
import Synchronization

/// Authenticates callers and determines their roles. Roles, keys and token settings can change while requests arrive.
package final class AccessControl: Sendable {
    /// The access configuration.
    package struct Rules: Sendable {
        /// The roles. A caller gets the first of them that its credential names; a caller without a credential gets the
        /// role `anonymous`, if it exists. A role `admin` with full access exists even if it is not listed.
        package var roles: [Role]
        /// Nil if tokens are not accepted.
        package var tokens: TokenVerifier?
        /// Whether callers must send a credential even before the first key has been created.
        package var isRequired: Bool

        package init(roles: [Role] = [], tokens: TokenVerifier? = nil, isRequired: Bool = true) {
            self.roles = roles
            self.tokens = tokens
            self.isRequired = isRequired
        }

        /// Whether callers have full access as long as there is no key.
        fileprivate var allowOpen: Bool { !isRequired && roles.isEmpty && tokens == nil }

        /// The listed roles, and `admin`.
        fileprivate var all: [Role] {
            roles.contains { $0.name == Role.administrator.name } ? roles : roles + [.administrator]
        }
    }

    private struct State {
        var rules: Rules
        var actions: [@Sendable () -> Void] = []
        /// The expiry times, in seconds, of the credentials that were used.
        var ends: Set<Int64> = []
        var wasOpen: Bool
    }

    /// The API keys.
    package let keys: KeyRing
    private let clock: @Sendable () -> Timestamp
    private let state: Mutex<State>

    package init(
        _ rules: Rules, keys: KeyRing = KeyRing(), clock: @escaping @Sendable () -> Timestamp = { .now() }
    ) {
        self.keys = keys
        self.clock = clock
        state = Mutex(State(rules: rules, wasOpen: false))
        state.withLock { $0.wasOpen = isOpen($0.rules) }
    }

    /// Creates an access control with roles only, and keys in memory.
    package convenience init(roles: [Role]) { self.init(Rules(roles: roles)) }

    // MARK: Requests

    /// Returns the caller of a request. Throws 401 for a credential that is missing, invalid or expired, and 403 if it
    /// has no role. Cost: a hash and two locks; more for a token that was not seen before, see `TokenVerifier`.
    ///
    /// - Parameter audience: of the path. Only `everyone` and `anonymous` make a difference.
    package func caller(of request: Request, for audience: Audience = .callers) throws(Problem) -> Caller {
        let rules = state.withLock { $0.rules }
        if isOpen(rules) { return .unrestricted }
        // The response does not depend on the caller; a preflight request of a browser has no credentials.
        if audience == .everyone || request.method == .options { return rules.anonymous ?? .seeingNothing }
        guard let credential = try Credential(request) else {
            if let caller = rules.anonymous { return caller }
            guard audience == .anonymous else {
                throw Problem(
                    .authRequired,
                    "This request requires a credential: send an API key or a token in a header 'Authorization: Bearer …'."
                )
            }
            return .seeingNothing
        }
        let principal = try principal(of: credential, rules)
        guard let caller = rules.caller(principal) else {
            throw Problem(
                .authNoRole,
                "The credential is valid, but none of its roles exists on this server. Give its holder a role of the configuration."
            )
        }
        if let end = principal.expires {
            let second = end.floored.seconds + 1
            state.withLock { _ = $0.ends.insert(second) }
        }
        return caller
    }

    /// Returns the request with its caller as context, and without the credential in its query. Throws 401 for a
    /// credential that is missing, invalid or expired, and 403 if its holder has no role.
    ///
    /// - Parameter audience: of the request's path.
    package func identified(_ request: Request, for audience: Audience) throws(Problem) -> Request {
        var known = request
        known.context = isOpen ? CallerContext.unrestricted : CallerContext(try caller(of: request, for: audience))
        if !known.query.isEmpty, Credential.isTakenFromQuery(of: request) {
            known.query.removeAll { $0.name == Credential.parameter }
        }
        return known
    }

    private func principal(of credential: Credential, _ rules: Rules) throws(Problem) -> Principal {
        do throws(CredentialError) {
            if let tokens = rules.tokens, credential.isToken { return try tokens.principal(of: credential.text) }
            return try keys.principal(of: credential.text)
        } catch {
            switch error {
            case .invalid:
                throw Problem(
                    .authInvalid,
                    "The API key or token is not valid. Check that it was copied completely; if it was, request a new one."
                )
            case .expired:
                throw Problem(.authExpired, "The API key or token has expired. Request a new one.")
            case .notYetValid:
                throw Problem(
                    .authNotYetValid,
                    "The token is not valid yet. Check the clocks of its issuer and of this server.")
            }
        }
    }

    // MARK: Changes

    /// Whether every caller has full access, because no role, key or token settings exist.
    package var isOpen: Bool {
        // Asked several times for a request, so it takes no copy of the rules.
        state.withLock { $0.rules.allowOpen } && !keys.isInUse
    }

    private func isOpen(_ rules: Rules) -> Bool { rules.allowOpen && !keys.isInUse }

    /// The roles of the configuration.
    var roles: [Role] { state.withLock { $0.rules.roles } }

    /// The roles of the configuration, and `admin`.
    package var allRoles: [Role] { state.withLock { $0.rules.all } }

    /// The names of all roles.
    package var roleNames: [String] { state.withLock { $0.rules.all.map(\.name) } }

    /// Replaces the rules, from the next request on.
    package func replace(_ rules: Rules) {
        state.withLock { $0.rules = rules }
        changed()
    }

    /// Returns whether the caller still has exactly the permissions that it was admitted with. Streams check it after a
    /// change.
    package func isValid(_ caller: Caller) -> Bool {
        let rules = state.withLock { $0.rules }
        if isOpen(rules) { return caller == .unrestricted }
        let principal = caller.principal
        if let end = principal.expires, end <= clock() { return false }
        switch principal.credential {
        case .none: return rules.anonymous == caller
        case .key(let id): return keys.isValid(id) && rules.caller(principal) == caller
        case .token(let signer):
            return (rules.tokens?.accepts(signer: signer) ?? false) && rules.caller(principal) == caller
        }
    }

    /// Registers an action that is called, on any thread, whenever an admitted caller may have lost or changed its
    /// permissions: after new rules, a revoked key or an expired credential. Call `isValid` then. Changes by time or by
    /// another process are reported within a second.
    package func onChange(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.actions.append(action) } }

    /// Calls the registered actions.
    package func changed() {
        let isOpen = isOpen
        let actions = state.withLock { state in
            state.wasOpen = isOpen
            return state.actions
        }
        for action in actions { action() }
    }

    /// Checks for changes by time or in files. `watch` calls it every second.
    package func checkForChanges() {
        let tokens = state.withLock { $0.rules.tokens }
        var hasChanges = keys.refreshOrLog()
        if tokens?.refreshOrLog() ?? false { hasChanges = true }
        let now = clock().floored.seconds
        let isOpen = isOpen
        state.withLock { state in
            if state.wasOpen != isOpen { hasChanges = true }
            let over = state.ends.filter { $0 <= now }
            guard !over.isEmpty else { return }
            state.ends.subtract(over)
            hasChanges = true
        }
        if hasChanges { changed() }
        keys.saveUses()
    }
}

extension AccessControl.Rules {
    /// The anonymous caller, who has no credential; nil if there is no role for it.
    fileprivate var anonymous: Caller? {
        roles.first { $0.name == "anonymous" }.map { Caller(.anonymous, AccessView(role: $0)) }
    }

    /// Returns nil if none of the principal's roles exists.
    fileprivate func caller(_ principal: Principal) -> Caller? {
        all.first { principal.roles.contains($0.name) }.map { role in
            Caller(
                principal, AccessView(role: role.narrowed(to: principal.scope), claims: principal.claims),
                readsMetrics: role.isAdministrator && principal.scope.classes == nil)
        }
    }
}

extension Caller {
    /// An anonymous caller to whom nothing is visible, for public paths.
    fileprivate static let seeingNothing = Caller(.anonymous, AccessView(role: Role(name: "nobody")))
}

extension AccessControl {
    private static let queue = DispatchQueue(label: "realmgate.access", qos: .utility)

    /// Checks for changes every second from now on, while the access control exists.
    package func watch() {
        Self.queue.asyncAfter(deadline: .now() + 1) { [weak self] in
            self?.checkForChanges()
            self?.watch()
        }
    }
}

extension Role {
    /// Returns the role restricted to a key's scope: only classes that both have are visible, and a read-only scope
    /// leaves no permission to write. An administrator's key with a scope is not an administrator.
    func narrowed(to scope: KeyScope) -> Role {
        guard scope != .all else { return self }
        var role = self
        if isAdministrator {
            role.isAdministrator = false
            role.classes = [:]
            role.others = .everything
        }
        if let listed = scope.classes {
            let others = role.others
            role.classes = Dictionary(
                listed.map { ($0, role.classes[$0] ?? others) }, uniquingKeysWith: { first, _ in first })
            role.others = ClassRule()
        }
        if scope.isReadOnly {
            role.classes = role.classes.mapValues(\.readingOnly)
            role.others = role.others.readingOnly
        }
        return role
    }
}

extension ClassRule {
    private static let always = "TRUEPREDICATE"

    fileprivate static let everything = ClassRule(read: always, create: always, update: always, delete: always)

    fileprivate var readingOnly: ClassRule { ClassRule(read: read, readableProperties: readableProperties) }
}
