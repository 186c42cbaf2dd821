import Glibc

/// Where settings come from: the command line, else an environment variable, else the default.
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

    func integer(_ flag: Int?, _ variable: String, _ range: ClosedRange<Int>, default fallback: Int) throws -> Int {
        let value: Int
        if let flag {
            value = flag
        } else if let text = text(nil, variable) {
            guard let number = Int(text) else {
                throw CommandFailure("\(variable) is '\(text)', which is no whole number.", exitCode: 64)
            }
            value = number
        } else {
            return fallback
        }
        guard range.contains(value) else {
            let name = flag == nil ? variable : Self.option(for: variable)
            throw CommandFailure(
                "\(name) is \(value); it must be \(range.lowerBound) to \(range.upperBound).", exitCode: 64)
        }
        return value
    }

    func flag(_ flag: Bool?, _ variable: String, default fallback: Bool) throws -> Bool {
        if let flag { return flag }
        guard let text = text(nil, variable) else { return fallback }
        switch text.lowercased() {
        case "1", "true", "yes", "on": return true
        case "0", "false", "no", "off": return false
        default: throw CommandFailure("\(variable) is '\(text)'; it must be true or false.", exitCode: 64)
        }
    }

    func choice<T: RawRepresentable & CaseIterable>(
        _ flag: String?, _ variable: String, default fallback: T
    ) throws -> T where T.RawValue == String {
        guard let text = text(flag, variable) else { return fallback }
        guard let value = T(rawValue: text.lowercased()) else {
            let name = flag == nil ? variable : Self.option(for: variable)
            let known = T.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure("\(name) is '\(text)'; it must be one of: \(known).", exitCode: 64)
        }
        return value
    }

    /// `REALMGATE_LOG_LEVEL` → `--log-level`.
    private static func option(for variable: String) -> String {
        "--" + variable.dropFirst("REALMGATE_".count).lowercased().map { $0 == "_" ? "-" : $0 }
    }
}
