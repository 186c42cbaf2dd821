import Glibc

/// Where settings come from: the command line, else an environment variable.
///
/// An empty variable counts as not set, as `docker run -e REALMGATE_SCHEMA=` leaves it.
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
