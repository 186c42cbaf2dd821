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
    /// A short description.
    let help: String
    /// Whether a change takes effect when the server reloads its configuration.
    var isLive = false
    /// Whether the value is never displayed.
    var isSecret = false
    /// The environment variable if it is not derived from the name.
    private var variableName: String?
    private var optionName: String?

    init(
        _ name: String, _ kind: Kind, _ fallback: SettingValue? = nil, _ help: String, isLive: Bool = false,
        isSecret: Bool = false, variable: String? = nil, option: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.fallback = fallback
        self.help = help
        self.isLive = isLive
        self.isSecret = isSecret
        variableName = variable
        optionName = option
    }

    /// `log.level` → `REALMGATE_LOG_LEVEL`, `limits.workerQueue` → `REALMGATE_LIMITS_WORKER_QUEUE`.
    var variable: String { variableName ?? "REALMGATE_" + words("_").uppercased() }

    /// `log.level` → `--log-level`; nil where `--set` is the only one.
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
}

enum SettingValue: Hashable, Sendable {
    case text(String)
    case integer(Int)
    case flag(Bool)
    case list([String])
}

extension Setting {
    /// Parses a value. Throws a sentence that continues after the name of the value's origin.
    func value(of text: String) throws(SettingFault) -> SettingValue {
        switch kind {
        case .text: return .text(text)
        case .integer(let range):
            guard let number = Int(text) else { throw SettingFault("is '\(text)', which is not an integer") }
            return try check(number, range)
        case .size(let range):
            guard let number = Self.bytes(text) else {
                throw SettingFault("is '\(text)', which is not a size such as 1048576 or 1MiB")
            }
            return try check(number, range)
        case .flag:
            switch text.lowercased() {
            case "1", "true", "yes", "on": return .flag(true)
            case "0", "false", "no", "off": return .flag(false)
            default: throw SettingFault("is '\(text)'; it must be true or false")
            }
        case .choice(let names):
            guard names.contains(text.lowercased()) else {
                throw SettingFault("is '\(text)'; it must be one of: \(names.joined(separator: ", "))")
            }
            return .text(text.lowercased())
        case .list:
            let parts = text.split(separator: ",").map { $0.drop { $0 == " " } }.map { part in
                String(part.reversed().drop { $0 == " " }.reversed())
            }
            return .list(parts.filter { !$0.isEmpty })
        }
    }

    func check(_ number: Int, _ range: ClosedRange<Int>) throws(SettingFault) -> SettingValue {
        guard range.contains(number) else {
            throw SettingFault("is \(number); it must be \(range.lowerBound) to \(range.upperBound)")
        }
        return .integer(number)
    }

    /// `1048576`, `1024 KiB`, `1MiB`, `2g`; units are powers of 1024.
    static func bytes(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        let shift: Int? =
            switch unit {
            case "", "b": 0
            case "k", "kb", "kib": 10
            case "m", "mb", "mib": 20
            case "g", "gb", "gib": 30
            case "t", "tb", "tib": 40
            default: nil
            }
        guard let number = Int(digits), let shift, number <= Int.max >> shift else { return nil }
        return number << shift
    }
}

/// A value that does not fit a setting.
struct SettingFault: Error {
    /// The description, which continues after the name, without a full stop.
    let words: String

    init(_ words: String) { self.words = words }
}
