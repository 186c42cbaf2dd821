import Basics
import AccessRules
import JSONCoding
import ObjectModel
import YAMLCoding

/// All settings with their values and origins. An option takes precedence over a variable, a variable over the file,
/// and the file over the default.
struct Settings: Sendable {
    enum Origin: Hashable, Sendable {
        case option(String)
        case variable(String)
        case file(line: Int)
        case fallback

        var inWords: String {
            switch self {
            case .option(let name): name
            case .variable(let name): name
            case .file(let line): "the file, line \(line)"
            case .fallback: "default"
            }
        }
    }

    private var values: [String: (value: SettingValue?, origin: Origin)] = [:]
    /// The roles, which only the file can define.
    private(set) var roles: [Role] = []
    /// The path of the file; nil without one.
    private(set) var file: String?

    /// - Parameters:
    ///   - options: the options of the command line, by the name of the setting.
    ///   - assignments: `name=value` of `--set`, with the precedence of options.
    ///   - file: the path of `--config`.
    init(
        options: [String: String], assignments: [String] = [], file: String?, _ sources: SettingSources
    ) throws(CommandError) {
        var given: [String: (text: String, name: String)] = [:]
        for assignment in assignments {
            let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let setting = Setting.named(parts[0]) else {
                throw CommandError(
                    withHint(
                        "--set requires NAME=VALUE with the name of a setting, not '\(parts.first ?? "")'.",
                        parts.count < 2 ? nil : Setting.names.nearest(to: String(parts.first ?? ""))),
                    exitCode: 64)
            }
            given[setting.name] = (String(parts[1]), "--set \(setting.name)")
        }
        for setting in Setting.all {
            if let text = options[setting.name] { given[setting.name] = (text, setting.option) }
        }
        self.file = sources.text(file, "REALMGATE_CONFIG")
        let configured = try self.file.map { path throws(CommandError) in try ConfigurationFile(path: path) }
        roles = configured?.roles ?? []
        for setting in Setting.all {
            if let (text, name) = given[setting.name] {
                values[setting.name] = (try Self.value(setting, text, name), .option(name))
            } else if let text = sources.text(nil, setting.variable) {
                values[setting.name] = (try Self.value(setting, text, setting.variable), .variable(setting.variable))
            } else if let (value, position) = configured?.values[setting.name] {
                values[setting.name] = (value, .file(line: position.line))
            } else {
                values[setting.name] = (setting.fallback, .fallback)
            }
        }
    }

    private static func value(
        _ setting: Setting, _ text: String, _ source: String
    ) throws(CommandError) -> SettingValue {
        do throws(SettingError) {
            return try setting.value(of: text)
        } catch {
            throw CommandError("\(source) \(error.words).", exitCode: 64)
        }
    }

    subscript(_ name: String) -> SettingValue? { values[name]?.value }

    /// Assigns a setting's value to its property. Throws a sentence with the name of the setting.
    func assign(_ setting: Setting, to configuration: inout ServiceConfiguration) throws(CommandError) {
        do throws(SettingError) {
            try setting.assign(self[setting.name], &configuration)
        } catch {
            throw CommandError(
                withHint("\(setting.name) (\(origin(setting.name))): \(error.words).", error.hint), exitCode: 78)
        }
    }

    /// Returns a configuration with the values of some settings, for commands that need only these.
    func configuration(_ names: String...) throws(CommandError) -> ServiceConfiguration {
        var configuration = ServiceConfiguration()
        for setting in Setting.all where names.contains(setting.name) { try assign(setting, to: &configuration) }
        return configuration
    }

    /// Returns the origin of a value, for error messages.
    func origin(_ name: String) -> String { values[name]?.origin.inWords ?? "default" }

    /// Returns the names of the settings that differ, including `auth.roles`.
    func differences(from other: Settings) -> [String] {
        Setting.names.filter { values[$0]?.value != other.values[$0]?.value }
            + (roles == other.roles ? [] : ["auth.roles"])
    }

    /// The settings in the form of a configuration file, each with its origin. Secrets are omitted.
    var description: String {
        var lines = file.map { ["# The file is \($0)."] } ?? []
        var open: [Substring] = []
        for setting in Setting.all {
            let parts = setting.name.split(separator: ".")
            let levels = parts.dropLast()
            for (depth, level) in levels.enumerated() where !open.starts(with: levels.prefix(depth + 1)) {
                open = Array(levels.prefix(depth + 1))
                lines.append(String(repeating: "  ", count: depth) + level + ":")
            }
            open = Array(levels)
            let (value, origin) = values[setting.name] ?? (nil, .fallback)
            let shown = setting.isSecret && value != nil ? "# hidden" : value.map(Self.yaml) ?? "null"
            lines.append(
                String(repeating: "  ", count: levels.count) + (parts.last ?? "") + ": \(shown)  # \(origin.inWords)")
        }
        if !roles.isEmpty {
            lines.append("# Roles: \(roles.map(\.name).joined(separator: ", "))")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func yaml(_ value: SettingValue) -> String {
        let json = JSONWriter(capacity: 64)
        switch value {
        case .text(let text): json.string(text)
        case .integer(let number): json.int(number)
        case .flag(let flag): json.bool(flag)
        case .list(let texts):
            json.beginArray()
            for text in texts { json.string(text) }
            json.endArray()
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
