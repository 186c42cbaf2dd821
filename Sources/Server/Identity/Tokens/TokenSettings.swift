/// Determines which JSON Web Tokens are accepted.
package struct TokenSettings: Hashable, Sendable {
    /// The accepted algorithms; empty for all that the keys support.
    package var algorithms: Set<TokenAlgorithm> = []
    /// The secret for HS256, HS384 and HS512, at least as long as the hash.
    package var secret: String?
    /// A file with a JSON Web Key Set. It is read again when it changes.
    package var keyFile: String?
    /// The accepted values of `iss`; empty for any.
    package var issuers: Set<String> = []
    /// The accepted audiences, of which `aud` must contain one; empty to ignore `aud`.
    package var audiences: Set<String> = []
    /// The accepted difference between clocks, in seconds.
    package var leeway: Int64 = 30
    /// Whether tokens without `exp` are rejected.
    package var requiresExpiry = true
    /// The paths to the claim that names the roles, as a string or an array of strings. The first path that exists is
    /// used. A dot leads into an object, as in `realm_access.roles`.
    package var rolePaths = ["role", "roles"]

    package init() {}
}
