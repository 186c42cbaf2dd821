import ObjectModel

/// A setting, which can be given as a command-line option, as an environment variable, or in the file.
struct Setting: Sendable {
    enum Kind: Sendable {
        case text
        case integer(ClosedRange<Int>)
        /// A size in bytes, also written as `16 MiB`.
        case size(ClosedRange<Int>)
        case flag
        case choice([String])
        /// A list, separated by commas in a variable or option.
        case list
    }

    /// The name as in the file, with dots between levels: `log.level`.
    let name: String
    let kind: Kind
    /// The default; nil for none.
    let fallback: SettingValue?
    /// A description of the behaviour without a value and a default.
    let otherwise: String?
    /// A short description.
    let help: String
    /// Whether a change takes effect when the server reloads its configuration.
    let isLive: Bool
    /// Whether the value is never displayed.
    let isSecret: Bool
    /// The environment variable if it is not derived from the name.
    private var variableName: String?
    private var optionName: String?
    /// Assigns the value, or the default for nil, to the setting's property.
    let assign: @Sendable (SettingValue?, inout ServiceConfiguration) throws(SettingError) -> Void

    init(
        _ name: String, _ kind: Kind, _ fallback: SettingValue?, _ help: String, otherwise: String? = nil, isLive: Bool,
        isSecret: Bool = false,
        assign: @escaping @Sendable (SettingValue?, inout ServiceConfiguration) throws(SettingError) -> Void
    ) {
        self.name = name
        self.kind = kind
        self.fallback = fallback
        self.otherwise = otherwise
        self.help = help
        self.isLive = isLive
        self.isSecret = isSecret
        self.assign = assign
    }

    /// Returns the setting with a variable and an option that are not derived from its name.
    func named(variable: String, option: String? = nil) -> Setting {
        var named = self
        named.variableName = variable
        named.optionName = option
        return named
    }

    /// `log.level` → `REALMGATE_LOG_LEVEL`, `limits.workerQueue` → `REALMGATE_LIMITS_WORKER_QUEUE`.
    var variable: String { variableName ?? "REALMGATE_" + words("_").uppercased() }

    /// `log.level` → `--log-level`. Many settings do not have this option and can only be given with `--set`.
    var option: String { optionName ?? "--" + words("-") }

    private func words(_ separator: Character) -> String {
        var text = ""
        for character in name {
            if character == "." {
                text.append(separator)
            } else if character.isUppercase {
                text.append(separator)
                text += character.lowercased()
            } else {
                text.append(character)
            }
        }
        return text
    }

    /// The default, or the behaviour without one, for people; nil if there is nothing to report.
    var fallbackInWords: String? {
        switch fallback {
        case .text(let text)?: text
        case .integer(let number)?: "\(number)"
        case .flag(let flag)?: "\(flag)"
        case .list(let texts)?: texts.isEmpty ? otherwise : texts.joined(separator: ",")
        case nil: otherwise
        }
    }
}

/// A value that does not fit a setting.
struct SettingError: Error {
    /// The description, which continues after the name, without a full stop.
    let words: String
    /// The nearest valid word.
    let hint: String?

    init(_ words: String, hint: String? = nil) {
        self.words = words
        self.hint = hint
    }
}
