import Glibc

/// The sources of settings: the command line, then the environment.
///
/// An empty variable counts as not set, because `docker run -e REALMGATE_SCHEMA=` creates one.
struct SettingSources: Sendable {
    private let environment: @Sendable (String) -> String?

    /// The environment of this process.
    static let process = SettingSources { name in getenv(name).map { String(cString: $0) } }

    init(environment: @escaping @Sendable (String) -> String?) {
        self.environment = environment
    }

    func text(_ flag: String?, _ variable: String) -> String? {
        if let flag { return flag }
        guard let value = environment(variable), !value.isEmpty else { return nil }
        return value
    }
}
