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
        guard let value = environment(variable), !value.isEmpty, !Self.isServiceLink(variable, value) else {
            return nil
        }
        return value
    }

    /// Returns the value of a variable that is not used, because Kubernetes has set it.
    func serviceLink(_ variable: String) -> String? {
        environment(variable).flatMap { Self.isServiceLink(variable, $0) ? $0 : nil }
    }

    /// Kubernetes sets `REALMGATE_PORT=tcp://10.0.0.1:8080` in each pod beside a service that is named `realmgate`.
    private static func isServiceLink(_ variable: String, _ value: String) -> Bool {
        variable.hasSuffix("_PORT") && ["tcp://", "udp://", "sctp://"].contains { value.hasPrefix($0) }
    }
}
